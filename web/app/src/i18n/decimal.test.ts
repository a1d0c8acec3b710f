import { describe, expect, test } from 'vitest'
import { decimalOf } from './decimal'

describe('numbers as people type them', () => {
  test.each([
    ['1234.5', '1234.5'],
    ['1,234.50', '1234.50'],
    ['1.234,50', '1234.50'],
    ['12,5', '12.5'],
    ["1'234.5", '1234.5'],
    ['€ 1 234,5', '1234.5'],
    ['1,234', '1234'],
    ['1,234,567', '1234567'],
    ['0,125', '0.125'],
    ['1.234', '1.234'],
    ['€ 7', '7'],
    ['30 %', '30'],
    ['-3', '-3'],
    ['', null],
  ])('%s is %s', (text, read) => expect(decimalOf(text)).toBe(read))
  test.each([
    ['1.234', '1234'],
    ['1.234.567', '1234567'],
    ['0.125', '0.125'],
    ['1,234', '1.234'],
    ['1.5', '1.5'],
    ['-2.500', '-2500'],
  ])('%s is %s where a comma comes before decimals', (text, read) => expect(decimalOf(text, ',')).toBe(read))
})
