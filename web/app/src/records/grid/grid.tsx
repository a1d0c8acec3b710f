// The grid of a list: any number of rows, of which only those in sight are in the page, under the keys of an ARIA grid.

import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, type ReactNode, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import type { Rec } from '../../api/call'
import { useApp } from '../../api/context'
import { t } from '../../i18n/translate'
import { editable, type Leaf, linked, type Resource, reaches } from '../../schema/schema'
import { useCommands } from '../../ui/commands'
import { useNarrow } from '../../ui/components'
import { go } from '../../ui/route'
import { useEditing, useRefused } from '../edit'
import type { Figures, Group } from '../groups'
import type { Stand } from '../place'
import type { Rows } from '../rows'
import { openedBy, pathTo } from '../shown'
import { type GridColumn, HeaderCell, type Sort } from './cells'
import { heightOf, useDensity } from './density'
import { type Place, stepOf } from './keys'
import { lies, Row, type RowActs, WaitingRow } from './rows'
import { useSlots } from './slots'
import { Foot, GroupRow } from './sums'

type Props = {
  res: Resource
  rows: Rows
  // total is how many rows there are, as far as is known, and count how many records.
  total?: number
  count?: number
  figures?: Figures
  groups?: Group[] | null
  folded: Set<string>
  onFold: (key: string) => void
  columns: GridColumn[]
  sort?: Sort
  onSort: (path: string) => void
  onResize: (path: string, width: number) => void
  // whole says that all are selected that there are, and not only those in the set.
  selected: Set<string>
  whole: boolean
  onSelect: (ids: Set<string>) => void
  // stand is where the list is seen from at first, and left is told where it was seen from at last.
  stand?: Stand
  onLeave: (stand: Pick<Stand, 'top' | 'row' | 'col' | 'id'>) => void
  // where tells one search from another.
  where: string
  label: string
}

const ticks = 44

// ahead is how many rows are asked for before one sees them.
const ahead = 30

// highest is how many pixels a browser lets something be high.
const highest = 33_000_000

// rowOf is where the record is by now that one comes back from, or else its row from before.
const rowOf = (rows: Rows, stand?: Stand) => {
  const now = stand?.id ? rows.find(stand.id) : -1
  return now >= 0 ? now : (stand?.row ?? 0)
}

