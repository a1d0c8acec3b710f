// Records that are carried to another place, such as a column of a board or a day of a calendar, by mouse, finger or keys.

import {
  type CollisionDetection,
  DndContext,
  DragOverlay,
  type KeyboardCoordinateGetter,
  KeyboardSensor,
  MouseSensor,
  TouchSensor,
  useDraggable,
  useSensor,
  useSensors,
} from '@dnd-kit/core'
import { type ReactNode, useRef, useState } from 'react'
import type { Rec } from '../api/call'
import { t } from '../i18n/translate'
import { type Resource, titleOf } from '../schema/schema'

type Props = {
  res: Resource
  // help says how it is done by keys, which go by toNext; nameOf is what a place is called, and nowhere that there is none.
  help: string
  toNext: KeyboardCoordinateGetter
  nameOf: (place: string) => string
  nowhere: string
  collision?: CollisionDetection
  onDrop: (record: Rec, place: string) => void
  // picture is what one sees of the record on the way.
  picture: (lifted: Rec) => ReactNode
  children: (lifted?: Rec) => ReactNode
}

export function Carrying({ res, help, toNext, nameOf, nowhere, collision, onDrop, picture, children }: Props) {
  const [lifted, setLifted] = useState<Rec>()
  const fresh = useRef(false)
  const sensors = useSensors(
    useSensor(MouseSensor, { activationConstraint: { distance: 6 } }),
    useSensor(TouchSensor, { activationConstraint: { delay: 200, tolerance: 8 } }),
    useSensor(KeyboardSensor, {
      coordinateGetter: toNext,
      keyboardCodes: { start: ['Space'], cancel: ['Escape'], end: ['Space', 'Enter'] },
    }),
  )
  return (
    <DndContext
      sensors={sensors}
      collisionDetection={collision}
      onDragStart={(e) => setLifted(e.active.data.current?.record)}
      onDragCancel={() => setLifted(undefined)}
      onDragEnd={({ active, over }) => {
        setLifted(undefined)
        const record = active.data.current?.record as Rec | undefined
        if (record && over) onDrop(record, String(over.id))
      }}
      accessibility={{
        screenReaderInstructions: { draggable: help },
        announcements: {
          onDragStart: ({ active }) => {
            fresh.current = true
            return t('lifted', { name: titleOf(res, active.data.current?.record) })
          },
          // Where it was lifted from is no news, and would talk over the news that it is lifted.
          onDragOver: ({ over }) => {
            if (!fresh.current) return over ? t('overColumn', { column: nameOf(String(over.id)) }) : nowhere
            fresh.current = false
          },
          onDragEnd: ({ over }) => (over ? t('dropped', { column: nameOf(String(over.id)) }) : t('putBack')),
          onDragCancel: () => t('putBack') + (lifted ? ' ' + titleOf(res, lifted) : ''),
        },
      }}
    >
      {children(lifted)}
      <DragOverlay dropAnimation={null}>{lifted && picture(lifted)}</DragOverlay>
    </DndContext>
  )
}

// useCarried lets one be carried away from a place.
export const useCarried = (record: Rec, place: string, able: boolean) =>
  useDraggable({ id: record.id, data: { record, place }, disabled: !able, attributes: { roleDescription: t('draggable') } })
