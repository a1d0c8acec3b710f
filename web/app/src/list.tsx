// A list of any resource: its head with search, filters, columns and views, and the grid below.

import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useCallback, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react'
import { Dialog as AriaDialog, DialogTrigger, Popover } from 'react-aria-components'
import { call, type Filter, type Page } from './api'
import { findLeaf, readList, searchOf, writeList, type Column, type ListState } from './address'
import { useEditing } from './edit'
import { Labelled } from './fields'
import { AddFilter, Filters } from './filters'
import { CreateDialog } from './form'
import { Grid, type GridColumn } from './grid'
import { columnsOf, editable, labelOf, leaf, leaves, plural, projection, sentence, type Leaf, type Resource } from './model'
import { go, root, useAddress } from './route'
import { Button, Dialog, Empty, Icon, useNotice } from './ui'
import { isBoard, useViews, ViewBar } from './views'
import { useWorld } from './world'
import { said, t } from './words'

const Board = lazy(() => import('./board'))

export const pluralLabel = (res: Resource) => said(`plural.${res.name}`, sentence(plural(res)))

// newLabel names what makes a new record; only some languages write such a word with a capital letter.
export const newLabel = (res: Resource) => t('newOne', { label: said(`one.${res.name}`, res.label.toLowerCase()) })

function widthOf(l: Leaf, first: boolean): number {
  if (first) return 260
  if (['integer', 'number', 'percent', 'boolean'].includes(l.kind)) return 120
  if (['money', 'decimal', 'date', 'datetime', 'select'].includes(l.kind)) return 148
  return 200
}

export function useListState(res: Resource): [ListState, (change: Partial<ListState>, replace?: boolean) => void] {
  const address = useAddress()
  const state = useMemo(() => readList(res, address.searchParams), [res, address.search])
  const change = useCallback((next: Partial<ListState>, replace = false) => go(`${root}/${plural(res)}${writeList({ ...state, ...next })}`, { replace }), [res, state])
  return [state, change]
}

