// What records are called: those that a business has few of are read once, and others are asked for by their ids.

import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { readAll } from '../api/cache'
import { call, type Page } from '../api/call'
import { useApp, useResource } from '../api/context'
import type { User } from '../api/records'
import { usePipelines } from '../deals/stages'
import { type Resource, type Schema, titleOf } from '../schema/schema'
import { type Beside, few } from './beside'

const users = { fields: ['id', 'name'], order_by: 'name', sort_direction: 'asc' }

// withUsers asks for them together with a record.
export const withUsers = (schema: Schema): Beside[] => few(schema, 'user', ['users'], users)

export function useUsers(): Map<string, string> {
  const res = useResource('user')
  const { data } = useQuery({
    queryKey: ['users'],
    enabled: res?.permissions.read !== 'none',
    staleTime: 60_000,
    queryFn: () => readAll<User>('/v1/users', users),
  })
  return useMemo(() => new Map(data?.map((u) => [u.id, u.name])), [data])
}

// useKnownNames are those of users, pipelines and stages, by their ids.
export function useKnownNames(stages = true): Map<string, string> {
  const users = useUsers()
  const pipelines = usePipelines(stages)
  return useMemo(
    () => new Map([...users, ...pipelines.flatMap((p) => [[p.id, p.name] as const, ...p.stages.map((s) => [s.id, s.name] as const)])]),
    [users, pipelines],
  )
}

// useNamesOf are those of all that a filter may refer to, as far as they are known or found by now.
export function useNamesOf(values: unknown[]): Map<string, string> {
  const { schema } = useApp()
  const known = useKnownNames()
  const ids = values.filter((v): v is string => typeof v === 'string' && /^[a-z_]+_[0-9a-z]{26}$/.test(v) && !known.has(v)).sort()
  const { data } = useQuery({
    queryKey: ['names', 'of filters', ids.join()],
    enabled: ids.length > 0,
    staleTime: 60_000,
    placeholderData: (kept) => kept,
    queryFn: async () => (await named(schema, ids.slice(0, 100))).map((r) => [r.id, r.name] as const),
  })
  return useMemo(() => new Map([...known, ...(data ?? [])]), [known, data])
}

// Picked is what a reference was given, with the name that it is shown by.
export type Picked = { id: string; name: string }

export type Named = { id: string; res: Resource; name: string }

// named gives records of any resource their names, in the order of their ids.
export async function named(schema: Schema, ids: string[]): Promise<Named[]> {
  const of = new Map<Resource, string[]>()
  for (const id of ids) {
    const res = schema.resources.find((r) => id.startsWith(r.id_prefix + '_') && r.permissions.read !== 'none')
    if (res) of.set(res, [...(of.get(res) ?? []), id])
  }
  const found = await Promise.all(
    [...of].map(async ([res, values]) =>
      (
        await call<Page>('POST', res.path + '/search', {
          filters: [{ field: 'id', operator: 'in', values }],
          fields: ['id', ...res.named_by],
          limit: 100,
        })
      ).data.map((r): Named => ({ id: r.id, res, name: titleOf(res, r) })),
    ),
  )
  const all = found.flat()
  return ids.flatMap((id) => all.find((r) => r.id === id) ?? [])
}

// nameOf asks for the name of a record, together with those that are asked for in the same moment, as the rows of a list do.
let waiting: Map<string, ((name: string | null) => void)[]> | null = null
export function nameOf(schema: Schema, id: string): Promise<string | null> {
  if (!waiting) {
    const these = new Map<string, ((name: string | null) => void)[]>()
    waiting = these
    setTimeout(async () => {
      waiting = null
      const ids = [...these.keys()]
      for (let i = 0; i < ids.length; i += 100) {
        const some = ids.slice(i, i + 100)
        const found = await named(schema, some).catch(() => [])
        for (const id of some) for (const tell of these.get(id)!) tell(found.find((r) => r.id === id)?.name ?? null)
      }
    }, 10)
  }
  return new Promise((tell) => waiting!.set(id, [...(waiting!.get(id) ?? []), tell]))
}
