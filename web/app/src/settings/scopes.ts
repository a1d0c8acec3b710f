// Scopes as people choose them: all at once, by what they are for, or one by one.

import type { Resource } from '../schema/schema'

export type Bundle = 'read' | 'work' | 'all' | 'some'

const nameOf = (scope: string) => scope.slice(0, scope.lastIndexOf('.'))
const verbOf = (scope: string) => scope.slice(scope.lastIndexOf('.') + 1)

// wide is everything in as few scopes as there can be: where there is one for all that is done with a thing, that one.
const wide = (all: string[]) => all.filter((s) => verbOf(s) === 'all' || !all.includes(`${nameOf(s)}.all`))

const powerful = (resources: Resource[], scope: string) =>
  ['write', 'all'].includes(verbOf(scope)) && resources.some((r) => r.name === nameOf(scope) && r.power)

export function bundled(bundle: Exclude<Bundle, 'some'>, all: string[], resources: Resource[]): string[] {
  if (bundle === 'read') return all.filter((s) => verbOf(s) === 'read')
  if (bundle === 'all') return wide(all)
  // What decides who may do what can still be read.
  return wide(all).flatMap((s) => (powerful(resources, s) ? all.filter((x) => x === `${nameOf(s)}.read`) : [s]))
}

// parts are the single scopes that others stand for.
export const parts = (scopes: string[], all: string[]) =>
  [
    ...new Set(scopes.flatMap((s) => (verbOf(s) === 'all' ? all.filter((x) => nameOf(x) === nameOf(s) && verbOf(x) !== 'all') : [s]))),
  ].sort()

// bundleOf tells which choice some scopes are.
export function bundleOf(scopes: string[], all: string[], resources: Resource[]): Bundle {
  const mine = parts(scopes, all).join(' ')
  return (['read', 'work', 'all'] as const).find((b) => parts(bundled(b, all, resources), all).join(' ') === mine) ?? 'some'
}

export type Row = { name: string; cells: (string | null)[]; power?: string }

// rows are the single scopes as a table, what is powerful last.
export function rows(all: string[], resources: Resource[]): Row[] {
  const names = [...new Set(all.map(nameOf))]
  const table = names.map(
    (name): Row => ({
      name,
      cells: ['read', 'write', 'delete'].map((v) => (all.includes(`${name}.${v}`) ? `${name}.${v}` : null)),
      power: resources.find((r) => r.name === name)?.power,
    }),
  )
  const place = (row: Row) => resources.findIndex((r) => r.name === row.name) + (row.power ? 10_000 : 0)
  return table.sort((a, b) => place(a) - place(b))
}
