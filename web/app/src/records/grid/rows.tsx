// The rows of a grid: a record, and the place of those that are still asked for.

import type { CSSProperties } from 'react'
import type { Rec } from '../../api/call'
import { t } from '../../i18n/translate'
import { type Leaf, type Resource, titleOf } from '../../schema/schema'
import { Shown } from '../fields'
import { EditedCell, type GridColumn, NameCell, ValueCell } from './cells'
import type { Place } from './keys'

type Props = {
  res: Resource
  record: Rec
  row: number
  columns: GridColumn[]
  // more are the fields that stand under the name where a row is a card.
  more?: Leaf[]
  style: CSSProperties
  ticked: boolean
  onTick: (through?: boolean) => void
  // active and edited are columns of this row, where it has the one.
  active?: number
  edited?: number
  canEdit: (leaf: Leaf) => boolean
  onChoose: (place: Place) => void
  onEdit: (col: number) => void
  onDone: (col: number) => void
}

export function Row({ res, record, row, columns, more, style, ticked, onTick, active, edited, canEdit, onChoose, onEdit, onDone }: Props) {
  return (
    <div role="row" aria-rowindex={row + 2} aria-selected={ticked} className={`grid-row${ticked ? ' ticked' : ''}`} style={style}>
      <div role="gridcell" aria-colindex={1} className="grid-cell tick">
        <input
          type="checkbox"
          data-place={`${row}:0`}
          tabIndex={active === 0 ? 0 : -1}
          aria-label={t('selectOne', { name: titleOf(res, record) })}
          checked={ticked}
          onFocus={() => onChoose({ row, col: 0 })}
          onClick={(e) => {
            if (!e.shiftKey) return
            e.preventDefault()
            onTick(true)
          }}
          onChange={() => onTick()}
        />
      </div>
      {columns.map(({ leaf }, i) => {
        const place = { row, col: i + 1 }
        const spot = { place, active: active === place.col, onFocus: () => onChoose(place) }
        if (edited === place.col)
          return (
            <EditedCell
              key={leaf.path}
              res={res}
              leaf={leaf}
              record={record}
              col={place.col}
              onDone={(aside) => onDone(Math.max(0, Math.min(columns.length, place.col + aside)))}
            />
          )
        if (i === 0)
          return (
            <NameCell key={leaf.path} res={res} record={record} {...spot}>
              {more && (
                <span className="card-more">
                  {more.map((l) => (
                    <span key={l.path}>
                      <Shown leaf={l} record={record} />
                    </span>
                  ))}
                </span>
              )}
            </NameCell>
          )
        return <ValueCell key={leaf.path} leaf={leaf} record={record} able={canEdit(leaf)} onEdit={() => onEdit(place.col)} {...spot} />
      })}
    </div>
  )
}

export function WaitingRow({ row, style }: { row: number; style: CSSProperties }) {
  return (
    <div role="row" aria-rowindex={row + 2} className="grid-row waiting" style={style}>
      <div role="gridcell" className="grid-cell">
        {' '}
      </div>
      <div role="gridcell" className="grid-cell">
        <span className="bone" />
        <span className="unseen">{t('loading')}</span>
      </div>
    </div>
  )
}
