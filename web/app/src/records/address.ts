// What a list shows stands in its address, so that it can be kept, shared and gone back to.

import type { Filter, Search } from '../api/call'
import { type Leaf, leaf, leaves, type Resource } from '../schema/schema'

export type Column = { path: string; width?: number }

// layouts are the ways to show a list, as views call them.
export const layouts = ['table', 'board', 'calendar'] as const
export type Layout = (typeof layouts)[number]
export const layoutOf = (text?: string | null): Layout | undefined => layouts.find((l) => l === text)

// Where no layout is said, a view says it, or what somebody chose last, or the kind of records. The group has what belongs together: the
// sections of a table, the columns of a board, the days of a calendar, which is open at a month.
export type ListState = {
  q: string
  filters: Filter[]
  sort?: { by: string; down: boolean }
  columns?: Column[]
  view?: string
  layout?: Layout
  group?: string
  month?: string
}

// A filter is written field~operator~value~value; what would be taken for the sign is written behind a backslash.
const guard = (part: string) => part.replaceAll('\\', '\\\\').replaceAll('~', '\\~')

export function writeFilter(f: Filter): string {
  const operands = f.values ?? (f.value === undefined ? [] : [f.value])
  return [f.field, f.operator, ...operands.map((o) => guard(String(o)))].join('~')
}

export function splitParts(text: string): string[] {
  const parts = ['']
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '\\' && i + 1 < text.length) parts[parts.length - 1] += text[++i]
    else if (text[i] === '~') parts.push('')
    else parts[parts.length - 1] += text[i]
  }
  return parts
}

export const severalOperands = (operator: string) => ['in', 'nin', 'between'].includes(operator)
export const noOperand = (operator: string) => ['is_set', 'is_not_set'].includes(operator)

// operand gives a text of the address the type that the field has.
export function operand(l: Leaf | undefined, text: string): unknown {
  if (!l) return text
  if (l.kind === 'boolean') return text === 'true'
  if (['integer', 'number', 'percent'].includes(l.kind)) return Number(text)
  return text
}

export function readFilter(res: Resource, text: string): Filter | null {
  const [field, operator, ...operands] = splitParts(text)
  const l = findLeaf(res, field)
  if (!operator || !l?.operators.includes(operator)) return null
  if (noOperand(operator)) return { field, operator }
  if (operands.length === 0) return null
  const typed = operands.map((o) => operand(l, o))
  if (typed.some((v) => typeof v === 'number' && Number.isNaN(v))) return null
  return severalOperands(operator) ? { field, operator, values: typed } : { field, operator, value: typed[0] }
}

// findLeaf finds what a filter names; a path through a reference is compared as a text.
export function findLeaf(res: Resource, path: string): Leaf | undefined {
  const own = leaf(res, path)
  if (own) return own
  const via = leaves(res).find((l) => l.followed_as && path.startsWith(l.followed_as + '.'))
  if (!via) return undefined
  const rest = path.slice(via.followed_as!.length + 1)
  return {
    ...via,
    kind: 'text',
    path,
    label: `${via.label}: ${rest.replaceAll('_', ' ')}`,
    operators: ['eq', 'neq', 'contains', 'starts_with', 'is_set', 'is_not_set'],
    sortable: true,
    read_only: true,
    target: undefined,
    followed_as: undefined,
  }
}

export function readList(res: Resource, query: URLSearchParams): ListState {
  const sort = query.get('sort')
  const by = sort?.replace(/^-/, '')
  const cols = query.get('cols')
  return {
    q: query.get('q') ?? '',
    filters: query
      .getAll('f')
      .map((f) => readFilter(res, f))
      .filter((f) => f !== null),
    sort: by && findLeaf(res, by)?.sortable ? { by, down: sort!.startsWith('-') } : undefined,
    columns: cols
      ? cols.split(',').flatMap((c): Column[] => {
          const [path, width] = c.split(':')
          return findLeaf(res, path) ? [{ path, width: Number(width) || undefined }] : []
        })
      : undefined,
    view: query.get('view') ?? undefined,
    layout: layoutOf(query.get('layout')),
    group: leaf(res, query.get('group') ?? '') ? query.get('group')! : undefined,
    month: /^\d{4}-(0[1-9]|1[0-2])$/.test(query.get('month') ?? '') ? query.get('month')! : undefined,
  }
}

// isPlain tells whether nothing is said of which records a list shows, and how.
export const isPlain = (state: ListState) => !state.q && !state.filters.length && !state.sort && !state.columns && !state.group

export function writeList(state: ListState): string {
  const query = new URLSearchParams()
  if (state.view) query.set('view', state.view)
  if (state.layout && (state.layout !== 'table' || isPlain(state))) query.set('layout', state.layout)
  if (state.group) query.set('group', state.group)
  if (state.month) query.set('month', state.month)
  if (state.q) query.set('q', state.q)
  for (const f of state.filters) query.append('f', writeFilter(f))
  if (state.sort) query.set('sort', (state.sort.down ? '-' : '') + state.sort.by)
  if (state.columns) query.set('cols', state.columns.map((c) => (c.width ? `${c.path}:${Math.round(c.width)}` : c.path)).join(','))
  const text = query.toString()
  return text ? '?' + text : ''
}

export function searchOf(state: ListState): Search {
  return {
    ...(state.q.trim() ? { search_text: state.q.trim() } : {}),
    ...(state.filters.length ? { filters: state.filters } : {}),
    ...(state.sort ? { order_by: state.sort.by, sort_direction: state.sort.down ? 'desc' : 'asc' } : {}),
  }
}

// Selected says which records an operation on many is about: all that a search finds.
export type Selected = { filters: Filter[]; search_text?: string }

// mostNamed is how many records one search may name by their ids.
const mostNamed = 500

// selectionOf are the searches that together find what is selected.
export function selectionOf(state: ListState, ids: string[], whole: boolean): Selected[] {
  if (whole) return [{ filters: state.filters, ...(state.q.trim() ? { search_text: state.q.trim() } : {}) }]
  const parts: Selected[] = []
  for (let i = 0; i < ids.length; i += mostNamed)
    parts.push({ filters: [{ field: 'id', operator: 'in', values: ids.slice(i, i + mostNamed) }] })
  return parts
}
