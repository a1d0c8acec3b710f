// A list of any resource: its head with search, filters, columns and views, and the grid below.

import { useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react'
import { refresh } from '../api/cache'
import { tell } from '../api/call'
import { useApp } from '../api/context'
import { inSentence, said, t } from '../i18n/translate'
import {
  type Action,
  asked,
  columnsOf,
  type Leaf,
  leaf,
  leaves,
  newLabel,
  plural,
  pluralLabel,
  projection,
  type Resource,
} from '../schema/schema'
import { useCommands } from '../ui/commands'
import { Button, Empty, Skeleton, useNarrow, useNotice } from '../ui/components'
import { arrival, go, root } from '../ui/route'
import { type Column, searchOf, selectionOf } from './address'
import type { Doing } from './bulk'
import { useEditing, whatWentWrong } from './edit'
import { CreateDialog } from './form'
import type { GridColumn } from './grid/cells'
import { Grid } from './grid/grid'
import { useFigures, useGroups } from './groups'
import { useBulk, useUndo } from './jobs'
import { ListHead, widthSet } from './list-head'
import { sortedNext, useList } from './list-state'
import type { Given } from './making'
import { keepList, keepStand, keptList, type Stand, standAt } from './place'
import { useRows } from './rows'
import { SelectionBar } from './selection'

const Board = lazy(() => import('./board'))
const Calendar = lazy(() => import('./calendar'))
const BulkDialog = lazy(() => import('./bulk'))
const ExportDialog = lazy(() => import('./export'))
const MergeDialog = lazy(() => import('./merge'))

// What people are called is shorter than what is sold to them.
function widthOf(l: Leaf, first: boolean, short: boolean): number {
  if (first) return short ? 260 : 330
  if (['integer', 'number', 'percent', 'boolean'].includes(l.kind)) return 120
  if (['money', 'decimal', 'date', 'datetime', 'select'].includes(l.kind)) return 148
  return 200
}

// whereOf is what of a question says which records it finds, and in which order, beside what it tells of them.
const whereOf = (question: string) => JSON.stringify({ ...JSON.parse(question), fields: undefined })

// standOf is where somebody was in the list that is opened, if they come back to it. On the pages of its records they may have gone on.
function standOf(res: Resource): Stand | undefined {
  const { from, back } = arrival()
  const address = location.pathname + location.search
  const stand = standAt(address)
  if (!stand || !(back || from.startsWith(`${root}/${plural(res)}/`))) return undefined
  const kept = keptList(res)
  return kept?.back === address && kept.id ? { ...stand, id: kept.id, row: kept.questions.length === 1 ? kept.row! : stand.row } : stand
}

export function ListScreen({ res }: { res: Resource }) {
  const narrow = useNarrow()
  const { schema, me } = useApp()
  const { list, change, alter } = useList(res)
  const { kind, layout, effective, bare, by, date } = list
  const client = useQueryClient()
  const notice = useNotice()
  const { explain } = useEditing()
  const [creating, setCreating] = useState<Given | null>(null)
  // Who comes back from a record, or by the browser's own button, finds the list as it was left.
  const [stand] = useState(() => standOf(res))
  const [ticked, setTicked] = useState<Set<string>>(stand?.ticked ?? new Set())
  const [whole, setWhole] = useState(stand?.whole ?? false)
  const [folded, setFolded] = useState<Set<string>>(stand?.folded ?? new Set())
  const [doing, setDoing] = useState<Doing | 'export' | 'export all' | 'merge' | null>(null)
  const undo = useUndo()
  const bulk = useBulk(res)
  const label = pluralLabel(res)

  const table = layout === 'table'
  const Special = by?.path === kind?.board?.by ? kind?.board?.View : undefined

  const columns: GridColumn[] = useMemo(() => {
    const chosen: Column[] = effective.columns?.length ? effective.columns : columnsOf(res).map((l) => ({ path: l.path }))
    const name = res.named_by[0]
    const ordered = chosen.some((c) => c.path === name)
      ? [...chosen.filter((c) => c.path === name), ...chosen.filter((c) => c.path !== name)]
      : [{ path: name }, ...chosen]
    return ordered
      .flatMap((c, i) => {
        const via = leaves(res).find((l) => l.followed_as && c.path.startsWith(l.followed_as + '.'))
        const l = leaf(res, c.path) ?? via
        return l ? [{ leaf: l, width: c.width ?? widthOf(l, i === 0, !!kind?.avatar), set: !!c.width }] : []
      })
      .filter((c, i, all) => all.findIndex((x) => x.leaf.path === c.leaf.path) === i)
  }, [res, effective.columns, kind?.avatar])

  const search = {
    ...searchOf(effective),
    fields: projection(
      res,
      columns.map((c) => c.leaf),
      schema.resources,
    ),
  }
  const deferred = useDeferredValue(JSON.stringify(search))
  const narrowed = selectionOf(effective, [], true)[0]
  const shownLeaves = columns.map((c) => c.leaf)
  const groups = useGroups(res, narrowed, table ? effective.group : undefined, shownLeaves)
  const sections = groups?.map((g) => ({
    question: JSON.stringify({ ...search, filters: [...(search.filters ?? []), ...g.filters] }),
    length: g.count,
    folded: folded.has(g.key),
  }))
  const rows = useRows(res, deferred, whereOf(deferred) + (effective.group ?? ''), {
    enabled: table,
    start: stand?.row,
    sections: groups === null ? null : sections,
  })
  // A search does not say how many records it finds where they are very many that have to be counted. What the list comes to says it, too.
  const figures = useFigures(res, narrowed, shownLeaves, table && !rows.isPending)
  const total = rows.total ?? figures?.count
  // All that the search finds can be selected, of which only some is loaded.
  const selected = whole ? new Set(rows.loaded().map((r) => r.id)) : ticked
  const select = (ids: Set<string>, all = false) => {
    setTicked(ids)
    setWhole(all)
  }
  const where = groups === undefined ? whereOf(rows.shown[0]) : whereOf(deferred) + effective.group
  const selectedIn = useRef(where)
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was selected was selected in another list.
  useEffect(() => {
    if (selectedIn.current !== where) select(new Set())
    selectedIn.current = where
  }, [where])
  const questions = JSON.stringify(rows.shown)
  const address = location.pathname + location.search
  useEffect(() => {
    if (table) keepList({ resource: res.name, back: address, questions: JSON.parse(questions), total })
  }, [table, res.name, address, questions, total])

  const onSort = (path: string) => alter({ sort: sortedNext(res, effective.sort, path) })

  // A few are deleted at once, and brought back with one click. Many are asked about first.
  const remove = async () => {
    const ids = [...selected]
    if (whole || ids.length > 100) return setDoing('delete')
    try {
      const { answer, request } = await tell<{ meta: { succeeded: number; failed: number } }>('POST', res.path + '/batch', {
        operations: ids.map((id) => ({ op: 'delete', id })),
      })
      const { succeeded, failed } = answer.meta
      select(new Set())
      void refresh(client, res.name)
      if (succeeded)
        notice({
          text: t('deleted', { count: succeeded }) + (failed ? ' ' + t('notAllowedFor', { count: failed }) : ''),
          undo: () => undo(request),
        })
      else notice({ text: t('notAllowedFor', { count: failed }), bad: true })
    } catch (error) {
      explain(error)
    }
  }

  // An action that asks for nothing is taken on all that is selected at once.
  const actOnAll = async (action: Action) => {
    const label = said(`action.${action.name}`, action.label)
    const acting = selectionOf(effective, [...selected], whole)
    select(new Set())
    const done = (count: number) => t('actedMany', { count, action: label })
    await bulk(acting, { op: 'act', action: action.name }, (count) => t('changingMany', { count }), done)
  }

  const canCreate = res.permissions.write !== 'none' && res.operations.includes('create') && !res.power
  const canExport = me.features.includes('export') && res.operations.includes('export')
  useCommands(canCreate ? [{ act: 'new', run: () => setCreating({}) }] : [])
  const merging = doing === 'merge' ? rows.loaded().find((r) => ticked.has(r.id)) : undefined
  const filtered = effective.filters.length > 0 || effective.q.trim() !== ''
  return (
    <section className="screen" aria-labelledby="screen-title">
      <ListHead
        res={res}
        list={list}
        columns={columns}
        total={table ? total : undefined}
        exports={table && rows.length > 0 && canExport}
        creates={canCreate}
        alter={alter}
        change={change}
        onCreate={setCreating}
        onDo={setDoing}
      />
      {layout === 'board' ? (
        <Suspense fallback={<Skeleton />}>
          {Special ? (
            <Special res={res} filters={effective.filters} q={effective.q} sort={effective.sort} />
          ) : (
            <Board res={res} by={by} filters={effective.filters} q={effective.q} sort={effective.sort} />
          )}
        </Suspense>
      ) : layout === 'calendar' ? (
        <Suspense fallback={<Skeleton />}>
          <Calendar
            res={res}
            by={date}
            tinted={by}
            filters={effective.filters}
            q={effective.q}
            month={effective.month}
            onMonth={(month) => change({ month }, true)}
            onNew={canCreate ? setCreating : undefined}
          />
        </Suspense>
      ) : rows.isPending ? (
        <Skeleton />
      ) : rows.error && rows.length === 0 ? (
        <Empty icon="close" title={t('couldNotLoad')}>
          <p>{whatWentWrong(rows.error, res)}</p>
          <Button onPress={() => rows.refetch()}>{t('tryAgain')}</Button>
        </Empty>
      ) : rows.length === 0 ? (
        bare && kind?.opens?.none ? (
          <Empty icon={res.name} title={t('allDone')}>
            <p>{t(kind.opens.none)}</p>
            <Button onPress={() => alter({ filters: [] })}>{t('showAll')}</Button>
          </Empty>
        ) : filtered ? (
          <Empty icon="search" title={t('noMatch')}>
            <p>{t('noMatchMore')}</p>
            <Button onPress={() => alter({ q: '', filters: [] })}>{t('clearFilters')}</Button>
          </Empty>
        ) : (
          <Empty icon={res.name} title={t('noneYet', { label: inSentence(label) })}>
            {canCreate && <p>{said(`about.${res.name}`, t('noneYetMore'))}</p>}
            {canCreate && (
              <p className="row">
                <Button look="primary" icon="plus" onPress={() => setCreating({})}>
                  {newLabel(res)}
                </Button>
                {res.operations.includes('import') && (
                  <Button icon="import" onPress={() => go(`${root}/import?of=${res.name}`)}>
                    {t('importFile')}
                  </Button>
                )}
              </p>
            )}
          </Empty>
        )
      ) : (
        <Grid
          res={res}
          rows={rows}
          total={groups ? rows.length : total}
          count={total}
          figures={figures}
          groups={groups}
          folded={folded}
          onFold={(key) =>
            setFolded((now) => {
              const next = new Set(now)
              if (!next.delete(key)) next.add(key)
              return next
            })
          }
          columns={columns}
          sort={effective.sort}
          onSort={onSort}
          onResize={(path, width) =>
            alter({ columns: columns.map((c) => ({ path: c.leaf.path, width: c.leaf.path === path ? width : widthSet(c) })) }, true)
          }
          selected={selected}
          whole={whole}
          onSelect={(ids) => select(ids)}
          stand={stand}
          onLeave={(seen) => keepStand(address, { ...seen, ticked, whole, folded })}
          where={where}
          label={label}
        />
      )}
      {/* On a phone there is no head of the list in which all are ticked. */}
      {selected.size > 0 && table && (
        <SelectionBar
          res={res}
          count={whole ? total : selected.size}
          more={
            !whole && selected.size < (total ?? Infinity) && (narrow || rows.loaded().every((r) => selected.has(r.id)))
              ? (total ?? true)
              : undefined
          }
          canExport={canExport && (whole || selected.size <= 500)}
          onWhole={() => select(new Set(), true)}
          onClear={() => select(new Set())}
          onDo={(what) => (what === 'delete' ? void remove() : setDoing(what))}
          onAct={(action) => void actOnAll(action)}
        />
      )}
      <Suspense>
        {doing === 'export' || doing === 'export all' ? (
          <ExportDialog
            res={res}
            search={{ ...searchOf(effective), ...(doing === 'export' && !whole ? selectionOf(effective, [...selected], false)[0] : {}) }}
            columns={exported(columns, schema.resources)}
            count={doing === 'export' && !whole ? selected.size : total}
            onClose={() => setDoing(null)}
          />
        ) : doing === 'merge' ? (
          merging && (
            <MergeDialog
              res={res}
              record={merging!}
              chosen={[...ticked].find((id) => id !== merging!.id)}
              action={res.actions.find((a) => a.name === 'merge')!}
              onClose={() => {
                setDoing(null)
                select(new Set())
              }}
            />
          )
        ) : doing ? (
          <BulkDialog
            res={res}
            doing={doing}
            selected={selectionOf(effective, [...selected], whole)}
            onClose={() => setDoing(null)}
            onDone={() => select(new Set())}
          />
        ) : null}
      </Suspense>
      {creating && (
        <CreateDialog
          res={res}
          preset={creating}
          onClose={() => setCreating(null)}
          // Who begins one on a day goes on with the calendar.
          onCreated={Object.keys(creating).length > 0 ? () => {} : undefined}
        />
      )}
    </section>
  )
}

// exported are the columns of a file: what the list shows, with the name behind a reference rather than its id.
const exported = (columns: GridColumn[], resources: Resource[]) =>
  columns.map(({ leaf: l }) => (l.kind === 'reference' && l.followed_as && l.path !== 'id' ? (asked(l, resources)[1] ?? l.path) : l.path))