export function ListScreen({ res }: { res: Resource }) {
  const { schema } = useWorld()
  const [state, change] = useListState(res)
  const views = useViews(res)
  const client = useQueryClient()
  const notice = useNotice()
  const { explain } = useEditing()
  const [creating, setCreating] = useState(false)
  const [selected, setSelected] = useState<Set<string>>(new Set())
  const label = pluralLabel(res)

  // What the address says wins over the view that it names.
  const view = views.find((v) => v.id === state.view)
  const effective: ListState = view && !state.q && !state.filters.length && !state.sort && !state.columns ? { ...state, ...view.state, layout: state.layout === 'board' ? 'board' : view.state.layout, view: view.id } : state
  const board = effective.layout === 'board' && isBoard(res)

  const columns: GridColumn[] = useMemo(() => {
    const chosen: Column[] = effective.columns?.length ? effective.columns : columnsOf(res).map((l) => ({ path: l.path }))
    const name = res.named_by[0]
    const ordered = chosen.some((c) => c.path === name) ? [...chosen.filter((c) => c.path === name), ...chosen.filter((c) => c.path !== name)] : [{ path: name }, ...chosen]
    return ordered.flatMap((c, i) => {
      const via = leaves(res).find((l) => l.followed_as && c.path.startsWith(l.followed_as + '.'))
      const l = leaf(res, c.path) ?? via
      return l ? [{ leaf: l, width: c.width ?? widthOf(l, i === 0) }] : []
    }).filter((c, i, all) => all.findIndex((x) => x.leaf.path === c.leaf.path) === i)
  }, [res, effective.columns])

  const search = { ...searchOf(effective), fields: projection(res, columns.map((c) => c.leaf), schema.resources) }
  const deferred = useDeferredValue(JSON.stringify(search))
  const list = useInfiniteQuery({
    queryKey: ['list', res.name, deferred],
    enabled: !board,
    initialPageParam: '',
    queryFn: ({ pageParam }) => call<Page>('POST', res.path + '/search', { ...JSON.parse(deferred), limit: 100, ...(pageParam ? { cursor: pageParam } : { total: true }) }),
    getNextPageParam: (page) => page.meta.cursor.next ?? undefined,
    placeholderData: (kept, query) => (query?.queryKey[1] === res.name ? kept : undefined),
  })
  const rows = useMemo(() => list.data?.pages.flatMap((p) => p.data) ?? [], [list.data])
  const total = list.data?.pages[0]?.meta.total
  useEffect(() => setSelected(new Set()), [res.name, deferred])
  useEffect(() => {
    sessionStorage.setItem('kith.list', JSON.stringify({ resource: res.name, back: location.pathname + location.search, ids: rows.map((r) => r.id).slice(0, 5000) }))
  }, [rows, res.name])

  const { fetchNextPage, isFetchingNextPage } = list
  const loadMore = useCallback(() => {
    if (!isFetchingNextPage) void fetchNextPage()
  }, [fetchNextPage, isFetchingNextPage])

  // The state that is shown becomes that of the address as soon as something of it is changed.
  const alter = (next: Partial<ListState>, replace?: boolean) => change({ ...effective, ...next }, replace)
  const onSort = (path: string) => {
    const now = effective.sort
    alter({ sort: now?.by !== path ? { by: path, down: false } : now.down ? undefined : { by: path, down: true } })
  }
  const onColumns = (next: Column[], replace?: boolean) => alter({ columns: next }, replace)

  const remove = async () => {
    const ids = [...selected]
    const left: string[] = []
    let failed = 0
    try {
      for (let i = 0; i < ids.length; i += 100) {
        const some = ids.slice(i, i + 100)
        const answer = await call('POST', res.path + '/batch', { operations: some.map((id) => ({ op: 'delete', id })) })
        answer.data.forEach((result: { status: number }, j: number) => (result.status < 300 ? left.push(some[j]) : failed++))
      }
    } catch (error) {
      explain(error)
    }
    setSelected(new Set())
    await client.invalidateQueries({ queryKey: ['list', res.name] })
    const undo = res.operations.includes('restore')
      ? async () => {
          try {
            for (let i = 0; i < left.length; i += 100) await call('POST', res.path + '/batch', { operations: left.slice(i, i + 100).map((id) => ({ op: 'act', id, action: 'restore' })) })
          } catch (error) {
            explain(error)
          }
          void client.invalidateQueries({ queryKey: ['list', res.name] })
        }
      : undefined
    if (left.length) notice({ text: t('deleted', { count: left.length }) + (failed ? ' ' + t('notAllowedFor', { count: failed }) : ''), undo })
    else if (failed) notice({ text: t('notAllowedFor', { count: failed }), bad: true })
  }

  const canCreate = res.permissions.write !== 'none' && res.operations.includes('create')
  const filtered = effective.filters.length > 0 || effective.q.trim() !== ''
  return (
    <section className="screen" aria-labelledby="screen-title">
      <header className="screen-head">
        <div className="title-row">
          <h1 id="screen-title">{view ? view.name : label}</h1>
          {!board && total !== undefined && <span className="count" aria-label={t('recordCount', { count: total })}>{total.toLocaleString()}</span>}
          <span className="grow" />
          {canCreate && (
            <Button look="primary" icon="plus" onPress={() => setCreating(true)}>
              {newLabel(res)}
            </Button>
          )}
        </div>
        <div className="tools">
          <SearchBox value={effective.q} label={t('searchThese', { label })} onChange={(q) => alter({ q }, true)} />
          <AddFilter res={res} onAdd={(f) => alter({ filters: [...effective.filters, f] })} />
          {!board && <Columns res={res} columns={columns} onChange={onColumns} />}
          {isBoard(res) && (
            <div className="segments" role="group" aria-label={t('layout')}>
              <button type="button" aria-pressed={!board} onClick={() => alter({ layout: 'table' })}><Icon name="view" />{t('table')}</button>
              <button type="button" aria-pressed={board} onClick={() => alter({ layout: 'board' })}><Icon name="board" />{t('board')}</button>
            </div>
          )}
          <span className="grow" />
          <ViewBar res={res} views={views} view={view} state={effective} changed={!!view && effective === state} onOpen={(v) => change({ q: '', filters: [], sort: undefined, columns: undefined, layout: 'table', view: v?.id })} />
        </div>
        {effective.filters.length > 0 && <Filters res={res} filters={effective.filters} onChange={(filters: Filter[]) => alter({ filters })} />}
      </header>
      {board ? (
        <Suspense fallback={<Bones />}>
          <Board res={res} filters={effective.filters} q={effective.q} />
        </Suspense>
      ) : list.isError && !list.data ? (
        <Empty icon="close" title={t('couldNotLoad')}>
          <p>{list.error.message || t('offline')}</p>
          <Button onPress={() => void list.refetch()}>{t('tryAgain')}</Button>
        </Empty>
      ) : list.isPending ? (
        <Bones />
      ) : rows.length === 0 ? (
        filtered ? (
          <Empty icon="search" title={t('noMatch')}>
            <p>{t('noMatchMore')}</p>
            <Button onPress={() => alter({ q: '', filters: [] })}>{t('clearFilters')}</Button>
          </Empty>
        ) : (
          <Empty icon={res.name} title={t('noneYet', { label: label.toLowerCase() })}>
            <p>{said(`about.${res.name}`, t('noneYetMore'))}</p>
            {canCreate && <Button look="primary" icon="plus" onPress={() => setCreating(true)}>{newLabel(res)}</Button>}
          </Empty>
        )
      ) : (
        <Grid
          res={res}
          rows={rows}
          total={total}
          hasMore={!!list.hasNextPage}
          loadMore={loadMore}
          columns={columns}
          sort={effective.sort}
          onSort={onSort}
          onResize={(path, width) => onColumns(columns.map((c) => ({ path: c.leaf.path, width: c.leaf.path === path ? width : c.width })), true)}
          selected={selected}
          onSelect={setSelected}
          label={label}
        />
      )}
      {selected.size > 0 && <SelectionBar res={res} selected={selected} onClear={() => setSelected(new Set())} onDelete={remove} />}
      {creating && <CreateDialog res={res} onClose={() => setCreating(false)} />}
    </section>
  )
}

