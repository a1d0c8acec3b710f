// The input of one field where it stands: in a cell of a grid, or on the page of a record.

import { useRef, useState } from 'react'
import type { Rec } from '../api/call'
import { useApp } from '../api/context'
import { at, type Leaf, labelOf, linked } from '../schema/schema'
import { Input, leaving, type Picked } from './fields'

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
  const { schema } = useApp()
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
