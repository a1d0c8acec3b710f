import { expect, test } from 'vitest'
import { localDay } from './late'
import { beginOf, dayAfter, monthAfter, onDay, weeksOf } from './month'

test('a month is shown in whole weeks, as they begin where one lives', () => {
  const weeks = weeksOf('2026-11')
  expect(weeks[0][0]).toBe('2026-10-26')
  expect(weeks.at(-1)?.at(-1)).toBe('2026-12-06')
  expect(weeksOf('2026-11', 7)[0][0]).toBe('2026-11-01')
  // Four weeks and no more, and six where it must be.
  expect(weeksOf('2027-02')).toHaveLength(4)
  expect(weeksOf('2026-08')).toHaveLength(6)
})

test('days and months go on over the end of a year', () => {
  expect(dayAfter('2026-12-31', 1)).toBe('2027-01-01')
  expect(dayAfter('2024-03-01', -1)).toBe('2024-02-29')
  expect(monthAfter('2026-12', 1)).toBe('2027-01')
  expect(monthAfter('2026-01', -1)).toBe('2025-12')
})

test('what is moved to another day keeps its time', () => {
  const moment = new Date(2026, 10, 19, 14, 30).toISOString()
  const moved = new Date(onDay(moment, '2026-12-01'))
  expect([localDay(moved), moved.getHours(), moved.getMinutes()]).toEqual(['2026-12-01', 14, 30])
  expect(localDay(beginOf('2026-12-01'))).toBe('2026-12-01')
})
