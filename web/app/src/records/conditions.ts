// Conditions that are put together: all of them hold.

import type { Filter } from '../api/call'
import type { Resource } from '../schema/schema'
import { findLeaf } from './address'

// joined adds conditions to others. Several values of one field are any of them, because no record has two.
export function joined(res: Resource, filters: Filter[], more: Filter[]): Filter[] {
  const all = [...filters]
  const one = (f: Filter) => f.operator === 'eq' || f.operator === 'in'
  const valuesOf = (f: Filter) => f.values ?? [f.value]
  for (const f of more) {
    const l = findLeaf(res, f.field)
    const able = l && l.kind !== 'boolean' && l.operators.includes('in') && one(f)
    const same = able ? all.findIndex((x) => x.field === f.field && one(x)) : -1
    if (same < 0) all.push(shortest(f))
    else all[same] = shortest({ field: f.field, operator: 'in', values: [...new Set([...valuesOf(all[same]), ...valuesOf(f)])] })
  }
  return all
}

// shortest says it plainly where any of several may be meant, and there is but one.
export const shortest = (f: Filter): Filter =>
  f.values?.length === 1 && (f.operator === 'in' || f.operator === 'nin')
    ? { field: f.field, operator: f.operator === 'in' ? 'eq' : 'neq', value: f.values[0] }
    : f
