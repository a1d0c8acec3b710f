// The rows of a list of any length. They are asked for in blocks, as one comes to see them: behind the block before where one goes on, and
// by how many come before where one jumps. What is kept of a block is changed, and asked for anew, as that of every list.

import { type InfiniteData, type QueryClient, useQueries, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import { call, type Page, type Rec } from '../api/call'
import type { Resource } from '../schema/schema'

// inBlock is how many rows a block has, which is what one search gives.
export const inBlock = 100

// Blocks that could not be had are asked for again after this long.
const again = 3_000

// Who drags a scrollbar passes by much that nobody looks at; a place is asked for when one has stayed there for so long.
const staying = 80

type Block = InfiniteData<Page>

const keyOf = (res: Resource, question: string, n: number) => ['list', res.name, question, n]

const kept = (client: QueryClient, res: Resource, question: string, n: number): Page | undefined =>
  client.getQueryData<Block>(keyOf(res, question, n))?.pages[0]

// blockOf asks for a block of what a question finds, which is the body of a search.
export const blockOf = (client: QueryClient, res: Resource, question: string, n: number) => ({
  queryKey: keyOf(res, question, n),
  staleTime: 60_000,
  refetchInterval: (query: { state: { error: unknown } }) => (n > 0 && query.state.error ? again : (false as const)),
  queryFn: async ({ signal }: { signal: AbortSignal }): Promise<Block> => {
    const before = n > 0 ? client.getQueryState<Block>(keyOf(res, question, n - 1)) : undefined
    const cursor = before?.isInvalidated ? null : before?.data?.pages[0].meta.cursor.next
    const from = cursor ? { cursor } : n > 0 ? { skip: n * inBlock, total: true } : { total: true }
    const page = await call<Page>('POST', res.path + '/search', { ...JSON.parse(question), limit: inBlock, ...from }, { signal })
    return { pages: [page], pageParams: [n] }
  },
})

// blocks are those that are kept of what a question finds.
function blocks(client: QueryClient, res: Resource, question: string): [n: number, page: Page][] {
  return client
    .getQueriesData<Block>({ queryKey: ['list', res.name, question] })
    .flatMap(([key, data]): [number, Page][] => (data ? [[key[3] as number, data.pages[0]]] : []))
    .sort(([a], [b]) => a - b)
}

// whereIs is the number of the row of a record, as far as its block is kept.
export function whereIs(client: QueryClient, res: Resource, question: string, id: string): number | undefined {
  for (const [n, page] of blocks(client, res, question)) {
    const i = page.data.findIndex((r) => r.id === id)
    if (i >= 0) return n * inBlock + i
  }
  return undefined
}

export const rowAt = (client: QueryClient, res: Resource, question: string, row: number): Rec | undefined =>
  kept(client, res, question, Math.floor(row / inBlock))?.data[row % inBlock]

// totalOf is how many rows there are in all, as the search said that was made last of those that say it.
export function totalOf(client: QueryClient, res: Resource, question: string): number | undefined {
  let total: number | undefined
  let at = 0
  for (const query of client.getQueryCache().findAll({ queryKey: ['list', res.name, question] })) {
    const told = (query.state.data as Block | undefined)?.pages[0].meta.total
    if (told !== undefined && query.state.dataUpdatedAt >= at) [total, at] = [told, query.state.dataUpdatedAt]
  }
  return total
}

export type Rows = {
  // length is how many rows there are as far as has been seen, total how many in all; it is not told of very many that had to be counted.
  length: number
  total?: number
  at: (row: number) => Rec | undefined
  find: (id: string) => number
  loaded: () => Rec[]
  // load gives the records of rows that may not have been seen yet.
  load: (from: number, to: number) => Promise<Rec[]>
  want: (first: number, last: number) => void
  // shown is the question that the rows answer: while another is asked, they are those of the one before.
  shown: string
  isPending: boolean
  error: unknown
  refetch: () => void
}

// useRows gives the rows that a question finds, from the row start on. Another where is another list, which is seen from its beginning.
export function useRows(res: Resource, question: string, where: string, { enabled = true, start = 0 } = {}): Rows {
  const client = useQueryClient()
  const [wanted, setWanted] = useState(() => [Math.floor(start / inBlock), Math.floor(start / inBlock)])
  const [here, setHere] = useState(where)
  if (here !== where) {
    setHere(where)
    setWanted([0, 0])
  }
  const [from, to] = wanted
  const results = useQueries({
    queries: enabled ? Array.from({ length: to - from + 1 }, (_, i) => blockOf(client, res, question, from + i)) : [],
  })
  const answered = useRef<string | undefined>(undefined)
  if (results.some((r) => r.data)) answered.current = question
  const shown = answered.current ?? question

  const total = totalOf(client, res, shown)
  const all = blocks(client, res, shown)
  const [highest, page] = all.at(-1) ?? [0, undefined]
  const length = highest * inBlock + (page ? page.data.length + (page.meta.cursor.has_more ? 1 : 0) : 0)

  const timer = useRef(0)
  useEffect(() => () => clearTimeout(timer.current), [])
  const want = useCallback(
    (first: number, last: number) => {
      const next = [Math.max(0, Math.floor(first / inBlock)), Math.max(0, Math.floor(last / inBlock))]
      clearTimeout(timer.current)
      const set = () => setWanted((now) => (now[0] === next[0] && now[1] === next[1] ? now : next))
      const near = [next[0] - 1, ...next].some((n) => n >= 0 && kept(client, res, shown, n))
      if (near) set()
      else timer.current = window.setTimeout(set, staying)
    },
    [client, res, shown],
  )
  const byBlock = new Map(all.map(([n, p]) => [n, p.data]))
  return {
    length,
    total,
    at: (row) => byBlock.get(Math.floor(row / inBlock))?.[row % inBlock],
    find: (id) => whereIs(client, res, shown, id) ?? -1,
    loaded: () => blocks(client, res, shown).flatMap(([, p]) => p.data),
    load: async (first, last) => {
      const rows: Rec[] = []
      for (let n = Math.floor(first / inBlock); n <= Math.floor(last / inBlock); n++)
        rows.push(...(await client.ensureQueryData(blockOf(client, res, shown, n))).pages[0].data)
      return rows.slice(first % inBlock, (first % inBlock) + last - first + 1)
    },
    want,
    shown,
    isPending: enabled && answered.current === undefined && results.every((r) => !r.error),
    error: results.find((r) => r.error)?.error,
    refetch: () => {
      for (const r of results) void r.refetch()
    },
  }
}
