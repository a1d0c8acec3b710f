// How long deals were in the stages that they left.

import type { Deal } from '../api/records'

const day = 86_400_000

export type Stay = Deal['past_stages'] extends (infer S)[] | null ? S : never

// daysIn adds up, by stage, the days of the stays of one deal, which may have come to a stage twice.
export function daysIn(stays: readonly Partial<Stay>[] | null | undefined): Map<string, number> {
  const all = new Map<string, number>()
  for (const { stage_id, entered_at, left_at } of stays ?? [])
    if (stage_id && entered_at && left_at)
      all.set(stage_id, (all.get(stage_id) ?? 0) + Math.max(0, Date.parse(left_at) - Date.parse(entered_at)) / day)
  return all
}

export type Usual = { deals: number; median: number; average: number }

// usual tells of each stage how many days deals were in it: the median and the average.
export function usual(deals: readonly { past_stages?: readonly Partial<Stay>[] | null }[]): Map<string, Usual> {
  const found = new Map<string, number[]>()
  for (const deal of deals) for (const [stage, days] of daysIn(deal.past_stages)) found.set(stage, [...(found.get(stage) ?? []), days])
  return new Map(
    [...found].map(([stage, days]) => {
      days.sort((a, b) => a - b)
      const half = Math.floor(days.length / 2)
      const median = days.length % 2 ? days[half] : (days[half - 1] + days[half]) / 2
      return [stage, { deals: days.length, median, average: days.reduce((a, b) => a + b, 0) / days.length }]
    }),
  )
}
