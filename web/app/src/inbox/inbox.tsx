// What one was told of: read and unread, each leading to the record that it is about.

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import '../i18n/messages/more'
import { call, type Page, Problem, type Rec } from '../api/call'
import { useApp } from '../api/context'
import { seenAs } from '../api/see-as'
import { ago, formatTime } from '../i18n/format'
import { said, t } from '../i18n/translate'
import { useEditing } from '../records/edit'
import { type Job, nameOfJob } from '../records/jobs'
import { useUsers } from '../records/names'
import { pathTo } from '../records/shown'
import { at, leaves, type Resource, type Schema, titleOf, withNames } from '../schema/schema'
import { Button, Empty, Icon, Menu, MenuItem, Skeleton } from '../ui/components'
import { later } from '../ui/later'
import { go, Link, root } from '../ui/route'
import { lookEvery, unread } from './unread'
import './inbox.css'

type Told = Rec & {
  kind: 'mention' | 'assigned' | 'reminder' | 'followed' | 'webhook' | 'due' | 'job'
  about_id: string | null
  job_id: string | null
  event: string | null
  actor_id: string | null
  text: string | null
  at: string
  read_at: string | null
}

// About is what a notification is about, by its name; words are those of a note, and to is the page on which it is best seen.
type About = { res?: Resource; name: string; words: string; to: string }

const worksOf = (schema: Schema, id: string) =>
  schema.resources.find((r) => id.startsWith(`${r.id_prefix}_`) && r.permissions.read !== 'none')

// What is written about a record is seen on the page of that record.
const seenOn = ['deal', 'contact', 'company']

async function aboutOf(schema: Schema, ids: string[]): Promise<Map<string, About>> {
  const of = new Map<Resource, string[]>()
  for (const id of new Set(ids)) {
    const res = worksOf(schema, id)
    if (res) of.set(res, [...(of.get(res) ?? []), id])
  }
  const found = await Promise.all(
    [...of].map(async ([res, values]) => {
      const others = ['note', 'activity'].includes(res.name)
        ? schema.resources.filter(
            (r) => seenOn.includes(r.name) && r.permissions.read !== 'none' && leaves(res).some((l) => l.target === r.name),
          )
        : []
      others.sort((a, b) => seenOn.indexOf(a.name) - seenOn.indexOf(b.name))
      const page = await call<Page>('POST', `${res.path}/search`, {
        filters: [{ field: 'id', operator: 'in', values }],
        fields: ['id', ...res.named_by, ...others.flatMap((r) => [`${r.name}_id`, `${r.name}.name`])],
        limit: 100,
      })
      return page.data.map((r): [string, About] => {
        const on = others.find((o) => r[`${o.name}_id`])
        const name = on && (r[on.name] as { name?: string } | null)?.name
        const title = titleOf(res, r)
        return [
          r.id,
          on && name
            ? {
                res: on,
                name,
                words: String(res.named_by.map((n) => at(r, n)).find(Boolean) ?? ''),
                to: `${pathTo(on, r[`${on.name}_id`] as string)}#${r.id}`,
              }
            : { res, name: title, words: '', to: pathTo(res, r.id) },
        ]
      })
    }),
  )
  return new Map(found.flat())
}

// jobsOf are what jobs did, each by its name and leading to its import, or to the list of jobs; those that are forgotten by now are not
// among them.
async function jobsOf(schema: Schema, ids: string[]): Promise<[string, About][]> {
  const found = await Promise.all(
    ids.map(async (id): Promise<[string, About][]> => {
      try {
        const job = await call<Job>('GET', `/v1/jobs/${id}`)
        const res = schema.resources.find((r) => r.name === job.parameters.resource)
        const words = t('doneOf', { done: job.done - job.failed, total: job.total })
        const to = job.parameters.import_id ? `${root}/import/${job.parameters.import_id}` : `${root}/settings/work`
        return [[id, { res, name: nameOfJob(schema, job), words, to }]]
      } catch (error) {
        if (error instanceof Problem && error.status === 404) return []
        throw error
      }
    }),
  )
  return found.flat()
}

