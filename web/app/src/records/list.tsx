// A list of any resource: its head with search, filters, columns and views, and the grid below.

import { useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useCallback, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react'
import { Dialog as AriaDialog, DialogTrigger, MenuSection, Popover, Separator } from 'react-aria-components'
import { refresh } from '../api/cache'
import { call, type Filter, tell } from '../api/call'
import { useApp } from '../api/context'
import { inSentence, locale, said, t } from '../i18n/translate'
import {
  type Action,
  asked,
  columnsOf,
  editable,
  type Leaf,
  labelOf,
  leaf,
  leaves,
  newLabel,
  plural,
  pluralLabel,
  projection,
  type Resource,
} from '../schema/schema'
import { useCommands } from '../ui/commands'
import { Button, Empty, Icon, Menu, MenuItem, Skeleton, useNarrow, useNotice } from '../ui/components'
import { arrival, go, root, useAddress } from '../ui/route'
import { type Column, findLeaf, isPlain, type Layout, type ListState, readList, searchOf, selectionOf, writeList } from './address'
import type { Doing } from './bulk'
import { joined } from './conditions'
import { useEditing, whatWentWrong } from './edit'
import { AddFilter, Filters } from './filters'
import { CreateDialog } from './form'
import type { GridColumn } from './grid/cells'
import { densities, setDensity, useDensity } from './grid/density'
import { Grid } from './grid/grid'
import { groupable, isDay, useFigures, useGroups } from './groups'
import { type Job, useFollow, useUndo } from './jobs'
import { useKinds } from './kinds'
import { boardable, dated, keepLayout, keptLayout } from './layouts'
import type { Given } from './making'
import { keepList, keepStand, keptList, type Stand, standAt } from './place'
import { useRows } from './rows'
import { isFigure } from './shown'
import { useViews, ViewBar } from './views'

const Board = lazy(() => import('./board'))
const Calendar = lazy(() => import('./calendar'))
const BulkDialog = lazy(() => import('./bulk'))
const ExportDialog = lazy(() => import('./export'))
const MergeDialog = lazy(() => import('./merge'))

function widthOf(l: Leaf, first: boolean): number {
  if (first) return 260
  if (['integer', 'number', 'percent', 'boolean'].includes(l.kind)) return 120
  if (['money', 'decimal', 'date', 'datetime', 'select'].includes(l.kind)) return 148
  return 200
}

const widthSet = (c: GridColumn) => (c.set ? c.width : undefined)

export function useListState(res: Resource): [ListState, (change: Partial<ListState>, replace?: boolean) => void] {
  const address = useAddress()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the address is a new object each time, and its text is not.
  const state = useMemo(() => readList(res, address.searchParams), [res, address.search])
  const change = useCallback(
    (next: Partial<ListState>, replace = false) => go(`${root}/${plural(res)}${writeList({ ...state, ...next })}`, { replace }),
    [res, state],
  )
  return [state, change]
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
  const [state, change] = useListState(res)
  const views = useViews(res)
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
  const follow = useFollow()
  const label = pluralLabel(res)

  // What the address says wins over the view that it names.
  const view = views.find((v) => v.id === state.view)
  const plain = isPlain(state)
  const kind = useKinds()[res.name]
  const boards = boardable(res, kind, schema.resources)
  // Where nothing is said at all, a list opens as it was shown last, or as is usual for its records.
  const usually = keptLayout(res) ?? kind?.opens?.layout ?? 'table'
  const bare = plain && !state.view && !state.layout
  const wanted = (plain ? (state.layout ?? view?.state.layout) : state.layout) ?? (bare ? usually : undefined)
  const dates = dated(res, kind)
  const able: Layout[] = ['table', ...(boards.length > 0 ? (['board'] as const) : []), ...(dates.length > 0 ? (['calendar'] as const) : [])]
  const layout: Layout = able.find((l) => l === wanted) ?? 'table'
  const effective: ListState =
    view && plain
      ? { ...state, ...view.state, layout, view: view.id }
      : bare
        ? { ...state, filters: (layout === 'table' && kind?.opens?.filters) || [], sort: kind?.opens?.sort }
        : state
  const table = layout === 'table'
  const by = boards.find((l) => l.path === effective.group) ?? boards[0]
  const date = dates.find((l) => l.path === effective.group) ?? dates[0]
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
        return l ? [{ leaf: l, width: c.width ?? widthOf(l, i === 0), set: !!c.width }] : []
      })
      .filter((c, i, all) => all.findIndex((x) => x.leaf.path === c.leaf.path) === i)
  }, [res, effective.columns])

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

  // The state that is shown becomes that of the address as soon as something of it is changed.
  const alter = (next: Partial<ListState>, replace?: boolean) => {
    const changed = { ...effective, layout, ...next }
    change({ ...changed, layout: isPlain(changed) && !changed.view && layout === usually && !kind?.opens ? undefined : layout }, replace)
  }
  const onSort = (path: string) => {
    const now = effective.sort
    // Of numbers and days people look for the largest and the latest, of words for the first.
    const l = findLeaf(res, path)
    const first = !!l && (isFigure(l) || l.kind === 'date' || l.kind === 'datetime')
    alter({ sort: now?.by !== path ? { by: path, down: first } : now.down === first ? { by: path, down: !first } : undefined })
  }
  const onColumns = (next: Column[], replace?: boolean) => alter({ columns: next }, replace)

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
    try {
      for (const some of selectionOf(effective, [...selected], whole)) {
        const job = await call<Job>('POST', res.path + '/bulk', { ...some, op: 'act', action: action.name })
        void follow(job, t('changingMany', { count: job.total }), (count) => t('actedMany', { count, action: label }))
      }
      select(new Set())
    } catch (error) {
      explain(error)
    }
  }

  const canCreate = res.permissions.write !== 'none' && res.operations.includes('create') && !res.power
  const canExport = me.features.includes('export') && res.operations.includes('export')
  useCommands(canCreate ? [{ act: 'new', run: () => setCreating({}) }] : [])
  const merging = doing === 'merge' ? rows.loaded().find((r) => ticked.has(r.id)) : undefined
  const filtered = effective.filters.length > 0 || effective.q.trim() !== ''
  return (
    <section className="screen" aria-labelledby="screen-title">
      <header className="screen-head">
        <div className="title-row">
          <h1 id="screen-title">{view ? view.name : label}</h1>
          {table && total !== undefined && (
            // biome-ignore lint/a11y/useAriaPropsSupportedByRole: whoever hears it is told what is counted.
            <span className="count" aria-label={t('recordCount', { count: total })}>
              {total.toLocaleString(locale())}
            </span>
          )}
          <span className="grow" />
          {canCreate && res.operations.includes('import') && (
            <Button look="quiet" icon="import" onPress={() => go(`${root}/import?of=${res.name}`)}>
              {t('importTitle')}
            </Button>
          )}
          {canCreate && (
            <Button look="primary" icon="plus" onPress={() => setCreating({})}>
              {newLabel(res)}
            </Button>
          )}
        </div>
        <div className="tools">
          <SearchBox value={effective.q} label={t('searchThese', { label })} onChange={(q) => alter({ q }, true)} />
          <AddFilter res={res} onAdd={(more) => alter({ filters: joined(res, effective.filters, more) })} />
          {able.length > 1 && (
            <div className="segments" role="group" aria-label={t('layout')}>
              {able.map((l) => (
                <button
                  key={l}
                  type="button"
                  aria-pressed={layout === l}
                  onClick={() => {
                    keepLayout(res, l)
                    // What a list opens with is no choice of anybody's.
                    change(bare ? { ...state, layout: l } : { ...effective, layout: l })
                  }}
                >
                  <Icon name={l === 'table' ? 'view' : l} />
                  {t(`layout.${l}`)}
                </button>
              ))}
            </div>
          )}
          {table && <Grouping by={effective.group} fields={groupable(res)} none={t('noGroups')} onChange={(group) => alter({ group })} />}
          {layout === 'board' && boards.length > 1 && <Grouping by={by.path} fields={boards} onChange={(group) => alter({ group })} />}
          {layout === 'calendar' && dates.length > 1 && (
            <Grouping by={date.path} fields={dates} shown="shownBy" onChange={(group) => alter({ group })} />
          )}
          {table && <Columns res={res} columns={columns} onChange={onColumns} />}
          <span className="grow" />
          {table && rows.length > 0 && canExport && (
            <Button look="quiet" icon="export" onPress={() => setDoing('export all')}>
              {t('export')}
            </Button>
          )}
          <ViewBar
            res={res}
            views={views}
            view={view}
            state={{ ...effective, layout, group: layout === 'board' ? by.path : layout === 'calendar' ? date.path : effective.group }}
            changed={!!view && (!plain || (!!state.layout && state.layout !== view.state.layout))}
            onOpen={(v) =>
              change({
                q: '',
                filters: [],
                sort: undefined,
                columns: undefined,
                group: undefined,
                layout: v ? undefined : layout,
                view: v?.id,
              })
            }
          />
        </div>
        {effective.filters.length > 0 && (
          <Filters res={res} filters={effective.filters} onChange={(filters: Filter[]) => alter({ filters })} />
        )}
      </header>
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
            onColumns(
              columns.map((c) => ({ path: c.leaf.path, width: c.leaf.path === path ? width : widthSet(c) })),
              true,
            )
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

function SearchBox({ value, label, onChange }: { value: string; label: string; onChange: (text: string) => void }) {
  const [text, setText] = useState(value)
  const box = useRef<HTMLInputElement>(null)
  useEffect(() => setText(value), [value])
  // biome-ignore lint/correctness/useExhaustiveDependencies: only who types is waited for.
  useEffect(() => {
    if (text === value) return
    const timer = setTimeout(() => onChange(text), 180)
    return () => clearTimeout(timer)
  }, [text])
  return (
    <div className="search-box">
      <Icon name="search" />
      <input
        ref={box}
        type="search"
        aria-label={label}
        placeholder={t('search')}
        value={text}
        onChange={(e) => setText(e.target.value)}
        onKeyDown={(e) => e.key === 'Escape' && setText('')}
      />
    </div>
  )
}

// Grouping says by which field the rows or cards are put together, or none.
function Grouping({
  by,
  fields,
  none,
  shown = 'groupedNow',
  onChange,
}: {
  by?: string
  fields: Leaf[]
  none?: string
  shown?: 'groupedNow' | 'shownBy'
  onChange: (path?: string) => void
}) {
  const now = fields.find((l) => l.path === by)
  if (fields.length === 0) return null
  return (
    <Menu
      label={t('groupBy')}
      trigger={<Button icon="group">{now ? t(shown, { field: labelOf(now) }) : t('groupBy')}</Button>}
      onAction={(key) => onChange(key === ' ' ? undefined : key)}
    >
      {none && (
        <MenuItem id=" " icon={now ? undefined : 'check'}>
          {none}
        </MenuItem>
      )}
      {none && <Separator />}
      <MenuSection>
        {fields.map((l) => (
          <MenuItem key={l.path} id={l.path} icon={l.path === by ? 'check' : undefined}>
            {none && isDay(l) ? t('byMonth', { field: labelOf(l) }) : labelOf(l)}
          </MenuItem>
        ))}
      </MenuSection>
    </Menu>
  )
}

function Columns({ res, columns, onChange }: { res: Resource; columns: GridColumn[]; onChange: (columns: Column[]) => void }) {
  const shown = columns.map((c) => ({ path: c.leaf.path, width: widthSet(c) }))
  const rest = leaves(res).filter((l) => !shown.some((c) => c.path === l.path))
  const density = useDensity()
  const swap = (i: number, j: number) => {
    const next = [...shown]
    ;[next[i], next[j]] = [next[j], next[i]]
    onChange(next)
  }
  return (
    <DialogTrigger>
      <Button icon="columns">{t('columns')}</Button>
      <Popover className="popover" placement="bottom start" offset={6}>
        <AriaDialog className="columns" aria-label={t('columns')}>
          <fieldset className="segments densities">
            <legend className="menu-label">{t('rowHeight')}</legend>
            {densities.map((d) => (
              <button key={d} type="button" aria-pressed={density === d} onClick={() => setDensity(d)}>
                {t(d)}
              </button>
            ))}
          </fieldset>
          <ul>
            {columns.map((c, i) => (
              <li key={c.leaf.path}>
                <label>
                  <input
                    type="checkbox"
                    checked
                    disabled={i === 0}
                    onChange={() => onChange(shown.filter((x) => x.path !== c.leaf.path))}
                  />
                  {labelOf(c.leaf)}
                </label>
                {i > 0 && (
                  <span className="nudge">
                    <button
                      type="button"
                      disabled={i < 2}
                      aria-label={t('moveUp', { label: labelOf(c.leaf) })}
                      onClick={() => swap(i, i - 1)}
                    >
                      <Icon name="up" size={14} />
                    </button>
                    <button
                      type="button"
                      disabled={i === columns.length - 1}
                      aria-label={t('moveDown', { label: labelOf(c.leaf) })}
                      onClick={() => swap(i, i + 1)}
                    >
                      <Icon name="down" size={14} />
                    </button>
                  </span>
                )}
              </li>
            ))}
          </ul>
          <p className="menu-label" id="more-fields">
            {t('moreFields')}
          </p>
          <ul aria-labelledby="more-fields">
            {rest.map((l) => (
              <li key={l.path}>
                <label>
                  <input type="checkbox" checked={false} onChange={() => onChange([...shown, { path: l.path }])} />
                  {labelOf(l)}
                </label>
              </li>
            ))}
          </ul>
        </AriaDialog>
      </Popover>
    </DialogTrigger>
  )
}

// exported are the columns of a file: what the list shows, with the name behind a reference rather than its id.
const exported = (columns: GridColumn[], resources: Resource[]) =>
  columns.map(({ leaf: l }) => (l.kind === 'reference' && l.followed_as && l.path !== 'id' ? (asked(l, resources)[1] ?? l.path) : l.path))

function SelectionBar({
  res,
  count,
  more,
  canExport,
  onWhole,
  onClear,
  onDo,
  onAct,
}: {
  res: Resource
  count?: number
  more?: number | true
  canExport: boolean
  onWhole: () => void
  onClear: () => void
  onDo: (what: Doing | 'export' | 'merge') => void
  onAct: (action: Action) => void
}) {
  const many = res.operations.includes('bulk')
  const canWrite = res.permissions.write !== 'none' && many
  const canDelete = res.permissions.delete !== 'none' && res.operations.includes('batch')
  const owned = ['assignee_id', 'owner_id'].some((p) => leaf(res, p) && editable(res, leaf(res, p)!))
  const grave = useKinds()[res.name]?.grave ?? []
  const about = count === undefined ? t('allSelected') : t('selected', { count })
  const command = (able: boolean | undefined, text: string, icon: string, what: Doing | 'export' | 'merge') =>
    able ? [{ text, icon, about, run: () => onDo(what) }] : []
  useCommands([
    ...(canWrite ? res.actions : [])
      .filter((a) => !a.body.some((b) => b.required || b.kind === 'group') && !['merge', 'unmerge', ...grave].includes(a.name))
      .map((a) => ({ text: said(`action.${a.name}`, a.label), icon: res.name, about, run: () => onAct(a) })),
    ...command(canWrite && owned, t('assign'), 'user', 'assign'),
    ...command(canWrite, t('changeField'), 'edit', 'field'),
    ...command(canWrite && !!leaf(res, 'tags'), t('tagMany'), 'tag', 'tag'),
    ...command(canDelete && count === 2 && res.actions.some((a) => a.name === 'merge'), said('action.merge', 'Merge'), 'link', 'merge'),
    ...command(canExport, t('export'), 'export', 'export'),
    ...command(canDelete, t('delete'), 'bin', 'delete'),
  ])
  return (
    <div className="selection" role="region" aria-label={t('selection')}>
      <span className="strong" role="status">
        {about}
      </span>
      {more !== undefined && many && (
        <Button look="quiet" className="whole" onPress={onWhole}>
          {more === true ? t('selectWhole') : t('selectWholeOf', { count: more })}
        </Button>
      )}
      {canWrite && (
        <Button icon="edit" onPress={() => onDo('field')}>
          {t('changeField')}
        </Button>
      )}
      {canWrite && leaf(res, 'tags') && (
        <Button icon="tag" onPress={() => onDo('tag')}>
          {t('tagMany')}
        </Button>
      )}
      {canWrite && owned && (
        <Button icon="user" onPress={() => onDo('assign')}>
          {t('assign')}
        </Button>
      )}
      {canExport && (
        <Button icon="export" onPress={() => onDo('export')}>
          {t('export')}
        </Button>
      )}
      {canDelete && (
        <Button look="danger" icon="bin" onPress={() => onDo('delete')}>
          {t('delete')}
        </Button>
      )}
      <Button look="quiet" icon="close" label={t('clearSelection')} onPress={onClear} />
    </div>
  )
}
