// The input of one field where it stands: in a cell of a grid, or on the page of a record.

import { useId, useRef, useState } from 'react'
import type { Rec } from '../api/call'
import { useApp } from '../api/context'
import { at, type Leaf, labelOf, linked } from '../schema/schema'
import { useRefused } from './edit'
import { Input, isHeld, leaving } from './fields'
import type { Picked } from './names'
import { faultOf } from './refusals'

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
  const [refused, setRefused] = useRefused()
  const again = refused?.record.id === record.id && refused.leaf.path === leaf.path ? refused : null
  const first = leaf.kind === 'reference' ? (linked(leaf, record, schema.resources)?.id ?? null) : at(record, leaf.path)
  const [value, setValue] = useState(again ? again.value : first)
  const [wrong, setWrong] = useState(again?.wrong)
  const [picked, setPicked] = useState<Picked | null | undefined>(
    again ? again.picked : shownAs && first ? { id: first as string, name: shownAs } : undefined,
  )
  const done = useRef(false)
  const began = useRef(record)
  const box = useRef<HTMLDivElement>(null)
  const id = useId()
  const keep = (v = value, p = picked, next?: 'left' | 'right') => {
    if (done.current) return
    const fault = JSON.stringify(v) === JSON.stringify(first) ? null : faultOf(leaf, v)
    setWrong(fault ?? undefined)
    if (fault) return
    done.current = true
    if (again) setRefused(null)
    // Where somebody else changed this very field meanwhile, the server is told what was known when the editing began, and refuses.
    const same = JSON.stringify(at(began.current, leaf.path)) === JSON.stringify(at(record, leaf.path))
    onKeep(v, p, same ? record : began.current, next)
  }
  const leave = (next?: 'left' | 'right') => !isHeld(box.current) && keep(value, picked, next)
  return (
    <div
      ref={box}
      className="cell-editor"
      onKeyDownCapture={(e) => {
        // In the form of what the reference is to lead to, keys are for that.
        if (!box.current?.contains(e.target as Node)) return
        // A list of choices that is open takes these keys for itself.
        const open = leaf.kind === 'reference' && box.current?.querySelector('[aria-expanded="true"]')
        const way = leaving(e, leaf)
        if (!way || (open && e.key !== 'Tab' && e.key !== 'Escape')) return
        if (e.key === 'Enter' && leaf.kind === 'tags' && (e.target as HTMLInputElement).value.trim()) return
        e.preventDefault()
        e.stopPropagation()
        if (way === 'drop') {
          done.current = true
          if (again) setRefused(null)
          onDrop()
        } else leave(e.key === 'Tab' ? (e.shiftKey ? 'left' : 'right') : undefined)
      }}
      onBlur={(e) => {
        const to = e.relatedTarget as HTMLElement | null
        const inside = (e: Element | null) => box.current?.contains(e) || e?.closest('.popover, .dialog')
        if (inside(to) || !box.current?.contains(e.target)) return
        // A list of choices closes before the focus is anywhere.
        setTimeout(() => !inside(document.activeElement) && leave(), 0)
      }}
    >
      <Input
        leaf={leaf}
        value={value}
        label={labelOf(leaf)}
        shownAs={again?.picked ? again.picked.name : shownAs}
        invalid={!!wrong}
        describedBy={wrong ? id : undefined}
        autoFocus
        inCell
        onChange={(v, p) => {
          setValue(v)
          setPicked(p)
          setWrong(undefined)
          if (leaf.kind === 'reference' && p) keep(v, p)
        }}
      />
      {wrong && (
        <p className="error" id={id} role="alert" ref={(told) => told?.scrollIntoView({ block: 'nearest', inline: 'nearest' })}>
          {wrong}
        </p>
      )}
    </div>
  )
}
