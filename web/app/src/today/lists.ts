// The short lists of the first page, of several kinds of records at once.

import { type InfiniteData, useQuery } from '@tanstack/react-query'
import { call, type Filter, type Page } from '../api/call'
import { useApp } from '../api/context'
import { leaf, projection, type Resource } from '../schema/schema'

export type Wanted = {
  res: Resource | undefined
  name: string
  filters: Filter[]
  order: string
  down?: boolean
  shown: string[]
  limit: number
  // lacking leaves out the records that others refer to, such as deals for which there is a task. Of more than mostAsked it looks at the first.
  lacking?: { resource: string; by: string; filters: Filter[] }
}

const mostAsked = 100

export type List = { data?: Page; isPending: boolean }

// useLists gives the first page of each list. They are kept in the form of all lists, so that what changes in a record changes here as well.
// Every time as many have to be wanted; those without a resource are not asked for.
export function useLists(wanted: Wanted[]): List[] {
  const { schema } = useApp()
  return wanted.map(({ res, name, filters, order, down, shown, limit, lacking }) => {
    const others = schema.resources.find((r) => r.name === lacking?.resource && r.permissions.read !== 'none')
    // biome-ignore lint/correctness/useHookAtTopLevel: there are as many every time.
    const { data, isPending } = useQuery({
      queryKey: ['list', res?.name, 'today', name, filters.length],
      enabled: !!res && res.permissions.read !== 'none',
      queryFn: async (): Promise<InfiniteData<Page>> => {
        const page = await call<Page>('POST', res!.path + '/search', {
          filters,
          order_by: order,
          sort_direction: down ? 'desc' : 'asc',
          limit: others ? mostAsked : limit,
          total: true,
          fields: projection(
            res!,
            shown.flatMap((p) => leaf(res!, p) ?? []),
            schema.resources,
          ),
        })
        if (others && lacking && page.data.length > 0) {
          const found = await call<{ data: Record<string, unknown>[] }>('POST', others.path + '/aggregate', {
            group_by: [lacking.by],
            metrics: ['count'],
            filters: [...lacking.filters, { field: lacking.by, operator: 'in', values: page.data.map((r) => r.id) }],
          })
          const out = new Set(found.data.map((row) => row[lacking.by]))
          page.data = page.data.filter((r) => !out.has(r.id))
          if (page.meta.total !== undefined) page.meta.total -= out.size
          page.data.splice(limit)
        }
        return { pages: [page], pageParams: [''] }
      },
    })
    return { data: data?.pages[0], isPending }
  })
}
