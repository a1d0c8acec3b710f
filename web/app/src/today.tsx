// What there is to do: tasks by when they are due, deals that close soon, deals that nobody knows how to go on with.

import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { type KeyboardEvent, lazy, Suspense, useRef } from 'react'
import { changeCached, refresh } from './api/cache'
import { call, type Filter, type Page, type Rec, tell } from './api/call'
import { useApp, useResource } from './api/context'
import type { Task as TaskRecord } from './api/records'
import { ago, formatTime } from './i18n/format'
import { locale, t } from './i18n/translate'
import { writeFilter } from './records/address'
import { useEditing } from './records/edit'
import { pathTo, Shown } from './records/fields'
import { useUndo } from './records/jobs'
import { leaf, plural, projection, type Resource, reaches, titleOf } from './schema/schema'
import { Avatar, Empty, Icon, Skeleton, useNotice } from './ui/components'
import { go, Link, root, useAddress } from './ui/route'

function useSome<R = Rec>(
  res: Resource | undefined,
  name: string,
  filters: Filter[],
  order: string,
  down: boolean,
  shown: string[],
  limit = 50,
) {
  const { schema } = useApp()
  return useInfiniteQuery({
    queryKey: ['list', res?.name, 'today', name, filters.length],
    enabled: !!res && res.permissions.read !== 'none',
    initialPageParam: '',
    queryFn: () =>
      call<Page<R>>('POST', res!.path + '/search', {
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
      }),
    getNextPageParam: () => undefined,
  })
}

const mine: Filter = { field: 'assignee_id', operator: 'eq', value: '@me' }
const open: Filter = { field: 'status', operator: 'in', values: ['open', 'in_progress'] }
const owned: Filter = { field: 'owner_id', operator: 'eq', value: '@me' }
const going: Filter = { field: 'status', operator: 'eq', value: 'open' }

const Start = lazy(() => import('./start'))
const SampleNote = lazy(async () => ({ default: (await import('./start')).SampleNote }))

type Beginning = { size: 'empty' | 'small' | 'grown'; idle: boolean; fresh?: boolean }

// useBeginning tells of a business that has just begun: whether it has nothing at all, and whether it has so little that it may be sample data; and whether it is all others' work. It is undefined while that is asked.
function useBeginning(): Beginning | undefined {
  const { schema } = useApp()
  const looked = ['contact', 'company', 'deal'].flatMap(
    (n) => schema.resources.find((r) => r.name === n && r.permissions.read === 'all') ?? [],
  )
  const own = (
    [
      ['task', [mine, open]],
      ['deal', [owned, going]],
    ] as const
  ).flatMap(([name, filters]) => {
    const res = schema.resources.find((r) => r.name === name && r.permissions.read !== 'none')
    return res ? [[res, filters] as const] : []
  })
  const { data, isFetching, isFetchedAfterMount } = useQuery({
    queryKey: ['figures', 'contact', 'beginning'],
    enabled: looked.length === 3,
    queryFn: async (): Promise<Beginning> => {
      const [mine, ...all] = await Promise.all([
        Promise.all(own.map(([res, filters]) => call<Page>('POST', res.path + '/search', { filters, fields: ['id'], limit: 1 }))),
        ...looked.map((res) => call<Page>('POST', res.path + '/search', { fields: ['id'], limit: 1 })),
      ])
      const some = all.find((page) => page.data.length)
      return {
        size: !some ? 'empty' : (some.meta.total ?? Infinity) < 100 ? 'small' : 'grown',
        idle: own.length > 0 && mine.every((page) => !page.data.length),
      }
    },
  })
  if (data) return { ...data, fresh: isFetchedAfterMount }
  return isFetching ? undefined : { size: 'grown', idle: false } // who may not ask, or gets no answer, sees the day
}

type Touched = Rec & { updated_at: string }

export type Bundle = 'late' | 'today' | 'soon' | 'some'

// bundle says under which heading a task stands.
export function bundle(due: string | null, now: Date): Bundle {
  if (!due) return 'some'
  const at = new Date(due)
  const start = new Date(now.getFullYear(), now.getMonth(), now.getDate())
  const end = new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1)
  return at < start ? 'late' : at < end ? 'today' : 'soon'
}

export default function Today() {
  const beginning = useBeginning()
  if (beginning?.size === 'empty')
    return (
      <Suspense>
        <Start />
      </Suspense>
    )
  return <Day beginning={beginning} />
}

