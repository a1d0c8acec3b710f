// The rows of a grid: a record, and the place of those that are still asked for.

import { type CSSProperties, memo } from 'react'
import type { Rec } from '../../api/call'
import { t } from '../../i18n/translate'
import { type Leaf, type Resource, titleOf } from '../../schema/schema'
import { useKinds } from '../kinds'
import { daysLate } from '../late'
import { Shown } from '../shown'
import { EditedCell, type GridColumn, NameCell, ValueCell } from './cells'
import type { Place } from './keys'

type Props = {
  res: Resource
  record: Rec
  row: number
  columns: GridColumn[]
  // more are the fields that stand under the name where a row is a card.
  more?: Leaf[]
  // Where the row lies, and the tracks of its columns.
  top: number
  height: number
  template: string
  ticked: boolean
  // active and edited are columns of this row, where it has the one.
  active?: number
  edited?: number
  acts: RowActs
}

// RowActs is what can be done with a row. It stays the same while the grid is drawn anew, so that rows that did not change are not.
export type RowActs = {
  tick: (row: number, through?: boolean) => void
  canEdit: (record: Rec, leaf: Leaf) => boolean
  choose: (place: Place) => void
  edit: (record: Rec, col: number) => void
  done: (place: Place) => void
}

export const lies = (top: number, height: number, gridTemplateColumns: string): CSSProperties => ({
  gridTemplateColumns,
  height,
  transform: `translateY(${top}px)`,
})

export const Row = memo(function Row({ res, record, row, columns, more, top, height, template, ticked, active, edited, acts }: Props) {
  const due = useKinds()[res.name]?.due
  const late = daysLate(res, due, record) > 0
  return (
    <div
      role="row"
      aria-rowindex={row + 2}
      aria-selected={ticked}
      className={`grid-row${ticked ? ' ticked' : ''}`}
      style={lies(top, height, template)}
    >
      <div role="gridcell" aria-colindex={1} className="grid-cell tick">
        <input
          type="checkbox"
          data-place={`${row}:0`}
          tabIndex={active === 0 ? 0 : -1}
          aria-label={t('selectOne', { name: titleOf(res, record) })}
          checked={ticked}
          onFocus={() => acts.choose({ row, col: 0 })}
          onClick={(e) => {
            if (!e.shiftKey) return
            e.preventDefault()
            acts.tick(row, true)
          }}
          onChange={() => acts.tick(row)}
        />
      </div>
      {columns.map(({ leaf }, i) => {
        const place = { row, col: i + 1 }
        const spot = { place, active: active === place.col, onFocus: () => acts.choose(place) }
        if (edited === place.col)
          return (
            <EditedCell
              key={leaf.path}
              res={res}
              leaf={leaf}
              record={record}
              col={place.col}
              onDone={(aside) => acts.done({ row, col: Math.max(0, Math.min(columns.length, place.col + aside)) })}
            />
          )
        if (i === 0)
          return (
            <NameCell key={leaf.path} res={res} record={record} {...spot}>
              {more && (
                <span className="card-more">
                  {more.map((l) => (
                    <span key={l.path} className={late && l.path === due?.by ? 'late' : undefined}>
                      <Shown leaf={l} record={record} />
                      {late && l.path === due?.by && <span className="unseen">{t('late')}</span>}
                    </span>
                  ))}
                </span>
              )}
            </NameCell>
          )
        return (
          <ValueCell
            key={leaf.path}
            leaf={leaf}
            record={record}
            late={late && leaf.path === due?.by}
            able={acts.canEdit(record, leaf)}
            onEdit={() => acts.edit(record, place.col)}
            {...spot}
          />
        )
      })}
    </div>
  )
})

// WaitingRow is the place of a record that is still asked for. It can have the focus, so that who jumps there does not lose it.
export function WaitingRow({ row, columns, active, style }: { row: number; columns: number; active?: number; style: CSSProperties }) {
  return (
    <div role="row" aria-rowindex={row + 2} className="grid-row waiting" style={style}>
      {Array.from({ length: columns + 1 }, (_, col) => (
        <div
          key={col}
          role="gridcell"
          aria-colindex={col + 1}
          className={`grid-cell${col === 0 ? ' tick' : col === 1 ? ' name' : ''}`}
          {...(active === col ? { 'data-place': `${row}:${col}`, tabIndex: 0 } : {})}
        >
          {col === 1 && <span className="unseen">{t('loading')}</span>}
          {col > 0 && <span className="bone" />}
        </div>
      ))}
    </div>
  )
}
