import { describe, expect, it } from 'vitest'
import { averageDays, furthest } from './passage'

const stages = [
  { id: 'a', name: 'First', kind: 'open' },
  { id: 'b', name: 'Second', kind: 'open' },
  { id: 'w', name: 'Won', kind: 'won' },
  { id: 'l', name: 'Lost', kind: 'lost' },
]

describe('the funnel', () => {
  it('counts who came at least as far, and what was lost at the beginning alone', () => {
    const rows = [
      { stage_id: 'a', count: 4 },
      { stage_id: 'b', count: 3 },
      { stage_id: 'w', count: 2 },
      { stage_id: 'l', count: 1 },
    ]
    expect(furthest(stages, rows).map((s) => [s.name, s.reached, s.before])).toEqual([
      ['First', 10, 0],
      ['Second', 5, 10],
      ['Won', 2, 5],
    ])
  })
  it('knows how long deals have been in a stage', () => {
    const now = Date.parse('2026-11-19T12:00:00Z')
    const rows = [
      { 'stage_changed_at:day': '2026-11-19', count: 1 },
      { 'stage_changed_at:day': '2026-11-09', count: 3 },
      { 'stage_changed_at:day': null, count: 3 },
    ]
    expect(averageDays(rows, now)).toBe(7.5)
    expect(averageDays([], now)).toBeUndefined()
  })
})
