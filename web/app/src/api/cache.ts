// Records that the app keeps: read to the end of a list, changed in place, asked for anew, and more of them.

import type { InfiniteData, QueryClient, UseInfiniteQueryResult } from '@tanstack/react-query'
import { useCallback, useEffect } from 'react'
import { call, type Page, type Rec } from './call'

// readAll reads a list to its end; for what a business has few of.
export async function readAll<R = Rec>(path: string, body: Record<string, unknown>): Promise<R[]> {
  const all: R[] = []
  for (let cursor: string | null = null; ; ) {
    const page: Page<R> = await call<Page<R>>('POST', path + '/search', { limit: 100, ...body, ...(cursor ? { cursor } : {}) })
    all.push(...page.data)
    cursor = page.meta.cursor.next
    if (!cursor || all.length >= 2000) return all
  }
}

// changeManyCached changes records wherever the app keeps them: those that it makes null are gone.
export function changeManyCached(client: QueryClient, resource: string, changes: Map<string, (record: Rec) => Rec | null>) {
  client.setQueriesData<InfiniteData<Page>>({ queryKey: ['list', resource] }, (kept) => {
    if (!kept?.pages.some((p) => p.data.some((r) => changes.has(r.id)))) return kept
    let gone = 0
    const pages = kept.pages.map((p) => {
      const data = p.data.map((r) => (changes.has(r.id) ? changes.get(r.id)!(r) : r)).filter((r) => r !== null)
      gone += p.data.length - data.length
      return { ...p, data }
    })
    const { total, ...meta } = pages[0].meta
    if (gone && total !== undefined) pages[0] = { ...pages[0], meta: { ...meta, total: Math.max(0, total - gone) } }
    return { ...kept, pages }
  })
  for (const [id, change] of changes)
    client.setQueriesData<Rec>({ queryKey: ['record', resource, id] }, (kept) => (kept ? (change(kept) ?? kept) : kept))
}

export const changeCached = (client: QueryClient, resource: string, id: string, change: (record: Rec) => Rec | null) =>
  changeManyCached(client, resource, new Map([[id, change]]))

// mostPages is how much of a list is asked for anew; in longer ones the records that changed are changed in place, as live.ts hears of them.
const mostPages = 5
const isLong = (data: unknown) => ((data as InfiniteData<Page> | undefined)?.pages?.length ?? 0) > mostPages

// refresh asks anew for what depends on records of a resource, or of any.
export function refresh(client: QueryClient, resource?: string): Promise<void> {
  return client.invalidateQueries({
    predicate: (q) => {
      const [what, of] = q.queryKey
      if (what === 'list' && isLong(q.state.data)) return false
      return resource === undefined || ((what === 'list' || what === 'figures') && of === resource)
    },
  })
}

// moreAgain is after how many milliseconds more records are asked for again that could not be had.
const moreAgain = 3_000

// useMore gives what asks for the next page of a list as one comes to its end. What could not be had is asked for again after a while, and not as fast as it is refused.
export function useMore({
  fetchNextPage,
  isFetchingNextPage,
  isFetchNextPageError,
}: Pick<UseInfiniteQueryResult, 'fetchNextPage' | 'isFetchingNextPage' | 'isFetchNextPageError'>): () => void {
  useEffect(() => {
    if (!isFetchNextPageError || isFetchingNextPage) return
    const timer = setTimeout(() => void fetchNextPage(), moreAgain)
    return () => clearTimeout(timer)
  }, [fetchNextPage, isFetchingNextPage, isFetchNextPageError])
  return useCallback(() => {
    if (!isFetchingNextPage && !isFetchNextPageError) void fetchNextPage()
  }, [fetchNextPage, isFetchingNextPage, isFetchNextPageError])
}
