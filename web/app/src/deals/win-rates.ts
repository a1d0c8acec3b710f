// Row is what an aggregate of deals answers for one group. Those of months say which days they are.
export type Row = {
  count: number
  from: string
  to: string
  currency?: string
  stage_id?: string
  status?: string
  'closed_at:month'?: string
  'expected_close_date:month'?: string
  'stage_changed_at:day'?: string | null
  'sum:amount'?: string | null
  'sum:weighted_amount'?: string | null
}

// rates tells for each month how many of the deals that were closed in it were won.
export function rates(rows: Row[]): { month: string; won: number; closed: number; from: string; to: string }[] {
  const all = new Map<string, { month: string; won: number; closed: number; from: string; to: string }>()
  for (const r of rows) {
    const month = r['closed_at:month']!
    const kept = all.get(month) ?? { month, won: 0, closed: 0, from: r.from, to: r.to }
    kept.closed += r.count
    if (r.status === 'won') kept.won += r.count
    all.set(kept.month, kept)
  }
  return [...all.values()].sort((a, b) => (a.month < b.month ? -1 : 1))
}
