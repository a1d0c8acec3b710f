import { expect, test } from 'vitest'
import { slotsOf } from './slots'

const slots = (...ids: string[]) => new Map(ids.map((id, i) => [id, i]))

test('what stays in sight keeps its element, and what comes into it gets those that are free', () => {
  const now = slotsOf(slots('a', 'b', 'c', 'd'), ['c', 'd', 'e', 'f', 'g'])
  expect(Object.fromEntries(now)).toEqual({ c: 2, d: 3, e: 0, f: 1, g: 4 })
  expect(new Set(now.values()).size).toBe(now.size)
})

test('the element that has the focus is lent to nobody', () => {
  const now = slotsOf(slots('a', 'b', 'c'), ['c', 'd', 'e'], 'a')
  expect(Object.fromEntries(now)).toEqual({ c: 2, d: 1, e: 3 })
})
