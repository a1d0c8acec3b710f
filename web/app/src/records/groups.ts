// A list in groups: by a choice, by what a reference leads to, or by the month of a day. How many there are of each, and what they come to,
// the API adds up.

import { useQuery } from '@tanstack/react-query'
import { call, type Filter, type Rec } from '../api/call'
import { useApp } from '../api/context'
import { asked, type Leaf, leaf, leaves, patchOf, type Resource } from '../schema/schema'
import { useKnownNames } from './names'
import { isFigure } from './shown'

// Sums are what the fields of records come to, for each currency that there is.
export type Sums = { currency?: string; values: Record<string, string | number | null> }[]

export type Figures = { count: number; sums: Sums }

// A group has the records that its filters find. record has the value that they share, to be shown as that of any.
export type Group = Figures & { key: string; leaf: Leaf; record: Rec | null; filters: Filter[] }

export const isDay = (l: Leaf) => l.kind === 'date' || l.kind === 'datetime'

// groupable are the fields by which a list can be shown in groups.
export const groupable = (res: Resource) =>
  leaves(res).filter(
    (l) =>
      l.operators.includes('eq') &&
      (l.kind === 'select' || l.kind === 'boolean' || isDay(l) || (l.kind === 'reference' && l.followed_as && l.path !== 'id')),
  )

// measured is what is told of a column: amounts are added up, of other figures the average says more.
export const measured = (l: Leaf): string | undefined =>
  !isFigure(l) ? undefined : l.kind === 'money' || l.kind === 'decimal' ? `sum:${l.path}` : `avg:${l.path}`

type Row = Record<string, unknown> & { count: number; currency?: string; from?: string; to?: string }

const sumsOf = (rows: Row[], metrics: string[]): Figures => ({
  count: rows.reduce((n, r) => n + r.count, 0),
  sums: rows.map((r) => ({ currency: r.currency, values: Object.fromEntries(metrics.map((m) => [m, r[m] as string | number | null])) })),
})

// useFigures are the count and the sums of all that a search finds.
export function useFigures(
  res: Resource,
  search: { filters: Filter[]; search_text?: string },
  columns: Leaf[],
  enabled: boolean,
): Figures | undefined {
  // Sums of settings, such as of their positions, say nothing.
  const metrics = res.feature ? [] : columns.flatMap((l) => measured(l) ?? [])
  const body = JSON.stringify({ ...search, metrics: ['count', ...metrics] })
  const { data } = useQuery({
    queryKey: ['figures', res.name, 'foot', body],
    enabled: enabled && res.operations.includes('aggregate'),
    placeholderData: (before) => before,
    queryFn: async () => sumsOf((await call<{ data: Row[] }>('POST', res.path + '/aggregate', JSON.parse(body))).data, metrics),
  })
  return data
}

// mostGroups is how many an answer has at most.
const mostGroups = 1000

// useGroups are the groups of what a search finds; null while they are not known, and undefined where there are none to be.
export function useGroups(
  res: Resource,
  search: { filters: Filter[]; search_text?: string },
  path: string | undefined,
  columns: Leaf[],
): Group[] | null | undefined {
  const { schema } = useApp()
  const known = useKnownNames()
  const by = path ? leaf(res, path) : undefined
  const metrics = columns.flatMap((l) => measured(l) ?? [])
  const month = by && isDay(by) ? `${by.path}:month` : undefined
  // Who or what a reference leads to is told by its name.
  const fields = by && by.kind === 'reference' ? asked(by, schema.resources).slice(0, 2) : []
  const body = JSON.stringify({
    ...search,
    group_by: month ? [month] : fields.length ? fields : [by?.path],
    metrics: ['count', ...metrics],
    order_by: month ?? fields[1] ?? by?.path,
    sort_direction: 'asc',
    limit: mostGroups,
  })
  const { data } = useQuery({
    queryKey: ['figures', res.name, 'groups', body],
    enabled: !!by,
    queryFn: async () => (await call<{ data: Row[] }>('POST', res.path + '/aggregate', JSON.parse(body))).data,
  })
  if (!by) return undefined
  if (!data) return null
  const groups = new Map<string, Row[]>()
  for (const row of data) {
    const key = String(row[month ?? fields[0] ?? by.path] ?? '')
    groups.set(key, [...(groups.get(key) ?? []), row])
  }
  const all = [...groups].map(([key, rows]): Group => {
    const [row] = rows
    const value = row[fields[0] ?? by.path]
    const common = { key, leaf: by, ...sumsOf(rows, metrics) }
    if (key === '') return { ...common, record: null, filters: [{ field: by.path, operator: 'is_not_set' }] }
    if (month)
      return {
        ...common,
        record: { id: '', version: 0, [by.path]: `${key}-01` },
        filters: [
          { field: by.path, operator: 'gte', value: row.from },
          { field: by.path, operator: 'lt', value: row.to },
        ],
      }
    return { ...common, record: named(by, row, fields), filters: [{ field: by.path, operator: 'eq', value }] }
  })
  // Steps on a way are in their order, and not in that of their names.
  const order = [...known.keys()]
  const given = all.filter((g) => g.record)
  if (by.kind !== 'reference' || !given.every((g) => known.has(g.key))) return all
  return [...given.sort((a, b) => order.indexOf(a.key) - order.indexOf(b.key)), ...all.filter((g) => !g.record)]
}

// named is a record of which no more is known than the value that a group shares.
function named(by: Leaf, row: Row, fields: string[]): Rec {
  if (!fields.length) return { id: '', version: 0, ...patchOf(by.path, row[by.path]) }
  const name = fields[1]?.split('.').at(-1) ?? 'name'
  return { id: '', version: 0, [by.path]: row[fields[0]], [by.followed_as!]: { id: row[fields[0]], [name]: row[fields[1]] } }
}
