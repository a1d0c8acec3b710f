// What a report of one's own counts of all that it could, by what is chosen above the reports: a period, a person, and what a kind has
// beside.

import type { Filter } from '../api/call'
import { type Leaf, leaf, type Resource } from '../schema/schema'
import type { Scope } from './scope'

// Narrowing are the fields of a kind by which its reports follow what is chosen; when may depend on what a report counts.
export type Narrowing = { when?: (filters: Filter[]) => string; whose?: string; within?: string }

export type Asked = { filters?: Filter[]; group_by?: string[]; metrics?: string[] }

export type Narrowed = { filters: Filter[]; period?: Leaf; person?: Leaf; within?: Leaf }

const timed = (l?: Leaf) => l?.kind === 'date' || l?.kind === 'datetime'

// narrowed gives the filters to count by, and by which fields they follow what is chosen. A condition of the report itself on such a field
// stays what it is, and so does a report by days that lie ahead, of which a period that has passed says nothing.
export function narrowed(res: Resource, asked: Asked, scope: Scope, by: Narrowing = {}): Narrowed {
  const own = asked.filters ?? []
  const free = (path?: string) => (path && !own.some((f) => f.field === path) ? leaf(res, path) : undefined)
  const day = leaf(res, asked.group_by?.[0]?.split(':')[0] ?? '')
  const usual = by.when?.(own) ?? 'created_at'
  const dated = own.some((f) => timed(leaf(res, f.field)))
  const period = dated || (timed(day) && !day?.read_only && day?.path !== usual) ? undefined : timed(day) ? day : free(usual)
  const person = free(by.whose ?? 'owner_id')
  const within = free(by.within)
  return {
    filters: [
      ...own,
      ...(period ? scope.during(period.path) : []),
      ...(person ? scope.of(person.path) : []),
      ...(within && scope.within ? [{ field: within.path, operator: 'eq', value: scope.within }] : []),
    ],
    period,
    person,
    within,
  }
}
