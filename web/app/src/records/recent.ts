// Records that were opened lately in this browser. Only their ids are kept: a name is asked for, by whoever is logged in.

import { useQuery } from '@tanstack/react-query'
import { useApp } from '../api/context'
import { type Named, named } from './names'

const place = 'kith.recent'
const most = 6

const kept = (): string[] => {
  try {
    return (JSON.parse(localStorage.getItem(place) ?? '[]') as unknown[]).filter((id) => typeof id === 'string') as string[]
  } catch {
    return []
  }
}

export const remember = (id: string) => localStorage.setItem(place, JSON.stringify([id, ...kept().filter((x) => x !== id)].slice(0, most)))

// useRecent names them, the last one first. What is gone, or of another business, is not among them.
export function useRecent(): Named[] {
  const { schema } = useApp()
  const ids = kept()
  const { data } = useQuery({ queryKey: ['recent', ids.join()], enabled: ids.length > 0, queryFn: () => named(schema, ids) })
  return data ?? []
}
