// How many records the views in the sidebar find. Nobody waits for that, so it is asked for once the page is at rest, in few requests, and
// again now and then after something changed.

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { type Search, searches } from '../api/call'
import { useApp } from '../api/context'
import type { View } from '../api/records'

const restsAfter = 1_500
// mostCounted is how many views are counted; who has more looks at the first.
const mostCounted = 30
// At once many changes can be told, by others, too.
const atMostEvery = 10_000
const lookEvery = 120_000

export function useViewCounts(views: View[]): Map<string, number> {
  const { schema } = useApp()
  const client = useQueryClient()
  const [rests, setRests] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setRests(true), restsAfter)
    return () => clearTimeout(timer)
  }, [])
  // What a view lacks would be refused, and with it the others.
  const counted = views
    .flatMap((view) => {
      const res = schema.resources.find((r) => r.name === view.resource && r.permissions.read !== 'none' && r.operations.includes('search'))
      return res && !view.missing?.length ? [{ id: view.id, res, search: countOf(view.search as Search | null) }] : []
    })
    .slice(0, mostCounted)
  const question = JSON.stringify(counted.map(({ id, res, search }) => [id, res.name, search]))
  const { data } = useQuery({
    queryKey: ['view counts', question],
    enabled: rests && counted.length > 0,
    staleTime: atMostEvery,
    refetchInterval: lookEvery,
    retry: false,
    placeholderData: (before) => before,
    queryFn: async () => {
      const pages = await searches(counted)
      return new Map(counted.flatMap(({ id }, i) => (pages[i].meta.total === undefined ? [] : [[id, pages[i].meta.total] as const])))
    },
  })
  const about = [...new Set(counted.map((c) => c.res.name))].join()
  useEffect(() => {
    let timer = 0
    const stop = client.getQueryCache().subscribe((e) => {
      const [what, of] = e.query.queryKey
      const changed = e.type === 'updated' && e.action.type === 'invalidate' && (what === 'list' || what === 'figures')
      if (timer || !changed || !about.split(',').includes(String(of))) return
      timer = window.setTimeout(() => {
        timer = 0
        void client.invalidateQueries({ queryKey: ['view counts'] })
      }, atMostEvery)
    })
    return () => {
      clearTimeout(timer)
      stop()
    }
  }, [client, about])
  return data ?? none
}

const none = new Map<string, number>()

// countOf asks how many records a search finds, and for none of them.
const countOf = (search: Search | null) => ({
  ...(search?.filters ? { filters: search.filters } : {}),
  ...(search?.search_text ? { search_text: search.search_text } : {}),
  fields: ['id'],
  limit: 1,
  total: true,
})
