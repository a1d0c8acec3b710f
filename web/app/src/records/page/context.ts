// What a new record is given by the page of another: that one, and what both belong to.

import type { Rec } from '../../api/call'
import { leaves, linked, type Resource, titleOf } from '../../schema/schema'
import type { Given } from '../making'

const owner = 'owner_id'

// viaOf is the field by which records of a resource refer to those of another.
export const viaOf = (res: Resource, of: Resource) =>
  leaves(res).find((l) => l.target === of.name && l.followed_as && !l.read_only && l.path !== owner)

export function contextOf(target: Resource, of: Resource, record: Rec, resources: Resource[]): Given {
  const preset: Given = {}
  const direct = viaOf(target, of)
  if (direct) preset[direct.path] = { value: record.id, picked: { id: record.id, name: titleOf(of, record) } }
  for (const l of leaves(of)) {
    const to = linked(l, record, resources)
    const same = leaves(target).find((x) => x.path === l.path && x.target === l.target && !x.read_only)
    if (to && same && same !== direct && l.target && l.path !== owner && resources.some((r) => r.name === l.target && !r.feature))
      preset[same.path] = { value: to.id, picked: { id: to.id, name: to.name ?? '' } }
  }
  return preset
}
