// Whether the day has passed by which something was to be done.

import type { Rec } from '../api/call'
import { at, type Resource } from '../schema/schema'
import type { KindParts } from './kinds'

// localDay is the day of a moment here.
export const localDay = (moment: Date | string) => {
  const when = new Date(moment)
  return `${when.getFullYear()}-${String(when.getMonth() + 1).padStart(2, '0')}-${String(when.getDate()).padStart(2, '0')}`
}

// daysLate counts the days since a record should have been done with, and is 0 where it is not late.
export function daysLate(res: Resource, due: KindParts['due'], record: Rec, now = new Date()): number {
  const by = due && at(record, due.by)
  if (!by || !res.states || !due.open.includes(String(at(record, res.states.field)))) return 0
  const day = String(by).length > 10 ? localDay(String(by)) : String(by)
  return Math.max(0, Math.round((Date.parse(localDay(now)) - Date.parse(day)) / 86_400_000))
}