function Day({ beginning }: { beginning: Beginning | undefined }) {
  const { me } = useApp()
  const address = useAddress()
  // Who has nothing to do sees what there is to do, unless they ask for theirs.
  const whose = address.searchParams.get('who')
  const idle = useRef<boolean>(undefined) // once known it stays: nobody's page changes under their hands with the last task that they complete
  if (beginning?.fresh) idle.current ??= beginning.idle
  const everybody = whose ? whose === 'all' : (idle.current ?? !!beginning?.idle)
  const tasks = useResource('task')
  const deals = useResource('deal')
  const contacts = useResource('contact')
  const week: Filter = { field: 'expected_close_date', operator: 'lt', value: '@week_start+1w' }
  const stuck: Filter = { field: 'next_step', operator: 'is_not_set' }
  const my = <T,>(filter: T): T[] => (everybody ? [] : [filter])
  const todo = useSome<TaskRecord>(
    tasks,
    'tasks',
    [...my(mine), open],
    'due_at',
    false,
    ['due_at', 'priority', 'contact_id', 'company_id', 'deal_id', 'assignee_id'],
    100,
  )
  const closing = useSome(
    deals,
    'closing',
    [...my(owned), going, week],
    'expected_close_date',
    false,
    ['amount', 'expected_close_date', 'company_id'],
    6,
  )
  const without = useSome(
    deals,
    'without',
    [...my(owned), going, stuck],
    'stage_changed_at',
    false,
    ['amount', 'stage_id', 'company_id'],
    6,
  )
  // Touched last: contacts and deals together.
  const touchedContacts = useSome<Touched>(contacts, 'touched', my(owned), 'updated_at', true, [], 5)
  const touchedDeals = useSome<Touched>(deals, 'touched', my(owned), 'updated_at', true, [], 5)
  const touched = (
    [
      [contacts, touchedContacts],
      [deals, touchedDeals],
    ] as const
  )
    .flatMap(([res, list]) => (res ? (list.data?.pages[0]?.data ?? []).map((r) => ({ res, r })) : []))
    .sort((a, b) => (a.r.updated_at < b.r.updated_at ? 1 : -1))
    .slice(0, 6)
  const rows = todo.data?.pages[0]?.data ?? []
  const now = new Date()
  const order: Bundle[] = ['late', 'today', 'soon', 'some']
  const hour = now.getHours()
  // What the day needs is asked for meanwhile, but nobody is shown a day that makes way for the first page a moment later.
  if (!beginning)
    return (
      <section className="screen">
        <Skeleton />
      </section>
    )
  return (
    <section className="screen today" aria-labelledby="screen-title">
      <header className="screen-head">
        <p className="soft date">{now.toLocaleDateString(locale(), { weekday: 'long', day: 'numeric', month: 'long' })}</p>
        <div className="title-row">
          <h1 id="screen-title">
            {t(hour < 12 ? 'goodMorning' : hour < 18 ? 'goodAfternoon' : 'goodEvening', { name: me.user.name.split(' ')[0] })}
          </h1>
          <span className="grow" />
          <div className="segments" role="group" aria-label={t('whose')}>
            <button type="button" aria-pressed={!everybody} onClick={() => go(root + '?who=me')}>
              {t('mine')}
            </button>
            <button type="button" aria-pressed={everybody} onClick={() => go(root + '?who=all')}>
              {t('everybodys')}
            </button>
          </div>
        </div>
      </header>
      {beginning.size === 'small' && (
        <Suspense>
          <SampleNote />
        </Suspense>
      )}
      <div className="today-body">
        {tasks && (
          <div className="panel todo">
            <header className="panel-head">
              <h2>{everybody ? t('allTasks') : t('myTasks')}</h2>
              {tasks.permissions.write !== 'none' && <p className="hint">{t('completeHint')}</p>}
            </header>
            {todo.isPending && (
              <div className="stack">
                {[1, 2, 3, 4].map((i) => (
                  <span key={i} className="bone" />
                ))}
              </div>
            )}
            {todo.data && rows.length === 0 && (
              <Empty icon="task" title={t('allDone')}>
                <p>{t('allDoneMore')}</p>
              </Empty>
            )}
            {order.map((b) => {
              const some = rows.filter((r) => bundle(r.due_at, now) === b)
              return some.length === 0 ? null : (
                <section key={b} aria-label={t(`due.${b}`)}>
                  <h3 className={`is-${b}`}>
                    {t(`due.${b}`)} <span className="count">{some.length}</span>
                  </h3>
                  <ul className="tasks">
                    {some.map((r) => (
                      <Task key={r.id} res={tasks} task={r} late={b === 'late'} everybody={everybody} />
                    ))}
                  </ul>
                </section>
              )
            })}
          </div>
        )}
        {deals && (
          <div className="aside">
            <DealBox
              res={deals}
              title={t('closingSoon')}
              none={t('closingNone')}
              list={closing}
              filters={[...my(owned), going, week]}
              show="expected_close_date"
            />
            <DealBox
              res={deals}
              title={t('noNextStep')}
              none={t('noNextStepNone')}
              list={without}
              filters={[...my(owned), going, stuck]}
              show="stage_id"
            />
            {touched.length > 0 && (
              <section className="panel" aria-label={t('touched')}>
                <header className="panel-head">
                  <h2>{t('touched')}</h2>
                </header>
                <ul className="rows">
                  {touched.map(({ res, r }) => (
                    <li key={r.id}>
                      <Link to={pathTo(res, r.id)}>
                        <bdi>{titleOf(res, r)}</bdi>
                      </Link>
                      <time className="row-more" dateTime={r.updated_at} title={formatTime(r.updated_at)}>
                        {ago(r.updated_at)}
                      </time>
                    </li>
                  ))}
                </ul>
              </section>
            )}
          </div>
        )}
      </div>
    </section>
  )
}

