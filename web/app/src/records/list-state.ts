// Which list is shown, and how: what the address says, or the view that it names, or what is usual for its records.

import { useCallback, useMemo } from 'react'
import { useApp } from '../api/context'
import { plural, type Resource } from '../schema/schema'
import { go, root, useAddress } from '../ui/route'
import { findLeaf, isPlain, type Layout, type ListState, readList, writeList } from './address'
import { useKinds } from './kinds'
import { boardable, dated, keptLayout } from './layouts'
import { isFigure } from './shown'
import { useViews } from './views'

export type List = ReturnType<typeof useList>['list']
export type Change = (next: Partial<ListState>, replace?: boolean) => void

// sortedNext is how a list is sorted when a field is chosen: by it, then the other way round, then not any more. Of numbers and days people
// look for the largest and the latest, of words for the first.
export function sortedNext(res: Resource, now: ListState['sort'], path: string): ListState['sort'] {
  const l = findLeaf(res, path)
  const first = !!l && (isFigure(l) || l.kind === 'date' || l.kind === 'datetime')
  return now?.by !== path ? { by: path, down: first } : now.down === first ? { by: path, down: !first } : undefined
}

// useList tells it, and has what changes it: change puts it as the address says it, and alter as it is shown. They stay the same while the
// list does.
export function useList(res: Resource) {
  const { schema } = useApp()
  const kind = useKinds()[res.name]
  const views = useViews(res)
  const address = useAddress()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the address is a new object each time, and its text is not.
  const state = useMemo(() => readList(res, address.searchParams), [res, address.search])
  // Where nothing is said at all, a list opens as it was shown last, or as is usual for its records.
  const usually = keptLayout(res) ?? kind?.opens?.layout ?? 'table'
  const list = useMemo(() => {
    // What the address says wins over the view that it names.
    const view = views.find((v) => v.id === state.view)
    const plain = isPlain(state)
    const boards = boardable(res, kind, schema.resources)
    const dates = dated(res, kind)
    const bare = plain && !state.view && !state.layout
    const wanted = (plain ? (state.layout ?? view?.state.layout) : state.layout) ?? (bare ? usually : undefined)
    const able: Layout[] = [
      'table',
      ...(boards.length > 0 ? (['board'] as const) : []),
      ...(dates.length > 0 ? (['calendar'] as const) : []),
    ]
    const layout: Layout = able.find((l) => l === wanted) ?? 'table'
    const effective: ListState =
      view && plain
        ? { ...state, ...view.state, layout, view: view.id }
        : bare
          ? { ...state, filters: (layout === 'table' && kind?.opens?.filters) || [], sort: kind?.opens?.sort }
          : state
    const by = boards.find((l) => l.path === effective.group) ?? boards[0]
    const date = dates.find((l) => l.path === effective.group) ?? dates[0]
    const changed = !!view && (!plain || (!!state.layout && state.layout !== view.state.layout))
    return { kind, views, view, state, bare, able, layout, effective, boards, by, dates, date, changed }
  }, [res, kind, schema, views, state, usually])
  const change = useCallback<Change>(
    (next, replace = false) => go(`${root}/${plural(res)}${writeList({ ...state, ...next })}`, { replace }),
    [res, state],
  )
  // The state that is shown becomes that of the address as soon as something of it is changed.
  const alter = useCallback<Change>(
    (next, replace) => {
      const { layout, effective } = list
      const changed = { ...effective, layout, ...next }
      change({ ...changed, layout: isPlain(changed) && !changed.view && layout === usually && !kind?.opens ? undefined : layout }, replace)
    },
    [list, change, usually, kind],
  )
  return { list, change, alter }
}
