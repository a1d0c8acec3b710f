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
}

export type List = { data?: Page; isPending: boolean }

// useLists gives the first page of each list. They are kept in the form of all lists, so that what changes in a record changes here as well.
// Every time as many have to be wanted; those without a resource are not asked for.
export function useLists(wanted: Wanted[]): List[] {
  const { schema } = useApp()
  return wanted.map(({ res, name, filters, order, down, shown, limit }) => {
    // biome-ignore lint/correctness/useHookAtTopLevel: there are as many every time.
    const { data, isPending } = useQuery({
      queryKey: ['list', res?.name, 'today', name, filters.length],
      enabled: !!res && res.permissions.read !== 'none',
      queryFn: async (): Promise<InfiniteData<Page>> => {
        const page = await call<Page>('POST', res!.path + '/search', {
          filters,
          order_by: order,
          sort_direction: down ? 'desc' : 'asc',
          limit,
          total: true,
          fields: projection(
            res!,
            shown.flatMap((p) => leaf(res!, p) ?? []),
            schema.resources,
          ),
        })
        return { pages: [page], pageParams: [''] }
      },
    })
    return { data: data?.pages[0], isPending }
  })
}
