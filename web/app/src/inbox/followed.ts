// Whether one follows a record: the search for that, and where the app keeps what it found.

import type { Beside } from '../records/beside'
import type { Resource, Schema } from '../schema/schema'

export const keyOf = (id: string) => ['figures', 'follow', id]
export const searchOf = (id: string) => ({ filters: [{ field: 'about_id', operator: 'eq', value: id }], fields: ['id'], limit: 1 })

// followed is the search for whether one follows a record.
export function followed(schema: Schema, _: Resource, id: string): Beside[] {
  const res = schema.resources.find((r) => r.name === 'follow' && r.permissions.read !== 'none')
  return res ? [{ res, key: keyOf(id), search: searchOf(id), kept: (found) => found.data[0] ?? null }] : []
}