export function Grid(props: Props): ReactNode {
  const { res, rows, columns, selected, whole, onSelect, stand } = props
  const narrow = useNarrow()
  const { me, schema } = useApp()
  const { explain } = useEditing()
  const scroller = useRef<HTMLDivElement>(null)
  const [active, setActive] = useState<Place>(() => ({ row: rowOf(rows, stand), col: stand?.col ?? 1 }))
  const [editing, setEditing] = useState<{ id: string; col: number } | null>(null)
  const moving = useRef(!!stand)
  const waited = useRef(false)
  const anchor = useRef<number | null>(null)
  const shown = useMemo(() => (narrow ? columns.slice(0, 1) : columns), [narrow, columns])
  const more = useMemo(() => (narrow ? columns.slice(1, 4).map((c) => c.leaf) : undefined), [narrow, columns])
  const density = useDensity()
  const rowHeight = narrow ? 68 : heightOf[density]

  // Rows come, go and change places while others work. What is active or edited is a record, and not a place.
  const holder = useRef<string | undefined>(undefined)
  const choose = (place: Place) => {
    holder.current = rows.at(place.row)?.id
    setActive(place)
  }
  useEffect(() => {
    const here = rows.at(active.row)
    if (holder.current === undefined || !here || here.id === holder.current) return
    const now = rows.find(holder.current)
    if (now >= 0) setActive((a) => ({ ...a, row: now }))
    else holder.current = undefined
  })

  const length = Math.min(props.total ?? rows.length, Math.floor(highest / rowHeight))
  const virtual = useVirtualizer({
    count: length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 6,
    scrollMargin: 0,
    paddingStart: narrow ? 0 : 36,
    scrollPaddingStart: 36,
    scrollPaddingEnd: narrow ? 0 : 36,
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
  const { startIndex: first = 0, endIndex: last = 0 } = virtual.range ?? {}
  const { want } = rows
  // Each group is asked for by itself.
  const before = props.groups ? 4 : ahead
  useEffect(() => want(Math.max(0, first - before), Math.min(length - 1, last + before)), [want, first, last, length, before])

  // Another search is seen from its beginning, and a list that one comes back to from where one was.
  const began = useRef<string | undefined>(undefined)
  const { where } = props
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is about the search, whatever the rows are like.
  useLayoutEffect(() => {
    if (began.current === where || !scroller.current) return
    if (began.current !== undefined) {
      scroller.current.scrollTop = 0
      holder.current = undefined
      setActive((a) => ({ row: 0, col: a.col }))
    } else if (stand) {
      // On the pages of the records one may have gone on to rows that were not in sight.
      const { clientHeight } = scroller.current
      const around = narrow ? 0 : 72
      const [low, high] = [(active.row + 1) * rowHeight + around - clientHeight, active.row * rowHeight]
      scroller.current.scrollTop = Math.max(low, Math.min(high, stand.top))
    }
    began.current = where
  }, [where])

  const left = useRef(() => {})
  left.current = () =>
    props.onLeave({ top: virtual.scrollOffset ?? 0, row: Math.max(0, active.row), col: active.col, id: rows.at(active.row)?.id })
  useEffect(() => () => left.current(), [])

  useLayoutEffect(() => {
    if (!moving.current || editing) return
    const on = document.activeElement
    if (waited.current && on !== document.body && !scroller.current?.contains(on)) {
      // Whoever has gone elsewhere meanwhile is not taken back.
      moving.current = waited.current = false
      return
    }
    const cell = scroller.current?.querySelector<HTMLElement>(`[data-place="${active.row}:${active.col}"]`)
    if (cell) {
      cell.focus({ preventScroll: true })
      cell.scrollIntoView({ block: 'nearest', inline: 'nearest' })
      // A row that is still asked for has the focus until it is there.
      moving.current = waited.current = !!cell.closest('.waiting')
    }
  })

  // move gives the focus to a cell, as soon as it is in the page.
  const move = (place: Place) => {
    moving.current = true
    choose(place)
    if (place.row >= 0) virtual.scrollToIndex(place.row)
  }

  const groupAt = (row: number) => {
    const section = row < 0 ? undefined : rows.head(row)
    return section === undefined ? undefined : props.groups?.[section]
  }

  const toggle = (row: number, through?: boolean) => {
    const record = rows.at(row)
    if (!record) return
    const next = new Set(selected)
    if (through && anchor.current !== null) {
      const [from, to] = [Math.min(anchor.current, row), Math.max(anchor.current, row)]
      void rows.load(from, to).then((all) => {
        for (const r of all) next.add(r.id)
        onSelect(next)
      }, explain)
    } else {
      if (!next.delete(record.id)) next.add(record.id)
      onSelect(next)
    }
    anchor.current = row
  }

  const canEdit = (record: Rec | undefined, leaf: Leaf | undefined) =>
    !narrow && !!leaf && !!record && editable(res, leaf) && reaches(res, res.permissions.write, record, me.user.id)

  const visit = (record: Rec, leaf?: Leaf) => {
    const link = leaf?.kind === 'reference' ? linked(leaf, record, schema.resources) : null
    const to = leaf && link && openedBy(leaf, link.id, schema.resources, link.target)
    if (to) go(to)
  }

  const onKeyDown = (e: KeyboardEvent) => {
    if (editing || e.defaultPrevented) return
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 400) / rowHeight) - 2)
    const step = stepOf(e, active, { rows: length, columns: shown.length, page, withHead: !narrow })
    if (!step) return
    e.preventDefault()
    const record = rows.at(active.row)
    const group = groupAt(active.row)
    if (step.does === 'move') move(step.to)
    else if (group && step.does !== 'edit' && step.does !== 'visit') props.onFold(group.key)
    else if (!record) return
    else if (step.does === 'select') toggle(active.row, step.through)
    else if (step.does === 'open') go(pathTo(res, record.id))
    else if (step.does === 'visit') visit(record, shown[active.col - 1]?.leaf)
    else if (canEdit(record, shown[active.col - 1]?.leaf)) setEditing({ id: record.id, col: active.col })
  }

  // Wherever on the screen one is: the first key of somebody who comes from elsewhere leads to the row that is active.
  const reach = () => move({ row: Math.max(0, active.row), col: 1 })
  useCommands([
    { act: 'down', run: reach },
    { act: 'up', run: reach },
    { act: 'select', run: () => toggle(active.row) },
    {
      act: 'edit',
      run: () => {
        const record = rows.at(active.row)
        if (record && canEdit(record, shown[active.col - 1]?.leaf)) setEditing({ id: record.id, col: active.col })
      },
    },
  ])

  // What was refused is offered again where it was typed, once nothing else is edited.
  const [refused] = useRefused()
  const again = refused && !editing && rows.find(refused.record.id) >= 0 ? refused : null
  const column = again ? shown.findIndex((c) => c.leaf.path === again.leaf.path) + 1 : 0
  useEffect(() => {
    if (again && column) setEditing({ id: again.record.id, col: column })
  }, [again, column])

  const finish = (place: Place) => {
    setEditing(null)
    moving.current = true
    choose(place)
  }

  const width = ticks + shown.reduce((sum, c) => sum + c.width, 0)
  const template = narrow
    ? `${ticks}px 1fr`
    : `${ticks}px ${shown.map((c, i) => (i === 0 && !c.set ? `minmax(${c.width}px, 1fr)` : `${c.width}px`)).join(' ')}`
  const allTicked = whole || (selected.size > 0 && rows.loaded().every((r) => selected.has(r.id)))
  const acting = useRef<RowActs>(null!)
  acting.current = { tick: toggle, canEdit, choose, edit: (record, col) => setEditing({ id: record.id, col }), done: finish }
  const acts = useMemo<RowActs>(
    () => ({
      tick: (...now) => acting.current.tick(...now),
      canEdit: (...now) => acting.current.canEdit(...now),
      choose: (...now) => acting.current.choose(...now),
      edit: (...now) => acting.current.edit(...now),
      done: (...now) => acting.current.done(...now),
    }),
    [],
  )
  // Where one came or went, two blocks can both have a record until they are asked for anew.
  const drawn = new Set<string>()
  const lines = items.map(({ index, start }) => {
    const group = groupAt(index)
    const found = group ? undefined : rows.at(index)
    const record = found && !drawn.has(found.id) ? found : undefined
    if (record) drawn.add(record.id)
    return { index, top: start - (narrow ? 0 : 36), group, record }
  })
  const rowSlots = useSlots([...drawn], holder.current)
  const bones = lines.filter((l) => !l.group && !l.record).map((l) => String(l.index))
  const boneSlots = useSlots(bones, String(active.row))
  // While the grid is scrolled its rows stay where they are in the page; at rest they are in the order in which they are read.
  const slotOf = ({ index, record }: (typeof lines)[number]) => (record ? rowSlots.get(record.id) : boneSlots.get(String(index))) ?? -1
  if (virtual.isScrolling) lines.sort((a, b) => slotOf(a) - slotOf(b))
  const tab = (row: number, col: number) => (active.row === row && active.col === col ? 0 : -1)

  return (
    <div
      ref={scroller}
      className={`grid ${narrow ? 'cards' : density}`}
      role="grid"
      aria-label={props.label}
      aria-rowcount={props.total === undefined ? -1 : props.total + 1}
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
              onChange={() => onSelect(new Set(allTicked ? [] : rows.loaded().map((r) => r.id)))}
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
              choose={acts.choose}
            />
          ))}
        </div>
      </div>
      <div
        role="rowgroup"
        className="grid-body"
        style={{ height: virtual.getTotalSize() - (narrow ? 0 : 36), minWidth: narrow ? undefined : width }}
      >
        {lines.map((line) => {
          const { index, top, group, record } = line
          if (group)
            return (
              <GroupRow
                key={`group ${group.key}`}
                group={group}
                folded={props.folded.has(group.key)}
                row={index}
                columns={shown}
                style={lies(top, rowHeight, template)}
                active={active.row === index ? active.col : undefined}
                onFocus={() => active.row !== index && choose({ row: index, col: 1 })}
                onFold={() => props.onFold(group.key)}
              />
            )
          if (!record)
            return (
              <WaitingRow
                key={`waiting ${slotOf(line)}`}
                row={index}
                columns={shown.length}
                active={active.row === index ? active.col : undefined}
                style={lies(top, rowHeight, template)}
              />
            )
          return (
            <Row
              key={`row ${slotOf(line)}`}
              res={res}
              record={record}
              row={index}
              columns={shown}
              more={more}
              top={top}
              height={rowHeight}
              template={template}
              ticked={whole || selected.has(record.id)}
              active={active.row === index ? active.col : undefined}
              edited={editing?.id === record.id ? editing.col : undefined}
              acts={acts}
            />
          )
        })}
      </div>
      {!narrow && <Foot res={res} columns={shown} count={props.count} figures={props.figures} template={template} width={width} />}
    </div>
  )
}
