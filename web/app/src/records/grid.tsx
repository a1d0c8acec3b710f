// The grid of a list: any number of rows, of which only those in sight are in the page, under the keys of an ARIA grid.

import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, type ReactNode, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { Rec } from '../api/call'
import { useWorld } from '../api/world'
import { t } from '../i18n/translate'
import { at, editable, type Leaf, labelOf, linked, type Resource, reaches, titleOf } from '../schema/schema'
import { Icon, useNarrow } from '../ui/components'
import { go, Link } from '../ui/route'
import { useEditing } from './edit'
import { Input, isFigure, leaving, type Picked, pathTo, Shown } from './fields'

export type GridColumn = { leaf: Leaf; width: number }

type Props = {
  res: Resource
  rows: Rec[]
  total?: number
  hasMore: boolean
  loadMore: () => void
  columns: GridColumn[]
  sort?: { by: string; down: boolean }
  onSort: (path: string) => void
  onResize: (path: string, width: number) => void
  selected: Set<string>
  onSelect: (ids: Set<string>) => void
  label: string
}

type Place = { row: number; col: number }

const ticks = 44

export function Grid(props: Props): ReactNode {
  const { res, rows, columns, selected, onSelect } = props
  const narrow = useNarrow()
  const { schema, me } = useWorld()
  const { save } = useEditing()
  const scroller = useRef<HTMLDivElement>(null)
  const [active, setActive] = useState<Place>({ row: 0, col: 1 })
  const [editing, setEditing] = useState<{ id: string; col: number } | null>(null)
  const moving = useRef(false)
  const anchor = useRef<number | null>(null)
  const shown = narrow ? columns.slice(0, 1) : columns
  const last = rows.length - 1
  const rowHeight = narrow ? 68 : 40

  // Rows come, go and change places while others work. What is active or edited is a record, and not a place.
  const holder = useRef<string | undefined>(undefined)
  const choose = (place: Place) => {
    holder.current = rows[place.row]?.id
    setActive(place)
  }
  useEffect(() => {
    if (holder.current === undefined || rows[active.row]?.id === holder.current) return
    const now = rows.findIndex((r) => r.id === holder.current)
    if (now >= 0) setActive((a) => ({ ...a, row: now }))
    else holder.current = undefined
  }, [rows, active.row])

  const virtual = useVirtualizer({
    count: rows.length + (props.hasMore ? 1 : 0),
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 6,
    scrollMargin: 0,
    paddingStart: narrow ? 0 : 36,
    scrollPaddingStart: 36,
    // The row that has the focus stays, or the focus would be lost on the way.
    rangeExtractor: useCallback(
      (range: Parameters<typeof defaultRangeExtractor>[0]) => {
        const all = defaultRangeExtractor(range)
        return active.row >= 0 && active.row < range.count && !all.includes(active.row) ? [...all, active.row].sort((a, b) => a - b) : all
      },
      [active.row],
    ),
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: the virtualizer asks for the height by a function.
  useEffect(() => virtual.measure(), [rowHeight, virtual])

  const items = virtual.getVirtualItems()
  const lowest = items.at(-1)?.index ?? 0
  const { hasMore, loadMore } = props
  useEffect(() => {
    if (hasMore && lowest >= rows.length - 30) loadMore()
  }, [hasMore, lowest, rows.length, loadMore])

  useLayoutEffect(() => {
    if (!moving.current || editing) return
    const cell = scroller.current?.querySelector<HTMLElement>(`[data-place="${active.row}:${active.col}"]`)
    if (cell) {
      cell.focus({ preventScroll: true })
      cell.scrollIntoView({ block: 'nearest', inline: 'nearest' })
      moving.current = false
    }
  })

  const move = (place: Place) => {
    const next = { row: Math.max(narrow ? 0 : -1, Math.min(last, place.row)), col: Math.max(0, Math.min(shown.length, place.col)) }
    moving.current = true
    choose(next)
    if (next.row >= 0) virtual.scrollToIndex(next.row)
  }

  const toggle = (row: number, through?: boolean) => {
    const next = new Set(selected)
    if (through && anchor.current !== null) {
      const [from, to] = [Math.min(anchor.current, row), Math.max(anchor.current, row)]
      for (let i = from; i <= to && i < rows.length; i++) next.add(rows[i].id)
    } else if (!next.delete(rows[row].id)) next.add(rows[row].id)
    anchor.current = row
    onSelect(next)
  }

  const canEdit = (row: number, col: number) => {
    const l = shown[col - 1]?.leaf
    return !narrow && !!l && !!rows[row] && editable(res, l) && reaches(res, res.permissions.write, rows[row], me.user.id)
  }

  const onKeyDown = (e: KeyboardEvent) => {
    if (editing || e.altKey) return
    const { row, col } = active
    const far = e.ctrlKey || e.metaKey
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 400) / rowHeight) - 2)
    const steps: Record<string, () => void> = {
      ArrowDown: () => move({ row: row + 1, col }),
      ArrowUp: () => move({ row: row - 1, col }),
      ArrowRight: () => move({ row, col: col + 1 }),
      ArrowLeft: () => move({ row, col: col - 1 }),
      Home: () => move(far ? { row: 0, col: 0 } : { row, col: 0 }),
      End: () => move(far ? { row: last, col: shown.length } : { row, col: shown.length }),
      PageDown: () => move({ row: row + page, col }),
      PageUp: () => move({ row: Math.max(0, row - page), col }),
      ' ': () => row >= 0 && rows[row] && toggle(row, e.shiftKey),
      Enter: () => {
        if (row < 0) return props.onSort(shown[col - 1]?.leaf.path)
        if (col === 0) toggle(row)
        else if (col === 1) go(pathTo(res, rows[row].id))
        else if (canEdit(row, col)) setEditing({ id: rows[row].id, col })
      },
      F2: () => canEdit(row, col) && setEditing({ id: rows[row].id, col }),
    }
    const step = steps[e.key]
    if (!step || (row < 0 && col === 0 && e.key === 'Enter')) return
    if (row < 0 && (e.key === ' ' || e.key === 'Enter')) return // the button itself does it
    e.preventDefault()
    step()
  }

  const finish = (place: Place) => {
    setEditing(null)
    moving.current = true
    choose(place)
  }

  const width = ticks + shown.reduce((sum, c) => sum + c.width, 0)
  const template = narrow
    ? `${ticks}px 1fr`
    : `${ticks}px ${shown.map((c, i) => (i === shown.length - 1 ? `minmax(${c.width}px, 1fr)` : `${c.width}px`)).join(' ')}`
  const allTicked = rows.length > 0 && rows.every((r) => selected.has(r.id))
  const tab = (row: number, col: number) => (active.row === row && active.col === col ? 0 : -1)

  return (
    <div
      ref={scroller}
      className={`grid${narrow ? ' cards' : ''}`}
      role="grid"
      aria-label={props.label}
      aria-rowcount={props.hasMore && props.total === undefined ? -1 : (props.total ?? rows.length) + 1}
      aria-colcount={shown.length + 1}
      aria-multiselectable="true"
      onKeyDown={onKeyDown}
    >
      <div role="rowgroup" className={`grid-head${narrow ? ' unseen' : ''}`} style={narrow ? undefined : { minWidth: width }}>
        <div role="row" aria-rowindex={1} className="grid-row" style={{ gridTemplateColumns: template }}>
          <div role="columnheader" aria-colindex={1} className="grid-cell tick">
            <input
              type="checkbox"
              data-place="-1:0"
              tabIndex={narrow ? -1 : tab(-1, 0)}
              aria-label={t('selectAll')}
              checked={allTicked}
              onFocus={() => choose({ row: -1, col: 0 })}
              onChange={() => onSelect(new Set(allTicked ? [] : rows.map((r) => r.id)))}
            />
          </div>
          {shown.map((c, i) => (
            <HeaderCell
              key={c.leaf.path}
              column={c}
              at={i + 1}
              tabIndex={narrow ? -1 : tab(-1, i + 1)}
              sort={props.sort}
              onSort={props.onSort}
              onResize={props.onResize}
              onFocus={() => choose({ row: -1, col: i + 1 })}
            />
          ))}
        </div>
      </div>
      <div
        role="rowgroup"
        className="grid-body"
        style={{ height: virtual.getTotalSize() - (narrow ? 0 : 36), minWidth: narrow ? undefined : width }}
      >
        {items.map((item) => {
          const record = rows[item.index]
          const y = item.start - (narrow ? 0 : 36)
          if (!record)
            return (
              <div
                key="more"
                role="row"
                aria-rowindex={item.index + 2}
                className="grid-row waiting"
                style={{ gridTemplateColumns: template, transform: `translateY(${y}px)`, height: rowHeight }}
              >
                <div role="gridcell" className="grid-cell">
                  {' '}
                </div>
                <div role="gridcell" className="grid-cell">
                  <span className="bone" />
                  <span className="unseen">{t('loading')}</span>
                </div>
              </div>
            )
          const ticked = selected.has(record.id)
          return (
            <div
              key={record.id}
              role="row"
              aria-rowindex={item.index + 2}
              aria-selected={ticked}
              className={`grid-row${ticked ? ' ticked' : ''}`}
              style={{ gridTemplateColumns: template, transform: `translateY(${y}px)`, height: rowHeight }}
            >
              <div role="gridcell" aria-colindex={1} className="grid-cell tick">
                <input
                  type="checkbox"
                  data-place={`${item.index}:0`}
                  tabIndex={tab(item.index, 0)}
                  aria-label={t('selectOne', { name: titleOf(res, record) })}
                  checked={ticked}
                  onFocus={() => choose({ row: item.index, col: 0 })}
                  onClick={(e) => {
                    if (!e.shiftKey) return
                    e.preventDefault()
                    toggle(item.index, true)
                  }}
                  onChange={() => toggle(item.index)}
                />
              </div>
              {shown.map((c, i) => {
                const place = { row: item.index, col: i + 1 }
                const key = `${place.row}:${place.col}`
                if (editing && editing.id === record.id && editing.col === place.col)
                  return (
                    <div key={c.leaf.path} role="gridcell" aria-colindex={i + 2} className="grid-cell editing">
                      <CellEditor
                        leaf={c.leaf}
                        record={record}
                        shownAs={c.leaf.kind === 'reference' ? linked(c.leaf, record, schema.resources)?.name : undefined}
                        onDrop={() => finish(place)}
                        onKeep={(value, picked, base, next) => {
                          finish(
                            next === 'right'
                              ? { row: place.row, col: Math.min(shown.length, place.col + 1) }
                              : next === 'left'
                                ? { row: place.row, col: Math.max(0, place.col - 1) }
                                : place,
                          )
                          void save({ res, record: base, leaf: c.leaf, value, picked })
                        }}
                      />
                    </div>
                  )
                if (i === 0)
                  return (
                    <div key={c.leaf.path} role="gridcell" aria-colindex={2} className="grid-cell name">
                      <Link to={pathTo(res, record.id)} data-place={key} tabIndex={tab(place.row, place.col)} onFocus={() => choose(place)}>
                        <bdi>{titleOf(res, record)}</bdi>
                      </Link>
                      {narrow && (
                        <span className="card-more">
                          {columns.slice(1, 4).map((m) => (
                            <span key={m.leaf.path}>
                              <Shown leaf={m.leaf} record={record} />
                            </span>
                          ))}
                        </span>
                      )}
                    </div>
                  )
                const able = canEdit(place.row, place.col)
                return (
                  <div
                    key={c.leaf.path}
                    role="gridcell"
                    aria-colindex={i + 2}
                    aria-readonly={!able}
                    data-place={key}
                    tabIndex={tab(place.row, place.col)}
                    className={`grid-cell${isFigure(c.leaf) ? ' right' : ''}${able ? ' able' : ''}`}
                    onFocus={() => choose(place)}
                    onDoubleClick={() => able && setEditing({ id: record.id, col: place.col })}
                    onClick={(e) => {
                      // A first click chooses the cell, a second one on the same cell opens it.
                      if (
                        able &&
                        active.row === place.row &&
                        active.col === place.col &&
                        document.activeElement === e.currentTarget &&
                        e.detail === 1 &&
                        e.currentTarget.dataset.chosen
                      )
                        setEditing({ id: record.id, col: place.col })
                      e.currentTarget.dataset.chosen = 'yes'
                    }}
                    onBlur={(e) => delete e.currentTarget.dataset.chosen}
                  >
                    <Shown leaf={c.leaf} record={record} />
                  </div>
                )
              })}
            </div>
          )
        })}
      </div>
    </div>
  )
}

