// What the server has been asked to do in the last month that took longer than a request, and the way back.

import { useInfiniteQuery } from '@tanstack/react-query'
import { call } from '../api/call'
import { useApp } from '../api/context'
import { ago, formatTime } from '../i18n/format'
import { said, t } from '../i18n/translate'
import { type Job, nameOfJob, useUndoJob } from '../records/jobs'
import { useUsers } from '../records/names'
import { Button, Chip, Empty } from '../ui/components'

type Jobs = { data: Job[]; meta: { cursor: { next: string | null } } }

// lasting are jobs that there is nothing to take back of: a preview changed nothing.
const lasting = ['undo', 'import_preview']

export function Jobs() {
  const { schema } = useApp()
  const users = useUsers()
  const undo = useUndoJob()
  const list = useInfiniteQuery({
    queryKey: ['jobs'],
    initialPageParam: '',
    refetchInterval: 5_000,
    queryFn: ({ pageParam }) => call<Jobs>('POST', '/v1/jobs/search', { limit: 25, ...(pageParam ? { cursor: pageParam } : {}) }),
    getNextPageParam: (page) => page.meta.cursor.next ?? undefined,
  })
  const all = list.data?.pages.flatMap((p) => p.data) ?? []
  // Large ones are taken back by a job of its own, which names their job, or the request that began it: both have the same number.
  const numbered = (id?: string) => id?.split('_').at(-1)
  const undone = new Set(
    all.filter((j) => j.kind === 'undo' && j.status === 'succeeded').map((j) => numbered(j.parameters.job_id ?? j.parameters.request_id)),
  )
  return (
    <>
      <p className="soft">{t('jobsMore')}</p>
      {list.isPending ? (
        <span className="bone" />
      ) : all.length === 0 ? (
        <Empty icon="clock" title={t('noJobs')} />
      ) : (
        <ul className="rows cards-rows">
          {all.map((job) => (
            <li key={job.id}>
              <span className="what">
                <span>
                  <span className="strong">{nameOfJob(schema, job)}</span>{' '}
                  <Chip
                    color={
                      job.status === 'succeeded'
                        ? 'green'
                        : job.status === 'failed'
                          ? 'red'
                          : job.status === 'cancelled'
                            ? 'gray'
                            : 'yellow'
                    }
                  >
                    {said(`status.${job.status}`, job.status)}
                  </Chip>
                </span>
                <span className="soft">
                  {t('doneOf', { done: job.done - job.failed, total: job.total })}
                  {job.failed ? ` · ${t('refusedCount', { count: job.failed })}` : ''} ·{' '}
                  <bdi>{users.get(job.actor.user_id ?? '') ?? t('somebody')}</bdi> ·{' '}
                  <time dateTime={job.created_at} title={formatTime(job.created_at)}>
                    {ago(job.created_at)}
                  </time>
                </span>
              </span>
              {job.finished_at && job.done > job.failed && !lasting.includes(job.kind) && !undone.has(numbered(job.id)) && (
                <Button onPress={() => undo(job.id)} aria-label={`${t('undo')}: ${nameOfJob(schema, job)}`}>
                  {t('undo')}
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
      {list.hasNextPage && (
        <Button look="quiet" onPress={() => void list.fetchNextPage()}>
          {t('showMore')}
        </Button>
      )}
    </>
  )
}
