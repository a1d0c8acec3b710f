// The stages of pipelines. They are parts of a pipeline, and no resource of their own.

import { queryOptions, useQuery } from '@tanstack/react-query'
import { readAll } from '../api/cache'
import { useResource } from '../api/context'
import type { Pipeline } from '../api/records'
import { type Beside, few } from '../records/beside'
import { type Leaf, leaves, type Resource, type Schema } from '../schema/schema'

const inOrder = { order_by: 'position', sort_direction: 'asc' }

export const askPipelines = queryOptions({
  queryKey: ['pipelines'],
  staleTime: 60_000,
  queryFn: () => readAll<Pipeline>('/v1/pipelines', inOrder),
})

// withPipelines asks for them together with a record that has a stage.
export const withPipelines = (schema: Schema, of: Resource): Beside[] =>
  leaves(of).some((l) => l.target === 'stage') ? few(schema, 'pipeline', askPipelines.queryKey, inOrder) : []

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