export function CellEditor({
  leaf,
  record,
  shownAs,
  onKeep,
  onDrop,
}: {
  leaf: Leaf
  record: Rec
  shownAs?: string | null
  onKeep: (value: unknown, picked: Picked | null | undefined, base: Rec, next?: 'left' | 'right') => void
  onDrop: () => void
}) {
  const { schema } = useWorld()
  const first = leaf.kind === 'reference' ? (linked(leaf, record, schema.resources)?.id ?? null) : at(record, leaf.path)
  const [value, setValue] = useState(first)
  const [picked, setPicked] = useState<Picked | null | undefined>(shownAs && first ? { id: first as string, name: shownAs } : undefined)
  const done = useRef(false)
  const began = useRef(record)
  const box = useRef<HTMLDivElement>(null)
  const keep = (v = value, p = picked, next?: 'left' | 'right') => {
    if (done.current) return
    done.current = true
    // Where somebody else changed this very field meanwhile, the server is told what was known when the editing began, and refuses.
    const same = JSON.stringify(at(began.current, leaf.path)) === JSON.stringify(at(record, leaf.path))
    onKeep(v, p, same ? record : began.current, next)
  }
  return (
    <div
      ref={box}
      className="cell-editor"
      onKeyDownCapture={(e) => {
        // A list of choices that is open takes these keys for itself.
        const open = leaf.kind === 'reference' && box.current?.querySelector('[aria-expanded="true"]')
        const way = leaving(e, leaf)
        if (!way || (open && e.key !== 'Tab' && e.key !== 'Escape')) return
        if (e.key === 'Enter' && leaf.kind === 'tags' && (e.target as HTMLInputElement).value.trim()) return
        e.preventDefault()
        e.stopPropagation()
        if (way === 'drop') {
          done.current = true
          onDrop()
        } else keep(value, picked, e.key === 'Tab' ? (e.shiftKey ? 'left' : 'right') : undefined)
      }}
      onBlur={(e) => {
        const to = e.relatedTarget as HTMLElement | null
        if (box.current?.contains(to) || to?.closest('.popover')) return
        // A list of choices closes before the focus is anywhere.
        setTimeout(() => !box.current?.contains(document.activeElement) && !document.activeElement?.closest('.popover') && keep(), 0)
      }}
    >
      <Input
        leaf={leaf}
        value={value}
        label={labelOf(leaf)}
        shownAs={shownAs}
        autoFocus
        inCell
        onChange={(v, p) => {
          setValue(v)
          setPicked(p)
          if (leaf.kind === 'reference' && p) keep(v, p)
        }}
      />
    </div>
  )
}

