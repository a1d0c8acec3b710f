// A list of any resource as a board: its records in columns, moved by mouse, finger, keys or a menu.

import { type KeyboardCoordinateGetter, useDroppable } from '@dnd-kit/core'
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import { type ComponentType, memo, type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { readAll, refresh, useMore } from '../api/cache'
import { call, type Filter, type Page, type Rec, tell } from '../api/call'
import { useApp } from '../api/context'
import { formatMoney, shortDate, shortMoney } from '../i18n/format'
import { t } from '../i18n/translate'
import {
  asked,
  at,
  columnsOf,
  type Leaf,
  labelOf,
  leaf,
  leaves,
  linked,
  projection,
  type Resource,
  reaches,
  titleOf,
} from '../schema/schema'
import { colourOf } from '../ui/colours'
import { Avatar, Button, Chip, Icon, Menu, MenuItem, Skeleton, useNotice } from '../ui/components'
import { go, Link } from '../ui/route'
import type { ListState } from './address'
import { Carrying, useCarried } from './carrying'
import { useEditing } from './edit'
import { useUndo } from './jobs'
import { useKinds } from './kinds'
import { daysLate, localDay } from './late'
import { pathTo, Shown } from './shown'

// BoardColumn has the records whose field has its value, or none. kind tells its style, and sort the order of its cards.
export type BoardColumn = {
  id: string
  value: string | null
  name: string
  colour?: string | null
  kind?: string
  sort?: ListState['sort']
}

// Row is what the API adds up for a column, for each currency that there is.
export type Row = Record<string, unknown> & { count: number; currency?: string }

export type CardExtra = { id: string; text: string; run: () => void }

// BoardParts are what a kind says of its cards beside what the schema tells: which fields it asks for and adds up, what stands on a card
// between its name and its foot, what stands under the name of a column, and what else can be done with a card.
export type BoardParts = {
  asks?: string[]
  metrics?: string[]
  Body?: ComponentType<{ record: Rec; column: BoardColumn }>
  Sums?: ComponentType<{ rows: Row[]; column: BoardColumn }>
  extras?: (record: Rec, column: BoardColumn) => CardExtra[]
}

export type BoardProps = { res: Resource; filters: Filter[]; q: string; sort?: ListState['sort'] }

const unset = 'unset'

// mostColumns is how many steps a board has at most.
const mostColumns = 100

// useColumns are the columns by a field: the options of a choice in their order, or the records that a reference leads to in theirs.
function useColumns(by: Leaf): BoardColumn[] | undefined {
  const { schema } = useApp()
  const target = schema.resources.find((r) => r.name === by.target)
  const { data } = useQuery({
    queryKey: ['figures', by.target, 'columns'],
    enabled: by.kind === 'reference' && !!target,
    queryFn: async () =>
      (await readAll(target!.path, { fields: ['id', 'colour', ...target!.named_by], order_by: 'position', sort_direction: 'asc' })).map(
        (r): BoardColumn => ({ id: r.id, value: r.id, name: titleOf(target!, r), colour: r.colour as string | null }),
      ),
  })
  const given =
    by.kind === 'reference'
      ? data
      : by.options?.map(
          (o): BoardColumn => ({ id: o.value, value: o.value, name: o.label, colour: o.colour, kind: o.archived ? 'archived' : undefined }),
        )
  return given && [...given.slice(0, mostColumns), ...(by.nullable ? [{ id: unset, value: null, name: t('unset'), kind: 'archived' }] : [])]
}

// A Board by a field: who moves a card writes its field, or does what brings its state there.
export default function Board({ res, by, filters, q, sort }: BoardProps & { by: Leaf }) {
  const { schema } = useApp()
  const kind = useKinds()[res.name]
  const { save } = useEditing()
  const notice = useNotice()
  const undo = useUndo()
  const columns = useColumns(by)
  const moving = useMoves(res)
  const states = res.states?.field === by.path ? res.states.moves : undefined
  // wayTo is how a record comes into another column: its field is written, or an action is taken that asks for nothing and can be undone.
  const wayTo = (record: Rec, to: BoardColumn): string | undefined => {
    if (to.kind === 'archived' && to.id !== unset) return undefined
    if (!states) return 'patch'
    const move = states.find((m) => m.to === to.value && m.from.includes(String(at(record, by.path))))
    if (!move || move.by_patch) return move && 'patch'
    const action = res.actions.find((a) => a.name === move.name && !a.body.some((f) => f.required))
    return action && !kind?.final?.includes(action.name) && !kind?.dialogs?.[action.name] ? action.name : undefined
  }
  const move = (record: Rec, to: BoardColumn) =>
    moving.carry(record, to.id, async () => {
      const way = wayTo(record, to)
      const name = titleOf(res, record)
      if (way === 'patch') {
        const picked = by.kind === 'reference' && to.value ? { id: to.value, name: to.name } : null
        await save({ res, record, leaf: by, value: to.value, picked }, { saying: t('movedTo', { name, column: to.name }) })
      } else if (way) {
        const { request } = await tell('POST', `${res.path}/${record.id}/${way}`, {}, { match: record.version })
        notice({ text: t('movedTo', { name, column: to.name }), undo: () => undo(request) })
      }
    })
  if (!columns) return <Skeleton />
  return (
    <div className="board-frame">
      <Columns
        key={by.path}
        res={res}
        by={by}
        label={labelOf(by)}
        columns={columns}
        filters={filters}
        q={q}
        sort={sort}
        moves={moving.moves}
        standsIn={(r) => (by.kind === 'reference' ? linked(by, r, schema.resources)?.id : (at(r, by.path) as string)) ?? unset}
        mayGo={(r, to) => !!wayTo(r, to)}
        onMove={(r, to) => void move(r, to)}
      />
    </div>
  )
}

// useMoves shows records where they are being carried to, until what is asked of the server is done and the lists know of it.
export function useMoves(res: Resource) {
  const client = useQueryClient()
  const { explain } = useEditing()
  const [moves, setMoves] = useState<Map<string, string>>(new Map())
  const carry = async (record: Rec, to: string, write: () => Promise<void>) => {
    setMoves((m) => new Map(m).set(record.id, to))
    const forget = () =>
      setMoves((m) => {
        m.delete(record.id)
        return new Map(m)
      })
    try {
      await write()
      await refresh(client, res.name)
      void client.invalidateQueries({ queryKey: ['record', res.name, record.id] })
      forget()
    } catch (error) {
      forget()
      void refresh(client, res.name)
      explain(error, res)
    }
  }
  return { moves, carry }
}

type Parts = {
  res: Resource
  by: Leaf
  columns: BoardColumn[]
  moves: Map<string, string>
  // standsIn is the id of the column in which a record stands.
  standsIn: (record: Rec) => string
  mayGo: (record: Rec, to: BoardColumn) => boolean
  onMove: (record: Rec, to: BoardColumn) => void
  parts?: BoardParts
}

export function Columns({ filters, q, sort, label, ...given }: BoardProps & Parts & { label: string }) {
  const { res, by, columns, parts, mayGo, onMove } = given
  const { schema } = useApp()
  const narrowed = { filters, ...(q.trim() ? { search_text: q.trim() } : {}) }
  const money = cardLeaves(res, by, parts).find((l) => l.kind === 'money')
  const key = asked(by, schema.resources)[0]
  const body = JSON.stringify({
    ...narrowed,
    group_by: [key],
    metrics: ['count', ...(parts?.metrics ?? (money ? [`sum:${money.path}`] : []))],
  })
  const sums = useQuery({
    queryKey: ['figures', res.name, 'board', body],
    placeholderData: (before) => before,
    queryFn: async () => (await call<{ data: Row[] }>('POST', res.path + '/aggregate', JSON.parse(body))).data,
  })
  const columnOf = (id: string) => columns.find((c) => c.id === id)
  const onDrop = (record: Rec, place: string) => {
    const to = columnOf(place)
    if (to && (given.moves.get(record.id) ?? given.standsIn(record)) !== to.id && mayGo(record, to)) onMove(record, to)
  }
  const rowsOf = (column: BoardColumn) => sums.data?.filter((r) => String(r[key] ?? unset) === column.id) ?? []
  // What is no longer chosen has a column while there are records in it.
  const shown = columns.filter((c) => c.kind !== 'archived' || rowsOf(c).length > 0)
  return (
    <Carrying
      res={res}
      help={t('dragHelp')}
      toNext={toNextColumn}
      nameOf={(id) => columnOf(id)?.name ?? ''}
      nowhere={t('overNothing')}
      onDrop={onDrop}
      picture={(lifted) => (
        <article className="card lifted">
          <p className="strong">
            <bdi>{titleOf(res, lifted)}</bdi>
          </p>
        </article>
      )}
    >
      {(lifted) => (
        <div className="board" role="region" aria-label={label} tabIndex={0}>
          {shown.map((column) => (
            <Column key={column.id} {...given} column={column} narrowed={narrowed} sort={sort} lifted={lifted} rows={rowsOf(column)} />
          ))}
        </div>
      )}
    </Carrying>
  )
}

// toNextColumn moves what is lifted by keys from column to column.
const toNextColumn: KeyboardCoordinateGetter = (event, { currentCoordinates, context }) => {
  if (event.code !== 'ArrowLeft' && event.code !== 'ArrowRight') return undefined
  event.preventDefault()
  const columns = [...context.droppableRects.entries()].sort((a, b) => a[1].left - b[1].left)
  const here = context.over?.id ?? context.active?.data.current?.place
  const at = columns.findIndex(([id]) => id === here)
  const next = columns[Math.max(0, Math.min(columns.length - 1, at + (event.code === 'ArrowRight' ? 1 : -1)))]
  if (!next) return undefined
  document.querySelector(`[data-column="${next[0]}"]`)?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  return { x: next[1].left + 16, y: currentCoordinates.y }
}

// personOf is who has to do with a record, whose sign stands on its card.
const personOf = (res: Resource) => ['assignee_id', 'owner_id'].flatMap((p) => leaf(res, p) ?? [])[0]

// cardLeaves are the fields that stand on a card under the name: those of the resource's cards, and the first that the business added.
const cardLeaves = (res: Resource, by: Leaf, parts?: BoardParts): Leaf[] => {
  const card = res.layout.card.length > 0 ? res.layout.card.flatMap((p) => leaf(res, p) ?? []) : columnsOf(res).slice(0, 4)
  const own = leaves(res).filter((l) => l.custom && l.kind !== 'long_text')
  return [...new Set([...(parts?.Body ? [] : card), ...own.slice(0, 2)])].filter(
    (l) => l.path !== by.path && l.path !== personOf(res)?.path && !res.named_by.includes(l.path) && l.format !== 'currency',
  )
}

type ColumnProps = Parts & {
  column: BoardColumn
  narrowed: { filters: Filter[] }
  sort?: ListState['sort']
  lifted?: Rec
  rows: Row[]
}

function Column({ column, narrowed, sort, lifted, rows, ...given }: ColumnProps) {
  const { res, by, moves, standsIn, mayGo, parts } = given
  const { schema, me } = useApp()
  const client = useQueryClient()
  const { setNodeRef, isOver } = useDroppable({
    id: column.id,
    disabled: !!lifted && standsIn(lifted) !== column.id && !mayGo(lifted, column),
  })
  const person = personOf(res)
  const shown = [by, ...cardLeaves(res, by, parts), ...(parts?.asks ?? []).flatMap((p) => leaf(res, p) ?? []), ...(person ? [person] : [])]
  const order = sort ?? column.sort
  const question = JSON.stringify([narrowed, by.path])
  const list = useInfiniteQuery({
    queryKey: ['list', res.name, 'board', column.id, question, JSON.stringify(order)],
    initialPageParam: '',
    queryFn: ({ pageParam }) =>
      call<Page>('POST', res.path + '/search', {
        ...narrowed,
        filters: [
          column.value === null ? { field: by.path, operator: 'is_not_set' } : { field: by.path, operator: 'eq', value: column.value },
          ...narrowed.filters,
        ],
        fields: projection(res, shown, schema.resources),
        limit: 50,
        ...(order ? { order_by: order.by, sort_direction: order.down ? 'desc' : 'asc' } : {}),
        ...(pageParam ? { cursor: pageParam } : {}),
      }),
    getNextPageParam: (page) => page.meta.cursor.next ?? undefined,
  })
  const own = useMemo(() => list.data?.pages.flatMap((p) => p.data) ?? [], [list.data])
  // What is being moved stands where it goes to at once, and what others moved where it is by now, wherever it was loaded.
  const here = (r: Rec) => (moves.get(r.id) ?? standsIn(r)) === column.id
  const loaded = new Set(own.map((r) => r.id))
  const elsewhere = new Map(
    client
      .getQueriesData<{ pages: Page[] }>({ queryKey: ['list', res.name, 'board'], predicate: (q) => q.queryKey[4] === question })
      .flatMap(([, d]) => d?.pages.flatMap((p) => p.data) ?? [])
      .filter((r) => here(r) && !loaded.has(r.id))
      .map((r) => [r.id, r]),
  )
  const records = [...elsewhere.values(), ...own.filter(here)]
  const loadMore = useMore(list)
  const count = rows.reduce((n, r) => n + r.count, 0)
  const Sums = parts?.Sums ?? MainSum
  return (
    <section
      ref={setNodeRef}
      data-column={column.id}
      className={`column ${column.kind ?? ''}${isOver ? ' over' : ''}`}
      style={{ '--bar': `var(--${colourOf(column.colour)})` } as object}
      aria-label={column.name}
    >
      <header>
        <h2>
          <Chip color={column.colour ?? undefined}>{column.name}</Chip> <span className="count">{count}</span>
        </h2>
        <Sums rows={rows} column={column} />
      </header>
      {records.length > 0 && (
        <Cards records={records} lifted={lifted?.id} hasMore={list.hasNextPage} loadMore={loadMore}>
          {(r) => <Card {...given} record={r} column={column} canMove={reaches(res, res.permissions.write, r, me.user.id)} />}
        </Cards>
      )}
      {list.isPending && (
        <ul className="cards-list">
          {[1, 2, 3].map((i) => (
            <li key={i} className="card">
              <span className="bone" />
            </li>
          ))}
        </ul>
      )}
      {!list.isPending && records.length === 0 && <p className="none soft">{t('emptyColumn')}</p>}
    </section>
  )
}

// MainSum is what the amounts of a column come to, in the currency of the business where there are several.
export function MainSum({ rows, children }: { rows: Row[]; children?: (main: Row) => ReactNode }) {
  const { me } = useApp()
  const main = rows.find((r) => r.currency === me.business.currency) ?? rows[0]
  const metric = main && Object.keys(main).find((k) => k.startsWith('sum:'))
  if (!metric) return null
  return (
    <p className="sums">
      {main[metric] ? (
        <>
          <span className="strong" title={formatMoney(main[metric] as string, main.currency)}>
            {shortMoney(main[metric] as string, main.currency)}
          </span>
          {children?.(main)}
          {rows.length > 1 && <span className="soft">{t('otherCurrencies')}</span>}
        </>
      ) : (
        <span className="soft">–</span>
      )}
    </p>
  )
}

// Cards are those of a column: of many only the ones in sight are in the page, and more are loaded as one comes to the end.
function Cards({
  records,
  lifted,
  hasMore,
  loadMore,
  children,
}: {
  records: Rec[]
  lifted?: string
  hasMore: boolean
  loadMore: () => void
  children: (record: Rec) => ReactNode
}) {
  const scroller = useRef<HTMLDivElement>(null)
  const [focused, setFocused] = useState<string>()
  const kept = [...new Set([lifted, focused])].map((id) => records.findIndex((r) => r.id === id)).filter((i) => i >= 0)
  const virtual = useVirtualizer({
    count: records.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 112,
    gap: 8,
    overscan: 3,
    getItemKey: (i) => records[i].id,
    // What is dragged or has the focus stays, or both would be lost on the way.
    // biome-ignore lint/correctness/useExhaustiveDependencies: the places are a new array each time.
    rangeExtractor: useCallback(
      (range: Parameters<typeof defaultRangeExtractor>[0]) =>
        [...new Set([...defaultRangeExtractor(range), ...kept])].sort((a, b) => a - b),
      [kept.join()],
    ),
  })
  const items = virtual.getVirtualItems()
  const lowest = items.at(-1)?.index ?? 0
  useEffect(() => {
    if (hasMore && lowest >= records.length - 15) loadMore()
  }, [hasMore, lowest, records.length, loadMore])
  return (
    <div ref={scroller} className="cards-scroll">
      <ul className="cards-list" style={{ height: virtual.getTotalSize() }}>
        {items.map((item) => (
          <li
            key={item.key}
            ref={virtual.measureElement}
            data-index={item.index}
            aria-posinset={item.index + 1}
            aria-setsize={hasMore ? -1 : records.length}
            style={{ transform: `translateY(${item.start}px)` }}
            onFocus={() => setFocused(records[item.index].id)}
          >
            {children(records[item.index])}
          </li>
        ))}
      </ul>
    </div>
  )
}

const filled = (record: Rec, l: Leaf) => {
  const value = at(record, l.path)
  return value !== undefined && value !== null && value !== ''
}

// Said is a value on a card, where only who cannot see it needs its label.
function Said({ res, leaf, record }: { res: Resource; leaf: Leaf; record: Rec }) {
  const due = useKinds()[res.name]?.due
  if (leaf.path === due?.by && daysLate(res, due, record) > 0)
    return (
      <span className="flag bad">
        <Icon name="clock" size={12} />
        <span>{t('overdue', { date: shortDate(localDay(String(at(record, leaf.path)))) })}</span>
      </span>
    )
  return (
    <>
      <span className="unseen">{labelOf(leaf)}: </span>
      <Shown leaf={leaf} record={record} />
    </>
  )
}

// A Card is drawn anew where something of it changed, and not while its column is scrolled.
const Card = memo(function Card({
  res,
  by,
  columns,
  column,
  record,
  canMove,
  mayGo,
  onMove,
  parts,
}: Parts & { column: BoardColumn; record: Rec; canMove: boolean }) {
  const { schema } = useApp()
  const targets = canMove ? columns.filter((c) => c.id !== column.id && c.kind !== 'archived' && mayGo(record, c)) : []
  const extras = canMove ? (parts?.extras?.(record, column) ?? []) : []
  const able = targets.length > 0
  const { attributes, listeners, setNodeRef, setActivatorNodeRef, isDragging } = useCarried(record, column.id, able)
  const title = titleOf(res, record)
  const shown = cardLeaves(res, by, parts)
  const money = leaves(res).find((l) => l.kind === 'money' && res.layout.card.includes(l.path))
  const told = shown.filter((l) => !l.custom && l !== money && filled(record, l))
  const foot = !parts?.Body && !money ? told.at(-1) : undefined
  const lines = told.filter((l) => l !== foot)
  const own = shown.filter((l) => l.custom && filled(record, l))
  const personLeaf = personOf(res)
  const person = personLeaf && linked(personLeaf, record, schema.resources)
  return (
    <div ref={setNodeRef} className={`card${isDragging ? ' away' : ''}`} {...(able ? listeners : {})}>
      <p className="card-title">
        <Link to={pathTo(res, record.id)} className="strong" draggable={false}>
          <bdi>{title}</bdi>
        </Link>
        {able || extras.length > 0 ? (
          <Menu
            label={t('moveTo')}
            trigger={<Button look="quiet" icon="more" label={t('moveOf', { name: title })} />}
            onAction={(key) => {
              if (key === 'open') return go(pathTo(res, record.id))
              const extra = extras.find((x) => x.id === key)
              if (extra) return extra.run()
              onMove(record, columns.find((c) => c.id === key)!)
            }}
          >
            <MenuItem id="open">{t('openIt')}</MenuItem>
            {[...targets.map((c) => ({ id: c.id, text: t('moveToColumn', { column: c.name }) })), ...extras].map((x) => (
              <MenuItem key={x.id} id={x.id}>
                {x.text}
              </MenuItem>
            ))}
          </Menu>
        ) : null}
      </p>
      {lines.map((l) => (
        <p key={l.path} className="soft card-line">
          <Said res={res} leaf={l} record={record} />
        </p>
      ))}
      {own.length > 0 && (
        <p className="card-own soft">
          {own.map((l) => (
            <span key={l.path}>
              <Said res={res} leaf={l} record={record} />
            </span>
          ))}
        </p>
      )}
      {parts?.Body && <parts.Body record={record} column={column} />}
      <p className="card-foot">
        {money && (
          <span className="strong figure">
            {filled(record, money) ? formatMoney(at(record, money.path) as string, record.currency) : '–'}
          </span>
        )}
        {foot && (
          <span className="soft card-line">
            <Said res={res} leaf={foot} record={record} />
          </span>
        )}
        <span className="grow" />
        {person?.name && (
          <span title={person.name}>
            <Avatar name={person.name} id={person.id} />
            <span className="unseen">{person.name}</span>
          </span>
        )}
        {able && (
          <button ref={setActivatorNodeRef} type="button" className="handle" {...attributes} aria-label={t('drag', { name: title })}>
            <Icon name="menu" size={12} />
          </button>
        )}
      </p>
    </div>
  )
})
