// What takes the server longer than a request, and what is taken back: both are followed here until they are done, wherever one goes meanwhile.

import { useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { refresh } from '../api/cache'
import { call, type Fault, Problem } from '../api/call'
import { useApp } from '../api/context'
import { knownSentence, said, t, translateSentence } from '../i18n/translate'
import { pluralLabel, type Resource, type Schema } from '../schema/schema'
import { useNotice } from '../ui/components'
import type { Selected } from './address'
import { useEditing } from './edit'
import { refusalOf } from './refusals'

export type Job = {
  id: string
  kind: string
  status: 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled'
  total: number
  done: number
  failed: number
  created_at: string
  finished_at: string | null
  error: { detail?: string } | null
  parameters: { resource?: string; op?: string; import_id?: string; job_id?: string; request_id?: string }
  actor: { user_id: string | null }
}

// nameOfJob says what a job did, and to what.
export function nameOfJob(schema: Schema, job: Job): string {
  const res = schema.resources.find((r) => r.name === job.parameters.resource)
  return `${said(`job.${job.kind}.${job.parameters.op ?? ''}`, said(`job.${job.kind}`, job.kind))}${res ? ` · ${pluralLabel(res)}` : ''}`
}

export type Refused = { error: { detail?: string; errors?: Fault[] } }

const reason = ({ error: { errors, detail } }: Refused, res?: Resource) =>
  errors?.[0] ? refusalOf({ ...errors[0], said: knownSentence(errors[0].message) }, res) : translateSentence(detail ?? '')

// reasons says why records were refused, which are of one kind.
export const reasons = (all: Refused[], res?: Resource) => [...new Set(all.map((r) => reason(r, res)))].slice(0, 3).join(' ')

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

const sum = (jobs: Job[], of: 'total' | 'done' | 'failed') => jobs.reduce((n, job) => n + job[of], 0)

// useFollow gives what follows jobs to their end, as one; doing and done say what they are about.
export function useFollow() {
  const client = useQueryClient()
  const notice = useNotice()
  const { explain } = useEditing()
  const undo = useUndoCall()
  const { schema } = useApp()
  return useCallback(
    async function follow(begun: Job[], doing: string, done: (count: number) => string, undoable = true): Promise<void> {
      const jobs = [...begun]
      const progress = () => ({ done: sum(jobs, 'done'), total: sum(jobs, 'total') })
      const card = notice({
        text: doing,
        progress: progress(),
        cancel: () => {
          for (const job of jobs) if (!job.finished_at) void call('POST', `/v1/jobs/${job.id}/cancel`).catch(() => {})
        },
      })
      for (let i = 0, wait = 200; i < jobs.length; wait = Math.min(800, wait * 1.5)) {
        if (jobs[i].finished_at) {
          i++
          continue
        }
        await pause(wait)
        try {
          jobs[i] = await call<Job>('GET', `/v1/jobs/${jobs[i].id}`)
          card.change({ progress: progress() })
        } catch (error) {
          // The jobs go on without us; who is back asks again.
          if (error instanceof Problem && (error.status === 0 || error.status >= 500)) await pause(2_000)
          else {
            card.close()
            return explain(error)
          }
        }
      }
      card.close()
      void refresh(client)
      const changed = sum(jobs, 'done') - sum(jobs, 'failed')
      const wrote = jobs.filter((job) => job.done > job.failed)
      const back = undoable && changed > 0 ? () => void undo(wrote.map((job) => ({ job_id: job.id })).reverse(), follow) : undefined
      const refused = jobs.find((job) => job.failed > 0)
      if (refused) {
        const { data } = await call<{ data: Refused[] }>('POST', `/v1/jobs/${refused.id}/refused/search`, { limit: 20 }).catch(() => ({
          data: [],
        }))
        const res = schema.resources.find((r) => r.name === refused.parameters.resource)
        notice({ text: t('failedMany', { count: sum(jobs, 'failed'), why: reasons(data, res) }), bad: true })
      }
      const failed = jobs.find((job) => job.status === 'failed')
      if (failed) notice({ text: failed.error?.detail ? translateSentence(failed.error.detail) : t('failed'), bad: true, undo: back })
      else if (jobs.some((job) => job.status === 'cancelled')) notice({ text: t('jobCancelled', progress()), undo: back })
      else if (changed > 0) notice({ text: done(changed), undo: back })
    },
    [client, notice, explain, undo, schema],
  )
}

type What = { request_id: string } | { job_id: string }
type Follow = (jobs: Job[], doing: string, done: (count: number) => string, undoable?: boolean) => Promise<void>
type Undone = { data: Refused[]; meta: { undone: number; left: number } }

function useUndoCall() {
  const client = useQueryClient()
  const notice = useNotice()
  const { explain } = useEditing()
  return useCallback(
    async (what: What[], follow: Follow, text?: string) => {
      const jobs: Job[] = []
      const refused: Refused[] = []
      let [undone, left] = [0, 0]
      try {
        for (const one of what) {
          const answer = await call<Job | Undone>('POST', '/v1/undo', one)
          if ('kind' in answer) jobs.push(answer)
          else {
            refused.push(...answer.data)
            undone += answer.meta.undone
            left += answer.meta.left
          }
        }
      } catch (error) {
        explain(error)
      }
      if (left > 0) notice({ text: t('couldNotTakeBack', { count: left, why: reasons(refused) }), bad: true })
      if (jobs.length > 0) await follow(jobs, t('takingBack'), (count) => t('tookBack', { count: count + undone }), false)
      else if (undone > 0) notice({ text: text && left === 0 ? text : t('tookBack', { count: undone }) })
      void refresh(client)
    },
    [client, notice, explain],
  )
}

// useBulk gives what has one thing done to all that searches find, however many of them it takes to name what was picked by hand.
export function useBulk(res: Resource) {
  const follow = useFollow()
  const { explain } = useEditing()
  return async (selected: Selected[], does: object, doing: (count: number) => string, done: (count: number) => string) => {
    const jobs: Job[] = []
    try {
      for (const some of selected) jobs.push(await call<Job>('POST', `${res.path}/bulk`, { ...some, ...does }))
    } catch (error) {
      explain(error)
    }
    if (jobs.length > 0) await follow(jobs, doing(sum(jobs, 'total')), done)
  }
}

// useUndo gives what takes back what a request did.
export function useUndo() {
  const follow = useFollow()
  const undo = useUndoCall()
  return useCallback((request: string, text?: string) => void undo([{ request_id: request }], follow, text), [follow, undo])
}

// useUndoJob gives what takes back what a job did.
export function useUndoJob() {
  const follow = useFollow()
  const undo = useUndoCall()
  return useCallback((job: string) => void undo([{ job_id: job }], follow), [follow, undo])
}
