// The cells of a grid: the head of a column, the name of a record, a value, and a value that is being edited.

import { memo, type ReactNode, useRef } from 'react'
import type { Rec } from '../../api/call'
import { useApp } from '../../api/context'
import { t } from '../../i18n/translate'
import { type Leaf, labelOf, linked, type Resource, titleOf } from '../../schema/schema'
import { Avatar, Icon } from '../../ui/components'
import { Link } from '../../ui/route'
import { CellEditor } from '../cell-editor'
import { useEditing } from '../edit'
import { useKinds } from '../kinds'
import { useUsers } from '../names'
import { isFigure, pathTo, Shown } from '../shown'
import type { Place } from './keys'

// A column is as wide as its kind usually is, unless somebody has set that. The first takes what is left until then.
export type GridColumn = { leaf: Leaf; width: number; set?: boolean }

export type Sort = { by: string; down: boolean }

// What the grid knows of a cell: where it is, whether it is the one that Tab leads to, and how it is made that one.
type Spot = { place: Place; active: boolean; onFocus: () => void }

// spotOf is what a cell, or the one thing in it that can have the focus, says of its place.
const spotOf = ({ place, active, onFocus }: Spot) => ({
  'data-place': `${place.row}:${place.col}`,
  tabIndex: active ? 0 : -1,
  onFocus,
})

export function NameCell({ res, record, children, ...spot }: Spot & { res: Resource; record: Rec; children?: ReactNode }) {
  const title = titleOf(res, record, useUsers())
  return (
    <div role="gridcell" aria-colindex={2} className="grid-cell name">
      <Link to={pathTo(res, record.id)} {...spotOf(spot)}>
        {useKinds()[res.name]?.avatar && <Avatar name={title} id={record.id} />}
        <bdi>{title}</bdi>
      </Link>
      {children}
    </div>
  )
}

export function ValueCell({
  leaf,
  record,
  late,
  able,
  onEdit,
  ...spot
}: Spot & { leaf: Leaf; record: Rec; late: boolean; able: boolean; onEdit: () => void }) {
  return (
    <div
      role="gridcell"
      aria-colindex={spot.place.col + 1}
      aria-readonly={!able}
      aria-keyshortcuts={leaf.kind === 'reference' ? 'Control+Enter' : undefined}
      {...spotOf(spot)}
      className={`grid-cell${isFigure(leaf) ? ' right' : ''}${able ? ' able' : ''}${late ? ' late' : ''}`}
      onDoubleClick={(e) => able && !(e.target as HTMLElement).closest('a') && onEdit()}
      onClick={(e) => {
        if ((e.target as HTMLElement).closest('a')) return
        // A first click chooses the cell, a second one on the same cell opens it.
        if (able && spot.active && document.activeElement === e.currentTarget && e.detail === 1 && e.currentTarget.dataset.chosen) onEdit()
        e.currentTarget.dataset.chosen = 'yes'
      }}
      onBlur={(e) => delete e.currentTarget.dataset.chosen}
    >
      <Shown leaf={leaf} record={record} inGrid />
      {late && <span className="unseen">{t('late')}</span>}
    </div>
  )
}

// EditedCell saves what was given and tells to which side of the cell whoever gave it goes on.
export function EditedCell({
  res,
  leaf,
  record,
  col,
  onDone,
}: {
  res: Resource
  leaf: Leaf
  record: Rec
  col: number
  onDone: (aside: -1 | 0 | 1) => void
}) {
  const { schema } = useApp()
  const { save } = useEditing()
  return (
    <div role="gridcell" aria-colindex={col + 1} className="grid-cell editing">
      <CellEditor
        leaf={leaf}
        record={record}
        shownAs={leaf.kind === 'reference' ? linked(leaf, record, schema.resources)?.name : undefined}
        onDrop={() => onDone(0)}
        onKeep={(value, picked, base, next) => {
          // It is changed first, so that the grid is drawn once, with the new value and without the editor.
          void save({ res, record: base, leaf, value, picked }, { inPlace: true })
          onDone(next === 'right' ? 1 : next === 'left' ? -1 : 0)
        }}
      />
    </div>
  )
}

// The head of a column stays as it is while the rows below it are scrolled.
export const HeaderCell = memo(function HeaderCell({
  column,
  at,
  sort,
  onSort,
  onResize,
  choose,
  tabIndex,
}: {
  column: GridColumn
  at: number
  sort?: Sort
  onSort: (path: string) => void
  onResize: (path: string, width: number) => void
  choose: (place: Place) => void
  tabIndex: number
}) {
  const { leaf, width } = column
  const here = sort?.by === leaf.path
  const start = useRef<{ x: number; width: number } | null>(null)
  // A column that takes what is left is wider than it asks for.
  const wide = (inside: Element) => inside.closest('[role=columnheader]')?.getBoundingClientRect().width
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
        onFocus={() => choose({ row: -1, col: at })}
        disabled={false}
        aria-disabled={!leaf.sortable || undefined}
        onClick={() => leaf.sortable && onSort(leaf.path)}
        onKeyDown={(e) => {
          if (!e.shiftKey || (e.key !== 'ArrowLeft' && e.key !== 'ArrowRight')) return
          e.preventDefault()
          e.stopPropagation()
          onResize(leaf.path, Math.max(80, (wide(e.currentTarget) ?? width) + (e.key === 'ArrowRight' ? 24 : -24)))
        }}
      >
        <span>{labelOf(leaf)}</span>
        {here && <Icon name={sort.down ? 'down' : 'up'} size={12} />}
      </button>
      <span
        className="resizer"
        aria-hidden="true"
        onPointerDown={(e) => {
          start.current = { x: e.clientX, width: wide(e.currentTarget) ?? width }
          e.currentTarget.setPointerCapture(e.pointerId)
        }}
        onPointerMove={(e) => start.current && onResize(leaf.path, Math.max(80, start.current.width + e.clientX - start.current.x))}
        onPointerUp={() => (start.current = null)}
      />
    </div>
  )
})
