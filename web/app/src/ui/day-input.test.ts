import { expect, test } from 'vitest'
import { usualTime } from './day-input'

test('a day alone is meant from the morning on, and today from what is left of it', () => {
  const now = new Date(2031, 4, 14, 15, 20)
  expect(usualTime('2031-05-15', now)).toBe('09:00')
  expect(usualTime('2031-05-13', now)).toBe('09:00')
  expect(usualTime('2031-05-14', now)).toBe('16:00')
  expect(usualTime('2031-05-14', new Date(2031, 4, 14, 6, 0))).toBe('09:00')
  expect(usualTime('2031-05-14', new Date(2031, 4, 14, 23, 5))).toBe('23:59')
})
