import { describe, expect, it } from 'vitest'
import { rates } from './win-rates'

describe('reports', () => {
  it('count what was won of what was closed', () => {
    const rows = [
      { 'closed_at:month': '2026-02', status: 'won', count: 3, from: 'a', to: 'b' },
      { 'closed_at:month': '2026-01', status: 'lost', count: 2, from: 'c', to: 'd' },
      { 'closed_at:month': '2026-02', status: 'lost', count: 1, from: 'a', to: 'b' },
    ]
    expect(rates(rows)).toEqual([
      { month: '2026-01', won: 0, closed: 2, from: 'c', to: 'd' },
      { month: '2026-02', won: 3, closed: 4, from: 'a', to: 'b' },
    ])
  })
})