function Task({ res, task, late, everybody }: { res: Resource; task: TaskRecord; late: boolean; everybody: boolean }) {
  const client = useQueryClient()
  const notice = useNotice()
  const { explain } = useEditing()
  const undo = useUndo()
  const row = useRef<HTMLLIElement>(null)
  const { me } = useApp()
  const able = reaches(res, res.permissions.write, task, me.user.id)
  const about = (['contact', 'company', 'deal'] as const).map((k) => task[k]?.name).find(Boolean)
  const complete = async () => {
    const next =
      row.current?.nextElementSibling?.querySelector<HTMLElement>('button') ??
      row.current?.previousElementSibling?.querySelector<HTMLElement>('button')
    changeCached(client, res.name, task.id, () => null)
    next?.focus()
    try {
      const { request } = await tell('POST', `${res.path}/${task.id}/complete`)
      notice({ text: t('taskDone', { name: titleOf(res, task) }), undo: () => undo(request, t('taskBack', { name: titleOf(res, task) })) })
    } catch (error) {
      explain(error)
    }
    void refresh(client, res.name)
  }
  const onKey = (e: KeyboardEvent) => {
    if (able && e.key === 'c' && !e.ctrlKey && !e.metaKey && !e.altKey) {
      e.preventDefault()
      void complete()
    }
    const to = e.key === 'ArrowDown' ? row.current?.nextElementSibling : e.key === 'ArrowUp' ? row.current?.previousElementSibling : null
    if (to) {
      e.preventDefault()
      to.querySelector<HTMLElement>('button, a')?.focus()
    }
  }
  const priority = leaf(res, 'priority')
  return (
    <li ref={row} onKeyDown={onKey}>
      {able ? (
        <button
          type="button"
          className="done"
          aria-label={t('completeTask', { name: titleOf(res, task) })}
          aria-keyshortcuts="c"
          onClick={() => void complete()}
        >
          <Icon name="check" size={12} />
        </button>
      ) : (
        <span className="done" aria-hidden="true" />
      )}
      <span className="task-text">
        <Link to={pathTo(res, task.id)}>
          <bdi>{titleOf(res, task)}</bdi>
        </Link>
        {about && (
          <span className="soft">
            <bdi>{about}</bdi>
          </span>
        )}
      </span>
      {priority && ['high', 'urgent'].includes(task.priority!) && <Shown leaf={priority} record={task} />}
      {everybody && task.assignee?.name && (
        <span title={task.assignee.name}>
          <Avatar name={task.assignee.name} id={task.assignee_id ?? undefined} />
          <span className="unseen">{task.assignee.name}</span>
        </span>
      )}
      {task.due_at && (
        <time className={late ? 'late' : 'soft'} dateTime={task.due_at} title={formatTime(task.due_at)}>
          {ago(task.due_at)}
        </time>
      )}
    </li>
  )
}

function DealBox({
  res,
  title,
  none,
  list,
  filters,
  show,
}: {
  res: Resource
  title: string
  none: string
  list: ReturnType<typeof useSome<Rec>>
  filters: Filter[]
  show: string
}) {
  const rows = list.data?.pages[0]?.data ?? []
  const total = list.data?.pages[0]?.meta.total ?? rows.length
  const amount = leaf(res, 'amount')
  const other = leaf(res, show)
  const query = filters.map((f) => 'f=' + encodeURIComponent(writeFilter(f))).join('&')
  return (
    <section className="panel" aria-label={title}>
      <header className="panel-head">
        <h2>
          {title} {list.data && <span className="count">{total}</span>}
        </h2>
      </header>
      {list.isPending ? (
        <span className="bone" />
      ) : rows.length === 0 ? (
        <p className="soft">{none}</p>
      ) : (
        <ul className="rows">
          {rows.map((r) => (
            <li key={r.id}>
              <Link to={pathTo(res, r.id)}>
                <bdi>{titleOf(res, r)}</bdi>
              </Link>
              <span className="row-more">
                {amount && (
                  <span>
                    <Shown leaf={amount} record={r} />
                  </span>
                )}
                {other && (
                  <span>
                    <Shown leaf={other} record={r} />
                  </span>
                )}
              </span>
            </li>
          ))}
        </ul>
      )}
      {total > rows.length && (
        <Link className="all" to={`${root}/${plural(res)}?${query}`}>
          {t('showAllOf', { count: total })}
        </Link>
      )}
    </section>
  )
}
