// A list whose order somebody decides: by dragging with mouse or finger, or with buttons, which keys reach.

import { DndContext, MouseSensor, TouchSensor, useDraggable, useDroppable, useSensor, useSensors } from '@dnd-kit/core'
import type { ReactNode } from 'react'
import { t } from '../i18n/translate'
import { Icon } from '../ui/components'

export function moved<T>(list: T[], from: number, to: number): T[] {
  const next = [...list]
  next.splice(to, 0, ...next.splice(from, 1))
  return next
}

export function Sorting<T>({
  items,
  keyOf,
  nameOf,
  onMove,
  children,
  label,
  disabled,
}: {
  items: T[]
  keyOf: (item: T) => string
  nameOf: (item: T) => string
  onMove: (from: number, to: number) => void
  children: (item: T, i: number) => ReactNode
  label: string
  disabled?: boolean
}) {
  const sensors = useSensors(
    useSensor(MouseSensor, { activationConstraint: { distance: 4 } }),
    useSensor(TouchSensor, { activationConstraint: { delay: 200, tolerance: 8 } }),
  )
  const place = (id: unknown) => items.findIndex((x) => keyOf(x) === id)
  return (
    <DndContext
      sensors={sensors}
      onDragEnd={({ active, over }) => over && place(over.id) !== place(active.id) && onMove(place(active.id), place(over.id))}
      accessibility={{
        screenReaderInstructions: { draggable: '' },
        announcements: { onDragStart: () => '', onDragOver: () => '', onDragEnd: () => '', onDragCancel: () => '' },
      }}
    >
      <ul className="sorting" aria-label={label}>
        {items.map((item, i) => (
          <Row key={keyOf(item)} id={keyOf(item)} disabled={disabled}>
            {children(item, i)}
            {!disabled && (
              <span className="nudge">
                <button type="button" disabled={i === 0} aria-label={t('moveUp', { label: nameOf(item) })} onClick={() => onMove(i, i - 1)}>
                  <Icon name="up" size={14} />
                </button>
                <button
                  type="button"
                  disabled={i === items.length - 1}
                  aria-label={t('moveDown', { label: nameOf(item) })}
                  onClick={() => onMove(i, i + 1)}
                >
                  <Icon name="down" size={14} />
                </button>
              </span>
            )}
          </Row>
        ))}
      </ul>
    </DndContext>
  )
}

function Row({ id, disabled, children }: { id: string; disabled?: boolean; children: ReactNode }) {
  const drag = useDraggable({ id, disabled })
  const drop = useDroppable({ id, disabled })
  return (
    <li ref={drop.setNodeRef} className={`${drag.isDragging ? 'away' : ''}${drop.isOver && !drag.isDragging ? ' over' : ''}`}>
      {!disabled && (
        <span ref={drag.setNodeRef} {...drag.listeners} className="handle" aria-hidden="true">
          <Icon name="menu" size={14} />
        </span>
      )}
      {children}
    </li>
  )
}
