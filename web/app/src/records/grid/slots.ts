// Elements of a grid are lent: the row that scrolls out of sight gives what it has in the page to one that comes into it, since to change
// the words in an element takes much less than to make one.

import { useRef } from 'react'

// slotsOf gives each of what is shown now the slot that it had, or else one that is free, or a new one.
export function slotsOf(before: Map<string, number>, shown: string[], focused?: string): Map<string, number> {
  const now = new Map<string, number>()
  for (const id of shown) if (before.has(id)) now.set(id, before.get(id)!)
  // What had the focus takes it along: nothing else gets the focus by scrolling.
  const free = [...before].flatMap(([id, slot]) => (now.has(id) || id === focused ? [] : [slot]))
  let highest = Math.max(-1, ...before.values())
  for (const id of shown) if (!now.has(id)) now.set(id, free.shift() ?? ++highest)
  return now
}

export function useSlots(shown: string[], focused?: string): Map<string, number> {
  const slots = useRef(new Map<string, number>())
  slots.current = slotsOf(slots.current, shown, focused)
  return slots.current
}
