import { expect, test } from 'vitest'
import { daysIn, usual } from './stays'

const stay = (stage_id: string, from: number, to: number) => ({
  stage_id,
  entered_at: new Date(Date.UTC(2026, 0, from)).toISOString(),
  left_at: new Date(Date.UTC(2026, 0, to)).toISOString(),
})

test('the days of a stage are all stays in it', () => {
  expect(daysIn([stay('a', 1, 3), stay('b', 3, 4), stay('a', 4, 9)])).toEqual(
    new Map([
      ['a', 7],
      ['b', 1],
    ]),
  )
  expect(daysIn(null)).toEqual(new Map())
  expect(daysIn([{ stage_id: 'a', entered_at: null, left_at: '2026-01-01T00:00:00Z' }])).toEqual(new Map())
})

test('median and average are over deals', () => {
  const of = (days: number) => ({ past_stages: [stay('a', 1, 1 + days)] })
  expect(usual([of(1), of(2), of(9), { past_stages: null }]).get('a')).toEqual({ deals: 3, median: 2, average: 4 })
  expect(usual([of(1), of(3)]).get('a')).toEqual({ deals: 2, median: 2, average: 2 })
  expect(usual([])).toEqual(new Map())
})
