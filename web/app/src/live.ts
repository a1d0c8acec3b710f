// What others change appears without reload: the app asks every few seconds what happened since it last asked.

import { useQueryClient, type InfiniteData } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { call, Problem, type Page } from './api'
import { put } from './model'
import { changeCached } from './world'

export type Happened = { seq: number; resource: string; record_id: string; action: string; version: number; changes: Record<string, { from: unknown; to: unknown }> | null }

const every = 5_000
const hidden = 60_000
// mostPages is how much of a list is asked for anew; in longer ones the records that changed are changed in place.
const mostPages = 5

// Kept lists that depend on more than records of their resource.
const others: Record<string, string[]> = { pipeline: ['pipelines'], user: ['users'], view: ['views'], field: ['schema'], role: ['schema', 'me'], business: ['me'] }

export function useLive(): { offline: boolean } {
  const client = useQueryClient()
  const [offline, setOffline] = useState(false)
  useEffect(() => {
    let after: number | null = null
    let timer = 0
    let over = false
    const look = async () => {
      try {
        const page: { data: Happened[]; meta: { latest: number; next: number } } = await call('POST', '/v1/changes/search', after === null ? { after: Number.MAX_SAFE_INTEGER, limit: 1 } : { after, limit: 100 })
        if (over) return
        after = after === null ? page.meta.latest : page.meta.next
        setOffline(false)
        for (const h of page.data) {
          if (h.action !== 'create') changeCached(client, h.resource, h.record_id, (r) => {
            if (h.action === 'delete' || h.action === 'erase') return null
            if (r.version >= h.version) return r
            return Object.entries(h.changes ?? {}).reduce((next, [path, { to }]) => (path.split('.')[0] in r ? put(next, path, to) : next), { ...r, version: h.version })
          })
        }
        for (const resource of new Set(page.data.map((h) => h.resource))) {
          const short = (data: unknown) => ((data as InfiniteData<Page> | undefined)?.pages?.length ?? 0) <= mostPages
          void client.invalidateQueries({ predicate: (q) => q.queryKey[0] === 'list' && q.queryKey[1] === resource && short(q.state.data) })
          void client.invalidateQueries({ queryKey: ['figures', resource] })
          for (const key of others[resource] ?? []) void client.invalidateQueries({ queryKey: [key] })
        }
        if (page.data.length) {
          for (const h of page.data) void client.invalidateQueries({ queryKey: ['record', h.resource, h.record_id] })
          void client.invalidateQueries({ queryKey: ['timeline'] })
        }
      } catch (error) {
        if (!over) setOffline(error instanceof Problem && (error.status === 0 || error.status >= 500))
      }
      if (!over) timer = window.setTimeout(look, document.hidden ? hidden : every)
    }
    // Whoever comes back, to the page or to the network, should not have to wait.
    const now = () => {
      if (document.hidden) return
      clearTimeout(timer)
      void look()
    }
    const gone = () => setOffline(true)
    void look()
    document.addEventListener('visibilitychange', now)
    window.addEventListener('online', now)
    window.addEventListener('offline', gone)
    return () => {
      over = true
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', now)
      window.removeEventListener('online', now)
      window.removeEventListener('offline', gone)
    }
  }, [client])
  return { offline }
}
