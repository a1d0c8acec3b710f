import { expect, test } from 'vitest'
import type { Resource } from '../schema/schema'
import { daysLate } from './late'

const res = { states: { field: 'status' } } as unknown as Resource
const now = new Date(2026, 10, 19, 9, 0)
const late = (by: string | null, status = 'open') =>
  daysLate(res, { by: 'due', open: ['open'] }, { id: 'x', version: 1, due: by, status }, now)

test('a day that has passed is late by whole days', () => {
  expect(late('2026-11-07')).toBe(12)
  expect(late('2026-11-18')).toBe(1)
})

test('today, what is to come and no day are not late', () => {
  expect(late('2026-11-19')).toBe(0)
  expect(late('2026-12-01')).toBe(0)
  expect(late(null)).toBe(0)
})

test('what is done with is not late', () => expect(late('2026-11-07', 'won')).toBe(0))

test('a moment counts by its day here', () => {
  expect(late(new Date(2026, 10, 19, 8, 0).toISOString())).toBe(0)
  expect(late(new Date(2026, 10, 18, 23, 59).toISOString())).toBe(1)
})

test('a kind without such a day is never late', () =>
  expect(daysLate(res, undefined, { id: 'x', version: 1, status: 'open' }, now)).toBe(0))
