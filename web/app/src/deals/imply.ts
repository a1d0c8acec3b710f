// Where a new deal stands: in the stage that was given, or in the first open one of its pipeline, which is the default one.

import type { QueryClient } from '@tanstack/react-query'
import type { Given } from '../records/making'
import { askPipelines } from './stages'

export async function imply(client: QueryClient, given: Given, changed?: string): Promise<Given> {
  const all = await client.ensureQueryData(askPipelines)
  const picked = ({ id, name }: { id: string; name: string }) => ({ value: id, picked: { id, name } })
  const of = changed === 'pipeline_id' ? undefined : all.find((p) => p.stages.some((s) => s.id === given.stage_id?.value))
  const pipeline = of ?? all.find((p) => (given.pipeline_id?.value ? p.id === given.pipeline_id.value : p.is_default))
  const stage = of ? of.stages.find((s) => s.id === given.stage_id.value) : pipeline?.stages.find((s) => s.kind === 'open')
  return pipeline && stage ? { pipeline_id: picked(pipeline), stage_id: picked(stage) } : {}
}
