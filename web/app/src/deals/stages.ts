// The stages of pipelines. They are parts of a pipeline, and no resource of their own.

import { queryOptions, useQuery } from '@tanstack/react-query'
import { readAll } from '../api/cache'
import { useResource } from '../api/context'
import type { Pipeline } from '../api/records'
import type { Leaf } from '../schema/schema'

export const askPipelines = queryOptions({
  queryKey: ['pipelines'],
  staleTime: 60_000,
  queryFn: () => readAll<Pipeline>('/v1/pipelines', { order_by: 'position', sort_direction: 'asc' }),
})

// Who needs them only sometimes asks for them then.
export function usePipelines(wanted = true): Pipeline[] {
  const res = useResource('pipeline')
  const { data } = useQuery({ ...askPipelines, enabled: wanted && !!res && res.permissions.read !== 'none' })
  return data ?? []
}

// useStageChoices are the stages that a reference can be given, by what was typed; null where it leads to no stage.
export function useStageChoices(leaf: Leaf, text: string): { id: string; name: string; more: string }[] | null {
  const pipelines = usePipelines()
  if (leaf.target !== 'stage') return null
  const wanted = text.trim().toLowerCase()
  return pipelines
    .flatMap((p) => p.stages.map((s) => ({ id: s.id, name: s.name, more: p.name })))
    .filter((c) => c.name.toLowerCase().includes(wanted))
}
