// Records that were opened lately in this browser. Only their ids are kept: a name is asked for, by whoever is logged in.

import { useQuery } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { useApp } from '../api/context'
import type { Resource } from '../schema/schema'
import { type Named, named } from './names'

const place = 'kith.recent'
const most = 30
const shown = 6

const listeners = new Set<() => void>()
const listen = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

const written = () => localStorage.getItem(place) ?? '[]'
const read = (text: string): string[] => {
  try {
    return (JSON.parse(text) as unknown[]).filter((id) => typeof id === 'string') as string[]
  } catch {
    return []
  }
}

// Names that are known need not be asked for again as long as the page is open.
const known = new Map<string, Named>()

export function remember(record: Named) {
  known.set(record.id, record)
  localStorage.setItem(place, JSON.stringify([record.id, ...read(written()).filter((x) => x !== record.id)].slice(0, most)))
  for (const listener of listeners) listener()
}

// useRecent names them, the last one first; only those of some resources, where these are given. What is gone, or of another business, is
// not among them.
export function useRecent(count = shown, of?: Resource[]): Named[] {
  const { schema } = useApp()
  const ids = read(useSyncExternalStore(listen, written))
    .filter((id) => !of || of.some((r) => id.startsWith(r.id_prefix + '_')))
    .slice(0, count)
  const { data } = useQuery({
    queryKey: ['recent', ids.join()],
    enabled: ids.length > 0,
    placeholderData: (before) => before,
    queryFn: async () => {
      for (const found of await named(
        schema,
        ids.filter((id) => !known.has(id)),
      ))
        known.set(found.id, found)
      return ids.flatMap((id) => known.get(id) ?? [])
    },
  })
  return ids.length ? (data ?? []) : []
}
