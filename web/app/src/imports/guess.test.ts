import { expect, test } from 'vitest'
import { guessKind } from './guess'

test.each([
  ['date', ['1985-02-28', '2001-12-01'], true],
  ['date', ['31.02.1985', '1.3.1990', ''], true],
  ['date', ['3/4/2026'], false],
  ['datetime', ['2026-02-11T09:30:00.000000Z'], false],
  ['datetime', ['11.02.2026 09:30', '1.3.2026, 17:05 Uhr'], true],
  ['datetime', ['2/11/2026 9:30 PM'], false],
  ['number', ['17', '-3', '0'], false],
  ['number', ['1.250', '3'], true],
  ['decimal', ['1.250', '3'], false],
  ['decimal', ['1.250,50', '3'], true],
  ['boolean', ['ja', 'Nein'], true],
  ['email', ['anna@example.com', ' bea@example.com '], false],
  ['url', ['https://example.com/a?b=c'], false],
  ['phone', ['+49 30 123456', '0171/1234567', '(030) 123-456'], true],
  ['phone', ['+4930123456'], true],
  // Nothing is told, or different things are.
  ['text', [], false],
  ['text', ['', ' '], false],
  ['text', ['17', 'many'], false],
  ['text', ['1985-02-28', '17'], false],
  ['text', ['example.com'], false],
  // What looks like a figure, and is none.
  ['text', ['01067', '10115'], true],
  ['text', ['00042'], true],
  ['text', ['01711234567'], true],
  ['text', ['4006381333931'], true],
] as [string, string[], boolean][])('a column becomes %s by %j, with a comma: %s', (kind, samples, comma) => {
  expect(guessKind(samples, comma)).toBe(kind)
})
