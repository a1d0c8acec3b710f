// What somebody has typed and not sent yet is kept in this browser: for them and their business alone, until it is sent, discarded, or
// thirty days old. So a page that is left, a dialog that is closed by a click beside it, and a session that ends lose nothing.

import { useCallback, useRef, useState } from 'react'
import { useApp } from '../api/context'

const prefix = 'kith.draft.'
const longest = 30 * 86_400_000

type Kept<T> = { at: number; value: T }

// readDraft gives what was kept in a place, unless it is too old or cannot be read.
export function readDraft<T>(storage: Storage, place: string, now = Date.now()): Kept<T> | null {
  try {
    const kept = JSON.parse(storage.getItem(place) ?? 'null') as Kept<T> | null
    return kept && now - kept.at < longest ? kept : null
  } catch {
    return null
  }
}

// keepDraft keeps what is typed, and nothing where that is what one began with. A browser that has no room keeps nothing.
export function keepDraft<T>(storage: Storage, place: string, value: T, first: T, now = Date.now()): void {
  try {
    if (JSON.stringify(value) === JSON.stringify(first)) storage.removeItem(place)
    else storage.setItem(place, JSON.stringify({ at: now, value } satisfies Kept<T>))
  } catch {}
}

// dropOld forgets what nobody came back to.
export function dropOld(storage: Storage, now = Date.now()): void {
  for (let i = storage.length - 1; i >= 0; i--) {
    const place = storage.key(i)
    if (place?.startsWith(prefix) && !readDraft(storage, place, now)) storage.removeItem(place)
  }
}

let dropped = false

// useDraft is a state that outlasts the component: its value, how it is changed, how it is forgotten, and whether it was kept from before.
// The key says what is typed, such as a note about one record; where the key changes it is another draft.
export function useDraft<T>(key: string, initial: T): [T, (next: T | ((now: T) => T)) => void, () => void, boolean] {
  const { me } = useApp()
  const place = `${prefix}${me.business.id}.${me.user.id}.${key}`
  const begin = () => {
    if (!dropped) dropOld(localStorage)
    dropped = true
    const kept = readDraft<T>(localStorage, place)
    return { place, first: initial, value: kept ? kept.value : initial, restored: !!kept }
  }
  const [state, setState] = useState(begin)
  const now = useRef(state)
  if (now.current.place !== place) now.current = begin()
  const set = useCallback((next: T | ((now: T) => T)) => {
    const value = typeof next === 'function' ? (next as (now: T) => T)(now.current.value) : next
    now.current = { ...now.current, value }
    keepDraft(localStorage, now.current.place, value, now.current.first)
    setState(now.current)
  }, [])
  const clear = useCallback(() => {
    localStorage.removeItem(now.current.place)
    now.current = { ...now.current, value: now.current.first, restored: false }
    setState(now.current)
  }, [])
  return [now.current.value, set, clear, now.current.restored]
}
