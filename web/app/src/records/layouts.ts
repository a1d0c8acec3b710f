// The ways to show a list: as a table, as a board by the values of a field, as a calendar by a day. Which of them a resource has follows
// from its fields.

import { editable, type Leaf, leaves, type Resource } from '../schema/schema'
import type { Layout } from './address'
import { isDay } from './groups'
import type { KindParts } from './kinds'

// ranked are the resources whose records stand in an order and have a colour, as the steps on a way do.
const ranked = (target: string | undefined, resources: Resource[]) =>
  resources.some(
    (r) => r.name === target && r.permissions.read !== 'none' && ['position', 'colour'].every((f) => r.fields.some((x) => x.name === f)),
  )

// boardable are the fields whose values can be the columns of a board, the usual one first.
export function boardable(res: Resource, kind: KindParts | undefined, resources: Resource[]): Leaf[] {
  if (res.feature || res.personal || !res.operations.includes('aggregate')) return []
  const usual = kind?.board?.by
  const able = leaves(res).filter(
    (l) =>
      l.path === usual ||
      (l.operators.includes('eq') &&
        ((l.kind === 'select' && (editable(res, l) || (!usual && res.states?.field === l.path))) ||
          (l.kind === 'reference' && editable(res, l) && ranked(l.target, resources)))),
  )
  return [...able.filter((l) => l.path === usual), ...able.filter((l) => l.path !== usual)]
}

// dated are the fields by whose day records can stand in a calendar: the one by which they are to be done with first, then what people
// decide. Where they decide on none, there is no calendar.
export function dated(res: Resource, kind: KindParts | undefined): Leaf[] {
  if (res.feature || res.personal) return []
  const all = leaves(res).filter((l) => isDay(l) && ['gte', 'lt'].every((o) => l.operators.includes(o)))
  const set = all.filter((l) => editable(res, l))
  const first = set.filter((l) => l.path === kind?.due?.by)
  return set.length === 0 ? [] : [...new Set([...first, ...set, ...all.filter((l) => l.path !== 'updated_at')])]
}

// What somebody chose last stands there again where neither the address nor a view says another.
const key = 'kith.layouts'
const layouts = (): Record<string, Layout> => JSON.parse(localStorage.getItem(key) ?? '{}')
export const keptLayout = (res: Resource): Layout | undefined => layouts()[res.name]
export const keepLayout = (res: Resource, layout: Layout) => localStorage.setItem(key, JSON.stringify({ ...layouts(), [res.name]: layout }))