export default function Inbox() {
  const { schema } = useApp()
  const client = useQueryClient()
  const { explain } = useEditing()
  const [all, setAll] = useState(false)
  useEffect(() => {
    document.title = `${t('inbox')} · kith`
  }, [])
  const list = useQuery({
    queryKey: ['figures', 'notification', all ? 'all' : 'list'],
    refetchInterval: lookEvery,
    queryFn: async () => {
      const page = await call<Page<Told>>('POST', '/v1/notifications/search', {
        filters: all ? unread.slice(1) : unread,
        order_by: 'at',
        sort_direction: 'desc',
        limit: 100,
      })
      const [about, jobs] = await Promise.all([
        aboutOf(
          schema,
          page.data.flatMap((n) => n.about_id ?? []),
        ),
        jobsOf(
          schema,
          page.data.flatMap((n) => n.job_id ?? []),
        ),
      ])
      return { rows: page.data, about: new Map([...about, ...jobs]) }
    },
  })
  const change = async (done: Promise<unknown>) => {
    try {
      await done
    } catch (error) {
      explain(error)
    }
    await client.invalidateQueries({ queryKey: ['figures', 'notification'] })
  }
  const read = (n: Told, isRead: boolean) =>
    change(call('PATCH', `/v1/notifications/${n.id}`, { read_at: isRead ? new Date().toISOString() : null }))
  const readAll = async () => {
    while ((await call<{ more: boolean }>('POST', '/v1/notifications/read_all')).more);
  }
  const rows = list.data?.rows ?? []
  return (
    <section className="screen inbox" aria-labelledby="screen-title">
      <header className="screen-head">
        <div className="title-row">
          <h1 id="screen-title">{t('inbox')}</h1>
          <span className="grow" />
          {rows.some((n) => !n.read_at) && (
            <Button icon="check" onPress={() => void change(readAll())}>
              {t('readAll')}
            </Button>
          )}
        </div>
      </header>
      <div className="segments" role="group" aria-label={t('inbox')}>
        {[false, true].map((x) => (
          <button key={String(x)} type="button" aria-pressed={all === x} onClick={() => setAll(x)}>
            {t(x ? 'inboxAll' : 'inboxUnread')}
          </button>
        ))}
      </div>
      {list.isPending && <Skeleton />}
      {list.data && rows.length === 0 && (
        <Empty icon="bell" title={t(all ? 'inboxNothing' : 'inboxDone')}>
          <p>{t('inboxMore')}</p>
        </Empty>
      )}
      {rows.length > 0 && (
        <ul className="panel told">
          {rows.map((n) => (
            <Row
              key={n.id}
              told={n}
              about={list.data?.about.get(n.about_id ?? n.job_id ?? '')}
              onRead={(isRead) => void read(n, isRead)}
              onSnooze={(at) => void change(call('PATCH', `/v1/notifications/${n.id}`, { snoozed_until: at.toISOString() }))}
            />
          ))}
        </ul>
      )}
    </section>
  )
}

type RowProps = { told: Told; about?: About; onRead: (isRead: boolean) => void; onSnooze: (at: Date) => void }

const signs = { mention: 'note', assigned: 'user', reminder: 'clock', followed: 'bell', webhook: 'webhook', due: 'clock', job: 'clock' }

function Row({ told, about, onRead, onSnooze }: RowProps) {
  const users = useUsers()
  const who = (told.actor_id && users.get(told.actor_id)) || t('somebody')
  // A customer, who is no user, answered.
  const answered = !told.actor_id && said(`answered.${told.event}`, '')
  const words = withNames(told.text ?? about?.words ?? '', users)
  const title: ReactNode = (
    <>
      {told.kind === 'reminder' ? (
        t('toldReminder')
      ) : told.kind === 'webhook' ? (
        t('toldWebhook')
      ) : told.kind === 'due' ? (
        t('toldDue')
      ) : told.kind === 'job' ? (
        said(`told.${told.event}`, t('jobs'))
      ) : answered ? (
        answered
      ) : (
        <b>{who}</b>
      )}{' '}
      {told.kind === 'mention' && t('toldMention')}
      {told.kind === 'assigned' && t('toldAssigned')}
      {told.kind === 'followed' && !answered && said(`told.${told.event}`, t('toldChanged'))}
      {about && (
        <>
          {' · '}
          <bdi>{about.name}</bdi>
        </>
      )}
    </>
  )
  return (
    <li className={told.read_at ? 'is-read' : undefined}>
      <span className="sign">
        <Icon name={signs[told.kind]} />
      </span>
      <div className="told-text">
        <p>
          {about ? (
            <Link
              to={about.to}
              onClick={(e) => {
                if (!told.read_at && !seenAs) onRead(true)
                if (e.metaKey || e.ctrlKey) return
                e.preventDefault()
                go(about.to)
              }}
            >
              {title}
            </Link>
          ) : (
            title
          )}
        </p>
        {words && <p className="soft words">{words}</p>}
      </div>
      <time className="soft" dateTime={told.at} title={formatTime(told.at)}>
        {ago(told.at)}
      </time>
      <span className="acts">
        <Menu
          label={t('snooze')}
          trigger={<Button look="quiet" icon="clock" label={t('snooze')} />}
          onAction={(key) => onSnooze(later().find((l) => l.key === key)!.at)}
        >
          {later().map((l) => (
            <MenuItem key={l.key} id={l.key}>
              {l.label}
            </MenuItem>
          ))}
        </Menu>
        <Button
          look="quiet"
          icon={told.read_at ? 'email' : 'check'}
          label={t(told.read_at ? 'markUnread' : 'markRead')}
          onPress={() => onRead(!told.read_at)}
        />
      </span>
    </li>
  )
}
