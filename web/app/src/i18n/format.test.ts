import { beforeAll, describe, expect, test, vi } from 'vitest'
import { dueIn, formatMoney, hiddenMoney } from './format'

describe('amounts', () => {
  beforeAll(() => void vi.stubGlobal('navigator', { languages: ['en-GB'] }))
  test('have the digits of their currency', () => {
    for (const [value, currency, shown] of [
      ['123.456', 'EUR', '€123.46'],
      ['8637.3325', 'EUR', '€8,637.33'],
      ['1250.00', 'JPY', 'JP¥1,250'],
      ['1.2345', 'KWD', 'KWD 1.235'],
      ['-0.005', 'EUR', '-€0.01'],
      ['12', null, '12.00'],
      ['123.456', undefined, '123.46'],
    ] as const)
      expect(formatMoney(value, currency).replaceAll('\u00a0', ' '), `${value} ${currency}`).toBe(shown)
    expect(formatMoney('8637.3325', 'EUR', 'de').replaceAll('\u00a0', ' ')).toBe('8.637,33 €')
  })
  test('are no floating numbers on their way', () => {
    expect(formatMoney('99999999999999.9949', 'EUR')).toBe('€99,999,999,999,999.99')
    expect(formatMoney('1.005', 'EUR')).toBe('€1.01')
  })
  test('say what they leave out', () => {
    expect(hiddenMoney('123.456', 'EUR')).toBe('123.456')
    expect(hiddenMoney('123.4500', 'EUR')).toBeUndefined()
    expect(hiddenMoney('1250.00', 'JPY')).toBeUndefined()
    expect(hiddenMoney('1250.50', 'JPY')).toBe('1250.50')
  })
})

test('what is due is told by the days of the calendar, and today by the clock', () => {
  const now = new Date(2026, 10, 19, 21, 5)
  const at = (day: number, hour: number) => dueIn(new Date(2026, 10, day, hour).toISOString(), now)
  expect([at(20, 16), at(18, 23), at(21, 8), at(19, 16), at(29, 8)]).toEqual(['tomorrow', 'yesterday', 'in 2 days', '16:00', 'next week'])
})
