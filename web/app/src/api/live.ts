// What others change appears without reload: the app listens to the stream of changes, and asks every few seconds where it cannot.

import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { at, leaves, put, type Schema } from '../schema/schema'
import { changeManyCached, refresh } from './cache'
import { call, fetchApi, Problem, type Rec } from './call'
import { eventReader } from './events'

export type Change = {
  seq: number
  resource: string
  record_id: string
  action: string
  version: number
  changes: Record<string, { from: unknown; to: unknown }> | null
}

const pollEvery = 5_000
// A stream that could not be had is tried again after this long.
const streamAgain = 30_000
// The server says something every 15 seconds; who hears nothing for longer has lost the connection.
const silence = 40_000
// A page that nobody looks at gives its connection back: a browser has few for each host, and tabs share them.
const unseenFor = 20_000
// What comes in this time is shown together, so that much at once does not ask for the same lists again and again.
const together = 60
const betweenRefreshes = 1_000

// KeptAs says what else the app keeps that depends on records of a resource: the beginnings of its keys.
export type KeptAs = (resource: string) => string[]

// changed is a record after something happened to it, as far as the record has what changed. The name behind a reference is not told, so it is forgotten with the reference.
export function changed(schema: Schema, record: Rec, h: Change): Rec | null {
  if (['delete', 'erase', 'purge'].includes(h.action)) return null
  if (record.version >= h.version) return record
  const res = schema.resources.find((r) => r.name === h.resource)
  return Object.entries(h.changes ?? {}).reduce(
    (next, [path, { to }]) => {
      const l = res && leaves(res).find((x) => x.path === path)
      const name = l?.followed_as
      if (name && name !== path && at(record, name) !== undefined) next = put(next, name, to === null ? null : { id: to })
      if (name === path) return at(record, path) !== undefined ? put(next, path, to === null ? null : { id: to }) : next
      return path.split('.')[0] in record ? put(next, path, to) : next
    },
    { ...record, version: h.version },
  )
}

function grouped(all: Change[], by: 'resource' | 'record_id'): Map<string, Change[]> {
  const groups = new Map<string, Change[]>()
  for (const h of all) groups.get(h[by])?.push(h) ?? groups.set(h[by], [h])
  return groups
}

// show brings what happened into everything that the app keeps.
export function show(client: QueryClient, schema: Schema, keptAs: KeptAs, happened: Change[]) {
  for (const [resource, all] of grouped(happened, 'resource')) {
    const changes = new Map<string, (r: Rec) => Rec | null>()
    for (const [id, some] of grouped(
      all.filter((h) => h.action !== 'create'),
      'record_id',
    ))
      changes.set(id, (r) => some.reduce<Rec | null>((now, h) => now && changed(schema, now, h), r))
    if (changes.size) changeManyCached(client, resource, changes)
    void refresh(client, resource)
    for (const key of keptAs(resource)) void client.invalidateQueries({ queryKey: [key] })
    const ids = new Set(all.map((h) => h.record_id))
    void client.invalidateQueries({
      predicate: (q) => q.queryKey[0] === 'record' && q.queryKey[1] === resource && ids.has(q.queryKey[2] as string),
    })
  }
  if (happened.length) void client.invalidateQueries({ queryKey: ['timeline'] })
}

export function useLive(schema: Schema, keptAs: KeptAs): { offline: boolean } {
  const client = useQueryClient()
  const [offline, setOffline] = useState(false)
  const known = useRef({ schema, keptAs })
  known.current = { schema, keptAs }
  useEffect(() => {
    let after: number | null = null
    let over = false
    let tryStreamAt = 0
    let stream: AbortController | null = null
    let wake = () => {}
    const sleep = (ms: number) =>
      new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms)
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })

    let waiting: Change[] = []
    let timer = 0
    let lastShown = 0
    const take = (happened: Change[]) => {
      waiting.push(...happened)
      if (!waiting.length || timer) return
      timer = window.setTimeout(
        () => {
          timer = 0
          lastShown = Date.now()
          show(client, known.current.schema, known.current.keptAs, waiting)
          waiting = []
        },
        Math.max(together, lastShown + betweenRefreshes - Date.now()),
      )
    }

    const listen = async () => {
      const own = new AbortController()
      stream = own
      let watchdog = setTimeout(() => own.abort(), silence)
      try {
        const response = await fetchApi('GET', '/v1/changes/stream' + (after === null ? '' : `?after=${after}`), undefined, {
          signal: own.signal,
        })
        const text = response.body!.pipeThrough(new TextDecoderStream()).getReader()
        const read = eventReader()
        for (;;) {
          const { done, value } = await text.read()
          if (done) return
          clearTimeout(watchdog)
          watchdog = setTimeout(() => own.abort(), silence)
          setOffline(false)
          const happened: Change[] = []
          for (const e of read(value)) {
            if (e.event === 'end') {
              // What one may do may have changed with it.
              void client.invalidateQueries({ queryKey: ['me'] })
              void client.invalidateQueries({ queryKey: ['schema'] })
              return
            }
            if (e.id) after = Number(e.id)
            if (e.data) happened.push(JSON.parse(e.data))
          }
          take(happened)
        }
      } finally {
        clearTimeout(watchdog)
        own.abort()
        stream = null
      }
    }

    const poll = async () => {
      const page: { data: Change[]; meta: { latest: number; next: number } } = await call(
        'POST',
        '/v1/changes/search',
        after === null ? { after: Number.MAX_SAFE_INTEGER, limit: 1 } : { after, limit: 100 },
      )
      after = after === null ? page.meta.latest : page.meta.next
      setOffline(false)
      take(page.data)
      return page.meta.next < page.meta.latest
    }

    const run = async () => {
      while (!over) {
        if (document.hidden && after !== null) {
          await sleep(600_000)
          continue
        }
        if (Date.now() >= tryStreamAt) {
          try {
            await listen()
            await sleep(1_000)
            continue
          } catch (error) {
            if (over) return
            // A connection that broke is tried again at once; one that is refused is not asked for so soon.
            if (error instanceof Problem) tryStreamAt = Date.now() + (error.status === 0 ? 0 : streamAgain)
          }
        }
        if (over || document.hidden) continue
        let more = false
        try {
          more = await poll()
        } catch (error) {
          setOffline(error instanceof Problem && (error.status === 0 || error.status >= 500))
        }
        if (!more && Date.now() < tryStreamAt) await sleep(pollEvery)
        else if (!more) await sleep(2_000)
      }
    }

    let leaving = 0
    const seen = () => {
      clearTimeout(leaving)
      if (document.hidden) leaving = window.setTimeout(() => stream?.abort(), unseenFor)
      else wake()
    }
    const back = () => wake()
    const gone = () => {
      setOffline(true)
      stream?.abort()
    }
    void run()
    document.addEventListener('visibilitychange', seen)
    window.addEventListener('online', back)
    window.addEventListener('offline', gone)
    return () => {
      over = true
      clearTimeout(timer)
      clearTimeout(leaving)
      stream?.abort()
      wake()
      document.removeEventListener('visibilitychange', seen)
      window.removeEventListener('online', back)
      window.removeEventListener('offline', gone)
    }
  }, [client])
  return { offline }
}
