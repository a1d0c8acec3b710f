// Records that were opened lately in this browser. Only their ids are kept: a name is asked for, by whoever is logged in.

import { useQuery } from '@tanstack/react-query'
import { call, type Page } from '../api/call'
import { useWorld } from '../api/world'
import { type Resource, type Schema, titleOf } from '../schema/schema'

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

// useRecent names them, the last one first. What is gone, or of another business, is not among them.
export function useRecent(): Named[] {
  const { schema } = useWorld()
  const ids = kept()
  const { data } = useQuery({ queryKey: ['recent', ids.join()], enabled: ids.length > 0, queryFn: () => named(schema, ids) })
  return data ?? []
}