export function Bones() {
  return (
    <div className="bones" aria-busy="true">
      <span className="unseen" role="status">{t('loading')}</span>
      {Array.from({ length: 12 }, (_, i) => <span key={i} className={`bone w${i % 4}`} />)}
    </div>
  )
}

function SearchBox({ value, label, onChange }: { value: string; label: string; onChange: (text: string) => void }) {
  const [text, setText] = useState(value)
  const box = useRef<HTMLInputElement>(null)
  useEffect(() => setText(value), [value])
  useEffect(() => {
    if (text === value) return
    const timer = setTimeout(() => onChange(text), 180)
    return () => clearTimeout(timer)
  }, [text])
  return (
    <div className="search-box">
      <Icon name="search" />
      <input ref={box} type="search" aria-label={label} placeholder={t('search')} value={text} onChange={(e) => setText(e.target.value)} onKeyDown={(e) => e.key === 'Escape' && setText('')} />
    </div>
  )
}

function Columns({ res, columns, onChange }: { res: Resource; columns: GridColumn[]; onChange: (columns: Column[]) => void }) {
  const shown = columns.map((c) => ({ path: c.leaf.path, width: c.width }))
  const rest = leaves(res).filter((l) => !shown.some((c) => c.path === l.path))
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
          <ul>
            {columns.map((c, i) => (
              <li key={c.leaf.path}>
                <label>
                  <input type="checkbox" checked disabled={i === 0} onChange={() => onChange(shown.filter((x) => x.path !== c.leaf.path))} />
                  {labelOf(c.leaf)}
                </label>
                {i > 0 && (
                  <span className="nudge">
                    <button type="button" disabled={i < 2} aria-label={t('moveUp', { label: labelOf(c.leaf) })} onClick={() => swap(i, i - 1)}><Icon name="up" size={14} /></button>
                    <button type="button" disabled={i === columns.length - 1} aria-label={t('moveDown', { label: labelOf(c.leaf) })} onClick={() => swap(i, i + 1)}><Icon name="down" size={14} /></button>
                  </span>
                )}
              </li>
            ))}
          </ul>
          <p className="menu-label" id="more-fields">{t('moreFields')}</p>
          <ul aria-labelledby="more-fields">
            {rest.map((l) => (
              <li key={l.path}>
                <label>
                  <input type="checkbox" checked={false} onChange={() => onChange([...shown, { path: l.path, width: widthOf(l, false) }])} />
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

// What is done to many records at once goes in batches of a hundred.
function SelectionBar({ res, selected, onClear, onDelete }: { res: Resource; selected: Set<string>; onClear: () => void; onDelete: () => void }) {
  const [changing, setChanging] = useState(false)
  const canWrite = res.permissions.write !== 'none' && res.operations.includes('batch') && res.operations.includes('patch')
  const canDelete = res.permissions.delete !== 'none' && res.operations.includes('batch')
  return (
    <div className="selection" role="region" aria-label={t('selection')}>
      <span className="strong" role="status">{t('selected', { count: selected.size })}</span>
      {canWrite && <Button icon="edit" onPress={() => setChanging(true)}>{t('changeField')}</Button>}
      {canDelete && <Button look="danger" icon="bin" onPress={onDelete}>{t('delete')}</Button>}
      <Button look="quiet" icon="close" label={t('clearSelection')} onPress={onClear} />
      {changing && <BulkDialog res={res} ids={[...selected]} onClose={() => setChanging(false)} onDone={onClear} />}
    </div>
  )
}

function BulkDialog({ res, ids, onClose, onDone }: { res: Resource; ids: string[]; onClose: () => void; onDone: () => void }) {
  const able = leaves(res).filter((l) => editable(res, l) && !l.unique)
  const [path, setPath] = useState(able[0]?.path ?? '')
  const [value, setValue] = useState<any>(null)
  const [busy, setBusy] = useState(false)
  const client = useQueryClient()
  const notice = useNotice()
  const { explain } = useEditing()
  const l = findLeaf(res, path)
  const run = async () => {
    if (!l) return
    setBusy(true)
    let done = 0
    const wrong: string[] = []
    try {
      const data = path.split('.').reduceRight<any>((inner, part) => ({ [part]: inner }), value)
      for (let i = 0; i < ids.length; i += 100) {
        const answer = await call('POST', res.path + '/batch', { operations: ids.slice(i, i + 100).map((id) => ({ op: 'update', id, data })) })
        done += answer.meta.succeeded
        for (const result of answer.data) if (result.error) wrong.push(result.error.errors?.[0] ? `${labelOf(l)} ${result.error.errors[0].message}` : result.error.detail)
      }
      if (done) notice({ text: t('changedMany', { count: done, field: labelOf(l) }) })
      if (wrong.length) notice({ text: t('failedMany', { count: wrong.length, why: [...new Set(wrong)].slice(0, 2).join('; ') }), bad: true })
      onDone()
      onClose()
    } catch (error) {
      explain(error)
    }
    setBusy(false)
    void client.invalidateQueries({ queryKey: ['list', res.name] })
  }
  return (
    <Dialog title={t('changeMany', { count: ids.length })} onClose={onClose}>
      <form className="stack" onSubmit={(e) => (e.preventDefault(), void run())}>
        <label className="field">
          <span className="field-label">{t('field')}</span>
          <select className="input" value={path} onChange={(e) => (setPath(e.target.value), setValue(null))}>
            {able.map((x) => <option key={x.path} value={x.path}>{labelOf(x)}</option>)}
          </select>
        </label>
        {l && <Labelled key={path} leaf={{ ...l, label: t('newValue'), help: undefined }} value={value} onChange={(v) => setValue(v)} />}
        <footer className="dialog-foot">
          <Button onPress={onClose}>{t('cancel')}</Button>
          <Button look="primary" type="submit" isDisabled={busy}>{t('change')}</Button>
        </footer>
      </form>
    </Dialog>
  )
}

