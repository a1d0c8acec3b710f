// The stages of pipelines. They are parts of a pipeline, and no resource of their own.

import { useQuery } from '@tanstack/react-query'
import { readAll } from '../api/cache'
import { useResource } from '../api/context'
import type { Pipeline } from '../api/records'
import type { Leaf } from '../schema/schema'

export function usePipelines(): Pipeline[] {
  const res = useResource('pipeline')
  const { data } = useQuery({
    queryKey: ['pipelines'],
    enabled: !!res && res.permissions.read !== 'none',
    staleTime: 60_000,
    queryFn: () => readAll<Pipeline>('/v1/pipelines', { order_by: 'position', sort_direction: 'asc' }),
  })
  return data ?? []
}

// leadsToStage tells of a reference whose choices are the stages of all pipelines.
export const leadsToStage = (l: Leaf) => l.target === 'stage'
