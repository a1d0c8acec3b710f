// The grid of a list: any number of rows, of which only those in sight are in the page, under the keys of an ARIA grid.

import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, type ReactNode, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { Rec } from '../../api/call'
import { useApp } from '../../api/context'
import { t } from '../../i18n/translate'
import { editable, type Leaf, type Resource, reaches } from '../../schema/schema'
import { useCommands } from '../../ui/commands'
import { useNarrow } from '../../ui/components'
import { go } from '../../ui/route'
import { pathTo } from '../fields'
import { type GridColumn, HeaderCell, type Sort } from './cells'
import { heightOf, useDensity } from './density'
import { type Place, stepOf } from './keys'
import { Row, WaitingRow } from './rows'

type Props = {
  res: Resource
  rows: Rec[]
  total?: number
  hasMore: boolean
  loadMore: () => void
  columns: GridColumn[]
  sort?: Sort
  onSort: (path: string) => void
  onResize: (path: string, width: number) => void
  selected: Set<string>
  onSelect: (ids: Set<string>) => void
  label: string
}

const ticks = 44

export function Grid(props: Props): ReactNode {
  const { res, rows, columns, selected, onSelect } = props
  const narrow = useNarrow()
  const { me } = useApp()
  const scroller = useRef<HTMLDivElement>(null)
  const [active, setActive] = useState<Place>({ row: 0, col: 1 })
  const [editing, setEditing] = useState<{ id: string; col: number } | null>(null)
  const moving = useRef(false)
  const anchor = useRef<number | null>(null)
  const shown = narrow ? columns.slice(0, 1) : columns
  const density = useDensity()
  const rowHeight = narrow ? 68 : heightOf[density]

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

  // move gives the focus to a cell, as soon as it is in the page.
  const move = (place: Place) => {
    moving.current = true
    choose(place)
    if (place.row >= 0) virtual.scrollToIndex(place.row)
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

  const canEdit = (record: Rec | undefined, leaf: Leaf | undefined) =>
    !narrow && !!leaf && !!record && editable(res, leaf) && reaches(res, res.permissions.write, record, me.user.id)

  const onKeyDown = (e: KeyboardEvent) => {
    if (editing || e.defaultPrevented) return
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 400) / rowHeight) - 2)
    const step = stepOf(e, active, { rows: rows.length, columns: shown.length, page, withHead: !narrow })
    if (!step) return
    e.preventDefault()
    const record = rows[active.row]
    if (step.does === 'move') move(step.to)
    else if (!record) return
    else if (step.does === 'select') toggle(active.row, step.through)
    else if (step.does === 'open') go(pathTo(res, record.id))
    else if (canEdit(record, shown[active.col - 1]?.leaf)) setEditing({ id: record.id, col: active.col })
  }

  // Wherever on the screen one is: the first key of somebody who comes from elsewhere leads to the row that is active.
  const reach = () => move({ row: Math.max(0, active.row), col: 1 })
  useCommands([
    { act: 'down', run: reach },
    { act: 'up', run: reach },
    { act: 'select', run: () => rows[active.row] && toggle(active.row) },
    {
      act: 'edit',
      run: () => canEdit(rows[active.row], shown[active.col - 1]?.leaf) && setEditing({ id: rows[active.row].id, col: active.col }),
    },
  ])

  const finish = (place: Place) => {
    setEditing(null)
    moving.current = true
    choose(place)
  }

  const width = ticks + shown.reduce((sum, c) => sum + c.width, 0)
  const template = narrow
    ? `${ticks}px 1fr`
    : `${ticks}px ${shown.map((c, i) => (i === 0 && !c.set ? `minmax(${c.width}px, 1fr)` : `${c.width}px`)).join(' ')}`
  const allTicked = rows.length > 0 && rows.every((r) => selected.has(r.id))
  const tab = (row: number, col: number) => (active.row === row && active.col === col ? 0 : -1)

  return (
    <div
      ref={scroller}
      className={`grid ${narrow ? 'cards' : density}`}
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
        {items.map(({ index, start }) => {
          const record = rows[index]
          const style = { gridTemplateColumns: template, transform: `translateY(${start - (narrow ? 0 : 36)}px)`, height: rowHeight }
          if (!record) return <WaitingRow key="more" row={index} style={style} />
          return (
            <Row
              key={record.id}
              res={res}
              record={record}
              row={index}
              columns={shown}
              more={narrow ? columns.slice(1, 4).map((c) => c.leaf) : undefined}
              style={style}
              ticked={selected.has(record.id)}
              onTick={(through) => toggle(index, through)}
              active={active.row === index ? active.col : undefined}
              edited={editing?.id === record.id ? editing.col : undefined}
              canEdit={(leaf) => canEdit(record, leaf)}
              onChoose={choose}
              onEdit={(col) => setEditing({ id: record.id, col })}
              onDone={(col) => finish({ row: index, col })}
            />
          )
        })}
      </div>
    </div>
  )
}
