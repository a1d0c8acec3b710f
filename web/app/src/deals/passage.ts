// How far deals get in a pipeline, and how long they have been where they are.

type StageOf = { id: string; name: string; kind?: string | null }
export type Step = { name: string; kind: string; ids: string[]; reached: number; before: number }

// furthest tells for each open stage, and for the won ones together, how many deals are there or further on. What was lost is as far as
// the first stage: where it was lost nobody knows by its stage.
export function furthest(stages: StageOf[], rows: { stage_id?: string; count: number }[]): Step[] {
  const count = (ids: string[]) => rows.filter((r) => r.stage_id && ids.includes(r.stage_id)).reduce((n, r) => n + r.count, 0)
  const ids = (kind: string) => stages.filter((s) => s.kind === kind).map((s) => s.id)
  const open = stages.filter((s) => s.kind === 'open')
  const won = stages.filter((s) => s.kind === 'won')
  const steps: Step[] = open.map((s, i) => {
    const here = [...open.slice(i).map((o) => o.id), ...ids('won'), ...(i === 0 ? ids('lost') : [])]
    return { name: s.name, kind: 'open', ids: here, reached: count(here), before: 0 }
  })
  if (won.length > 0) steps.push({ name: won[0].name, kind: 'won', ids: ids('won'), reached: count(ids('won')), before: 0 })
  return steps.map((s, i) => ({ ...s, before: i > 0 ? steps[i - 1].reached : 0 }))
}

// averageDays is how long records have been in a state on the average, by the days on which they came into it.
export function averageDays(rows: { 'stage_changed_at:day'?: string | null; count: number }[], now = Date.now()): number | undefined {
  let days = 0
  let all = 0
  for (const r of rows) {
    const day = r['stage_changed_at:day']
    if (!day) continue
    days += Math.max(0, Math.floor((now - Date.parse(`${day}T00:00:00Z`)) / 86_400_000)) * r.count
    all += r.count
  }
  return all > 0 ? days / all : undefined
}
