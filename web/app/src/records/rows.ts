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

// A section is a part of a list under a head of its own, with a question that finds what is in it.
export type Section = { question: string; length: number; folded: boolean }

export type Rows = {
  // length is how many rows there are as far as has been seen, heads of sections among them. total is how many records the search finds in
  // all; it is not told of very many that had to be counted.
  length: number
  total?: number
  at: (row: number) => Rec | undefined
  // head is the section whose head a row is.
  head: (row: number) => number | undefined
  find: (id: string) => number
  loaded: () => Rec[]
  // load gives the records of rows that may not have been seen yet.
  load: (from: number, to: number) => Promise<Rec[]>
  want: (first: number, last: number) => void
  // shown are the questions that the rows answer: while another is asked, it is the one before.
  shown: string[]
  isPending: boolean
  error: unknown
  refetch: () => void
}

type Wanted = { section: number; block: number }

// useRows gives the rows that a question finds, from the row start on; sections are its parts, if it is shown in such, and null while they
// are not known. Another where is another list, which is seen from its beginning.
export function useRows(
  res: Resource,
  question: string,
  where: string,
  { enabled = true, start = 0, sections }: { enabled?: boolean; start?: number; sections?: Section[] | null } = {},
): Rows {
  const client = useQueryClient()
  const [wanted, setWanted] = useState<Wanted[]>(() => (sections === undefined ? [{ section: 0, block: Math.floor(start / inBlock) }] : []))
  const [here, setHere] = useState(where)
  if (here !== where) {
    setHere(where)
    setWanted(sections === undefined ? [{ section: 0, block: 0 }] : [])
  }
  const asked = wanted.flatMap(({ section, block }) => {
    const of = sections === undefined ? question : sections?.[section]?.question
    return enabled && of !== undefined ? [blockOf(client, res, of, block)] : []
  })
  const results = useQueries({ queries: asked })
  const answered = useRef<string | undefined>(undefined)
  // What is read of the results is what is drawn anew for, so it is read in any case.
  const there = results.some((r) => r.data)
  if (sections === undefined && there) answered.current = question
  const whole = answered.current ?? question

  const total = totalOf(client, res, whole)
  const [highest, page] = blocks(client, res, whole).at(-1) ?? [0, undefined]
  const known = highest * inBlock + (page ? page.data.length + (page.meta.cursor.has_more ? 1 : 0) : 0)
  // Without sections all rows are those of one that has no head.
  const parts = sections === undefined ? [{ question: whole, length: total ?? known, folded: false }] : (sections ?? [])
  const headed = sections === undefined ? 0 : 1
  const starts: number[] = []
  let length = 0
  for (const part of parts) {
    starts.push(length)
    length += headed + (part.folded ? 0 : part.length)
  }
  // spot is the section of a row and its number there; -1 is that of the head.
  const spot = (row: number): [section: number, row: number] => {
    let [low, high] = [0, parts.length - 1]
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (starts[middle] <= row) low = middle
      else high = middle - 1
    }
    return [low, row - (starts[low] ?? 0) - headed]
  }
  // within are the rows of sections that lie between two of the list.
  const within = (first: number, last: number) => {
    const [from] = spot(first)
    const [to] = spot(last)
    return parts.slice(from, to + 1).flatMap((part, i) => {
      const begin = starts[from + i] + headed
      const [low, high] = [Math.max(0, first - begin), Math.min(part.length - 1, last - begin)]
      return part.folded || low > high ? [] : [{ section: from + i, low, high }]
    })
  }

  const timer = useRef(0)
  useEffect(() => () => clearTimeout(timer.current), [])
  const wish = (first: number, last: number) => {
    const next = within(first, last).flatMap(({ section, low, high }) => {
      const from = Math.floor(low / inBlock)
      return Array.from({ length: Math.floor(high / inBlock) - from + 1 }, (_, i) => ({ section, block: from + i }))
    })
    clearTimeout(timer.current)
    const set = () => setWanted((now) => (JSON.stringify(now) === JSON.stringify(next) ? now : next))
    const near =
      wanted.length === 0 ||
      next.some(({ section, block }) => [block - 1, block].some((n) => kept(client, res, parts[section].question, n)))
    if (near) set()
    else timer.current = window.setTimeout(set, staying)
  }
  const wishing = useRef(wish)
  wishing.current = wish
  const byBlock = new Map<string, Rec[] | undefined>()
  return {
    length,
    total: sections === undefined ? total : undefined,
    at: (row) => {
      const [section, at] = spot(row)
      if (at < 0 || !parts[section]) return undefined
      const block = Math.floor(at / inBlock)
      const key = `${section}:${block}`
      if (!byBlock.has(key)) byBlock.set(key, kept(client, res, parts[section].question, block)?.data)
      return byBlock.get(key)?.[at % inBlock]
    },
    head: (row) => {
      const [section, at] = spot(row)
      return at < 0 && parts[section] ? section : undefined
    },
    find: (id) => {
      for (const [i, part] of parts.entries()) {
        const at = part.folded ? undefined : whereIs(client, res, part.question, id)
        if (at !== undefined) return starts[i] + headed + at
      }
      return -1
    },
    loaded: () => parts.flatMap((part) => blocks(client, res, part.question).flatMap(([, p]) => p.data)),
    load: async (first, last) => {
      const rows: Rec[] = []
      for (const { section, low, high } of within(first, last)) {
        const found: Rec[] = []
        const from = Math.floor(low / inBlock)
        for (let n = from; n <= Math.floor(high / inBlock); n++)
          found.push(...(await client.ensureQueryData(blockOf(client, res, parts[section].question, n))).pages[0].data)
        rows.push(...found.slice(low - from * inBlock, high - from * inBlock + 1))
      }
      return rows
    },
    want: useCallback((first, last) => wishing.current(first, last), []),
    shown: parts.map((part) => part.question),
    isPending: enabled && (sections === undefined ? answered.current === undefined && results.every((r) => !r.error) : sections === null),
    error: results.find((r) => r.error)?.error,
    refetch: () => {
      for (const r of results) void r.refetch()
    },
  }
}
