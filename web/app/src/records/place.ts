// Where one is in a list: kept while a record of it is open, so that one comes back to the same place, and goes on from record to record.

import type { Resource } from '../schema/schema'

// Kept is the list that was seen last, and which of its rows is open.
// Its rows are those that one or more questions find, of which total are all.
export type Kept = { resource: string; back: string; questions: string[]; total?: number; question?: string; row?: number; id?: string }

const place = 'kith.list'

export function keptList(res: Resource): Kept | null {
  const kept = JSON.parse(sessionStorage.getItem(place) ?? 'null') as Kept | null
  return kept?.resource === res.name && kept.questions ? kept : null
}

export const keepList = (kept: Kept) => sessionStorage.setItem(place, JSON.stringify(kept))

// Stand is what a list looked like when it was left.
export type Stand = { top: number; row: number; col: number; id?: string; ticked: Set<string>; whole: boolean; folded: Set<string> }

const stands = new Map<string, Stand>()

export const standAt = (address: string) => stands.get(address)
export const keepStand = (address: string, stand: Stand) => void stands.set(address, stand)