function HeaderCell({
  column,
  at,
  sort,
  onSort,
  onResize,
  onFocus,
  tabIndex,
}: {
  column: GridColumn
  at: number
  sort?: Props['sort']
  onSort: Props['onSort']
  onResize: Props['onResize']
  onFocus: () => void
  tabIndex: number
}) {
  const { leaf, width } = column
  const here = sort?.by === leaf.path
  const start = useRef<{ x: number; width: number } | null>(null)
  return (
    <div
      role="columnheader"
      aria-colindex={at + 1}
      aria-sort={here ? (sort.down ? 'descending' : 'ascending') : leaf.sortable ? 'none' : undefined}
      className={`grid-cell${isFigure(leaf) ? ' right' : ''}${at === 1 ? ' name' : ''}`}
    >
      <button
        type="button"
        data-place={`-1:${at}`}
        tabIndex={tabIndex}
        onFocus={onFocus}
        disabled={false}
        aria-disabled={!leaf.sortable || undefined}
        onClick={() => leaf.sortable && onSort(leaf.path)}
        onKeyDown={(e) => {
          if (!e.shiftKey || (e.key !== 'ArrowLeft' && e.key !== 'ArrowRight')) return
          e.preventDefault()
          e.stopPropagation()
          onResize(leaf.path, Math.max(80, width + (e.key === 'ArrowRight' ? 24 : -24)))
        }}
      >
        <span>{labelOf(leaf)}</span>
        {here && <Icon name={sort.down ? 'down' : 'up'} size={12} />}
      </button>
      <span
        className="resizer"
        aria-hidden="true"
        onPointerDown={(e) => {
          start.current = { x: e.clientX, width }
          e.currentTarget.setPointerCapture(e.pointerId)
        }}
        onPointerMove={(e) => start.current && onResize(leaf.path, Math.max(80, start.current.width + e.clientX - start.current.x))}
        onPointerUp={() => (start.current = null)}
      />
    </div>
  )
}
