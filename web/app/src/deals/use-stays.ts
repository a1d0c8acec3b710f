// How many days deals usually are in a stage, told by those that left one.

import { useQuery } from '@tanstack/react-query'
import { type Filter, searches } from '../api/call'
import type { Deal } from '../api/records'
import type { Resource } from '../schema/schema'
import { type Usual, usual } from './stays'

// No more deals are read for it than two requests bring.
const most = 1000
const page = 100

// useStays is of the newest deals that some filters find; some tells that there are more.
export function useStays(res: Resource, filters: Filter[] | null): { stays: Map<string, Usual>; some: boolean } | undefined {
  const { data } = useQuery({
    queryKey: ['figures', res.name, 'stays', JSON.stringify(filters)],
    enabled: !!filters && res.permissions.read !== 'none',
    queryFn: async () => {
      const from = (skip: number, more?: object) => ({
        res,
        search: { filters, fields: ['id', 'past_stages'], limit: page, skip, ...more },
      })
      const [first] = await searches([from(0, { total: true })])
      const all = first.meta.total ?? first.data.length
      const rest = Array.from({ length: Math.max(0, Math.ceil(Math.min(all, most) / page) - 1) }, (_, i) => from((i + 1) * page))
      const found = [first, ...(rest.length > 0 ? await searches(rest) : [])]
      return { stays: usual(found.flatMap((p) => p.data as unknown as Deal[])), some: all > most }
    },
  })
  return data
}
