// What takes the server longer than a request, and what is taken back: both are followed here until they are done, wherever one goes meanwhile.

import { useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { refresh } from '../api/cache'
import { call, type Fault, Problem } from '../api/call'
import { useApp } from '../api/context'
import { knownSentence, said, t, translateSentence } from '../i18n/translate'
import { pluralLabel, type Resource, type Schema } from '../schema/schema'
import { useNotice } from '../ui/components'
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
  parameters: { resource?: string; op?: string; import_id?: string }
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

// useFollow gives what follows a job to its end; doing and done say what it is about.
export function useFollow() {
  const client = useQueryClient()
  const notice = useNotice()
  const { explain } = useEditing()
  const undo = useUndoCall()
  const { schema } = useApp()
  return useCallback(
    async function follow(job: Job, doing: string, done: (count: number) => string, undoable = true): Promise<void> {
      const card = notice({
        text: doing,
        progress: { done: 0, total: job.total },
        cancel: () => void call('POST', `/v1/jobs/${job.id}/cancel`).catch(() => {}),
      })
      for (let wait = 200; !job.finished_at; wait = Math.min(800, wait * 1.5)) {
        await pause(wait)
        try {
          job = await call<Job>('GET', `/v1/jobs/${job.id}`)
          card.change({ progress: { done: job.done, total: job.total } })
        } catch (error) {
          // The job goes on without us; who is back asks again.
          if (error instanceof Problem && (error.status === 0 || error.status >= 500)) await pause(2_000)
          else {
            card.close()
            return explain(error)
          }
        }
      }
      card.close()
      void refresh(client)
      const changed = job.done - job.failed
      const back = undoable && changed > 0 ? () => void undo({ job_id: job.id }, follow) : undefined
      if (job.failed > 0) {
        const refused = await call<{ data: Refused[] }>('POST', `/v1/jobs/${job.id}/refused/search`, { limit: 20 }).catch(() => ({
          data: [],
        }))
        notice({
          text: t('failedMany', {
            count: job.failed,
            why: reasons(
              refused.data,
              schema.resources.find((r) => r.name === job.parameters.resource),
            ),
          }),
          bad: true,
        })
      }
      if (job.status === 'failed')
        notice({ text: job.error?.detail ? translateSentence(job.error.detail) : t('failed'), bad: true, undo: back })
      else if (job.status === 'cancelled') notice({ text: t('jobCancelled', { done: job.done, total: job.total }), undo: back })
      else if (changed > 0) notice({ text: done(changed), undo: back })
    },
    [client, notice, explain, undo, schema],
  )
}

type What = { request_id: string } | { job_id: string }
type Follow = (job: Job, doing: string, done: (count: number) => string, undoable?: boolean) => Promise<void>
type Undone = { data: Refused[]; meta: { undone: number; left: number } }

function useUndoCall() {
  const client = useQueryClient()
  const notice = useNotice()
  const { explain } = useEditing()
  return useCallback(
    async (what: What, follow: Follow, text?: string) => {
      try {
        const answer = await call<Job | Undone>('POST', '/v1/undo', what)
        if ('kind' in answer) return await follow(answer, t('takingBack'), (count) => t('tookBack', { count }), false)
        const { undone, left } = answer.meta
        if (left > 0) notice({ text: t('couldNotTakeBack', { count: left, why: reasons(answer.data) }), bad: true })
        if (undone > 0) notice({ text: text && left === 0 ? text : t('tookBack', { count: undone }) })
      } catch (error) {
        explain(error)
      }
      void refresh(client)
    },
    [client, notice, explain],
  )
}

// useUndo gives what takes back what a request did.
export function useUndo() {
  const follow = useFollow()
  const undo = useUndoCall()
  return useCallback((request: string, text?: string) => void undo({ request_id: request }, follow, text), [follow, undo])
}

// useUndoJob gives what takes back what a job did.
export function useUndoJob() {
  const follow = useFollow()
  const undo = useUndoCall()
  return useCallback((job: string) => void undo({ job_id: job }, follow), [follow, undo])
}
