import { expect, test } from 'vitest'
import { csv } from './csv'

test('a table has its head, its numbers as they are, and marks where they are needed', () =>
  expect(
    csv([
      ['Person', 'Sum'],
      ['Müller, Ö. "Max"', '-12.3456'],
      ['Zoë\nNuñez', null],
      ['none', 5],
    ]),
  ).toBe('\ufeffPerson,Sum\r\n"Müller, Ö. ""Max""",-12.3456\r\n"Zoë\nNuñez",\r\nnone,5\r\n'))

test('no text is a formula', () =>
  expect(csv([['=1+1'], ['@here'], ['-x'], ["'=1"], ['a=b']])).toBe("\ufeff'=1+1\r\n'@here\r\n'-x\r\n''=1\r\na=b\r\n"))
