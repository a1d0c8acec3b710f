// What happened around a record, day by day: all of it, what was spoken and written, or what was changed.

import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Suspense, useEffect, useMemo, useRef, useState } from 'react'
import { call, type Page, type Rec } from '../api/call'
import { useApp } from '../api/context'
import { formatClock, formatPlain, formatTime, shortDate } from '../i18n/format'
import { inSentence, locale, said, t } from '../i18n/translate'
import { labelOf, leaf as leafOf, leaves as leavesOf, type Resource, titleOf, withNames } from '../schema/schema'
import { Button, Icon } from '../ui/components'
import { RichText } from '../ui/rich-text'
import { Link, useAddress } from '../ui/route'
import { type Kinds, useKinds } from './kinds'
import { localDay } from './late'
import { useKnownNames, useUsers } from './names'
import { pathTo } from './shown'

type Change = {
  seq: number
  at: string
  action: string
  version: number
  actor: { user_id: string | null; app_id?: string | null }
  changes: Record<string, { from?: unknown; to?: unknown }> | null
}
type Entry = { at: string; kind: string; record?: Rec; change?: Change }
type Entries = { data: (Entry | Change)[]; meta: { cursor: { next: string | null } } }

export function Timeline({ res, record }: { res: Resource; record: Rec }) {
  const whole = res.operations.includes('timeline') && !record.deleted_at
  const list = useInfiniteQuery({
    queryKey: ['timeline', record.id],
    initialPageParam: '',
    queryFn: ({ pageParam }) =>
      call<Entries>('POST', `${res.path}/${record.id}/${whole ? 'timeline' : 'history'}/search`, {
        limit: 30,
        ...(pageParam ? { cursor: pageParam } : {}),
      }),
    getNextPageParam: (page) => page.meta.cursor.next ?? undefined,
  })
  const entries: Entry[] =
    list.data?.pages.flatMap((p) => p.data).map((e) => ('kind' in e ? e : { at: e.at, kind: 'change', change: e })) ?? []
  const names = useNamesIn(res, entries)
  const kinds = useKinds()
  const tabs: Tab[] = whole ? ['all', 'talks', 'changes'] : ['all']
  const [tab, setTab] = useState<Tab>('all')
  // That a moment moved with what was told then, such as when somebody was last called, is for who looks for changes.
  const made = new Set(entries.map((e) => e.record?.created_at))
  const follows = (e: Entry) =>
    e.change?.action === 'update' && made.has(e.at) && told(res, e).every(([path]) => leafOf(res, path)?.kind === 'datetime')
  const of = (e: Entry) =>
    tab === 'all' ? !follows(e) : (tab === 'changes') === !!e.change && (!!e.change || kinds[e.kind]?.beside === false)
  const answers = answersIn(entries, kinds)
  const shown = entries.filter((e) => of(e) && !answers.under.has(e))
  // Where one looks for little among much, more is asked for until there is something to see.
  const { hasNextPage, isFetching, fetchNextPage } = list
  const wanting = tab !== 'all' && shown.length < 10 && hasNextPage && !isFetching && (list.data?.pages.length ?? 0) < 6
  // Who was led to something that is told here is shown it, however far down it is.
  const { hash } = useAddress()
  const meant = /^#\w+_[0-9a-z]{26}$/.test(hash) ? hash.slice(1) : ''
  const found = !!meant && entries.some((e) => e.record?.id === meant)
  const seeking = !!meant && !found && hasNextPage && !isFetching
  useEffect(() => {
    if (wanting || seeking) void fetchNextPage()
  }, [wanting, seeking, fetchNextPage])
  const reached = useRef('')
  useEffect(() => {
    if (!found || reached.current === meant) return
    return onceThere(meant, () => {
      reached.current = meant
    })
  }, [found, meant])
  return (
    <div className="happened">
      {whole && (
        <div className="tabs" role="tablist" aria-label={t('story')}>
          {tabs.map((name, i) => (
            <button
              key={name}
              type="button"
              role="tab"
              id={`tab-${name}`}
              aria-selected={tab === name}
              aria-controls="tab-panel"
              tabIndex={tab === name ? 0 : -1}
              onClick={() => setTab(name)}
              onKeyDown={(e) => {
                const step = e.key === 'ArrowLeft' ? -1 : e.key === 'ArrowRight' ? 1 : 0
                if (!step) return
                const other = tabs[(i + step + tabs.length) % tabs.length]
                setTab(other)
                document.getElementById(`tab-${other}`)?.focus()
              }}
            >
              {t(`story.${name}`)}
            </button>
          ))}
        </div>
      )}
      <div id="tab-panel" {...(whole ? { role: 'tabpanel', 'aria-labelledby': `tab-${tab}` } : {})}>
        <ol className="timeline" aria-label={t('story')} aria-busy={list.isPending}>
          {list.isPending &&
            Array.from({ length: 5 }, (_, i) => (
              <li key={i} className="event">
                <span className="bone" />
              </li>
            ))}
          {folded(shown).map((some, i, all) => {
            const [first] = some
            const day = dayOf(first.at)
            return (
              <li key={keyOf(first)} className={`event ${first.change ? 'change' : first.kind}`}>
                {(i === 0 || dayOf(all[i - 1][0].at) !== day) && <h3 className="day">{day}</h3>}
                {some.length > 1 ? (
                  <Folded res={res} record={record} entries={some} names={names} />
                ) : (
                  <Event
                    res={res}
                    record={record}
                    entry={first}
                    names={names}
                    answers={answers.of.get(first.record?.id ?? '')}
                    meant={meant}
                  />
                )}
              </li>
            )
          })}
        </ol>
        {!list.isPending && shown.length === 0 && !list.isFetching && <p className="soft">{t('nothingYet')}</p>}
        {list.hasNextPage && (
          <Button onPress={() => void list.fetchNextPage()} isDisabled={list.isFetchingNextPage}>
            {t('earlier')}
          </Button>
        )}
      </div>
    </div>
  )
}

type Tab = 'all' | 'talks' | 'changes'

// answersIn are the answers to what is told, by what they answer: the oldest first. They were all written after it, so that they are there
// when it is.
function answersIn(entries: Entry[], kinds: Kinds): { of: Map<string, Rec[]>; under: Set<Entry> } {
  const there = new Set(entries.flatMap((e) => e.record?.id ?? []))
  const [of, under] = [new Map<string, Rec[]>(), new Set<Entry>()]
  for (const e of [...entries].reverse()) {
    const to = e.record?.[kinds[e.kind]?.answers?.by ?? ''] as string | undefined
    if (!to || !there.has(to)) continue
    under.add(e)
    of.set(to, [...(of.get(to) ?? []), e.record!])
  }
  return { of, under }
}

// onceThere brings something into sight as soon as it is in the page, and says so; what it gives ends the wait.
function onceThere(id: string, then: () => void): () => void {
  const look = () => {
    const element = document.getElementById(id)
    if (!element) return false
    element.scrollIntoView({ block: 'center' })
    then()
    return true
  }
  const watch = new MutationObserver(() => look() && watch.disconnect())
  if (!look()) watch.observe(document.body, { childList: true, subtree: true })
  return () => watch.disconnect()
}

const keyOf = (e: Entry) => e.record?.id ?? `c${e.change!.seq}`

// dayOf names the day of a moment as people do.
function dayOf(moment: string, now = new Date()): string {
  const at = new Date(moment)
  const midnight = (d: Date) => new Date(d.getFullYear(), d.getMonth(), d.getDate()).getTime()
  const days = Math.round((midnight(at) - midnight(now)) / 86_400_000)
  if (Math.abs(days) <= 1) {
    const said = new Intl.RelativeTimeFormat(locale(), { numeric: 'auto' }).format(days, 'day')
    return said.charAt(0).toUpperCase() + said.slice(1)
  }
  const year = at.getFullYear() === now.getFullYear() ? undefined : 'numeric'
  return at.toLocaleDateString(locale(), { weekday: 'long', day: 'numeric', month: 'long', year })
}

// near is for how long changes of one person are one story.
const near = 3_600_000

// folded puts changes together that one person made soon after each other.
export function folded(entries: Entry[]): Entry[][] {
  const all: Entry[][] = []
  for (const e of entries) {
    const last = all.at(-1)?.at(-1)
    const same =
      last?.change?.action === 'update' &&
      e.change?.action === 'update' &&
      last.change.actor.user_id === e.change.actor.user_id &&
      last.change.actor.app_id === e.change.actor.app_id &&
      dayOf(last.at) === dayOf(e.at) &&
      Math.abs(new Date(last.at).getTime() - new Date(e.at).getTime()) < near
    if (same) all.at(-1)!.push(e)
    else all.push([e])
  }
  return all
}

// told are the changes of an entry, but for what only kith writes: it follows from the others, unless it is the state or there is nothing else.
function told(res: Resource, { change }: Entry) {
  const all = Object.entries(change?.changes ?? {}).filter(([path]) => {
    const l = leafOf(res, path)
    return !(l?.kind === 'list' && l.read_only)
  })
  const own = all.filter(([path]) => !leafOf(res, path)?.read_only || path === res.states?.field)
  return own.length > 0 ? own : all
}

type Told = { res: Resource; record: Rec; names: Map<string, string> }

function Folded({ res, record, entries, names }: Told & { entries: Entry[] }) {
  const [open, setOpen] = useState(false)
  const users = useUsers()
  const { actor } = entries[0].change!
  const fields = [...new Set(entries.flatMap((e) => told(res, e).map(([path]) => path)))].map((path) => {
    const l = leafOf(res, path)
    return inSentence(l ? labelOf(l) : path.replaceAll('_', ' '))
  })
  return (
    <>
      <div className="event-row">
        <span className="event-sign">
          <Icon name="edit" size={14} />
        </span>
        <div className="event-body">
          <p className="event-head">
            <bdi className="strong">{(actor.user_id && users.get(actor.user_id)) || t('somebody')}</bdi>{' '}
            <span className="soft">
              {t('changesOf', { count: entries.length, fields: fields.slice(0, 4).join(', ') + (fields.length > 4 ? ' …' : '') })}
            </span>{' '}
            <button type="button" className="unfold" aria-expanded={open} onClick={() => setOpen(!open)}>
              {t(open ? 'hideThem' : 'showThem')}
            </button>
            <When at={entries[0].at} />
          </p>
        </div>
      </div>
      {open && entries.map((e) => <Event key={keyOf(e)} res={res} record={record} entry={e} names={names} />)}
    </>
  )
}

function When({ at }: { at: string }) {
  return (
    <time dateTime={at} title={formatTime(at)}>
      {formatClock(at)}
    </time>
  )
}

// The two fields by which the story of a record tells of a merge are none that it has.
const ofMerges = ['merged_id', 'merged_into_id']

// useNamesIn gives the names of all that changes refer to: of users and stages, which the app knows, and of other records, which are asked for once, also in the bin.
function useNamesIn(res: Resource, entries: Entry[]): Map<string, string> {
  const { schema } = useApp()
  const known = useKnownNames(leavesOf(res).some((l) => l.target === 'stage'))
  const refers = (path: string) => ofMerges.includes(path) || leafOf(res, path)?.kind === 'reference'
  const values = entries
    .filter((e) => e.change?.action !== 'create')
    .flatMap((e) => Object.entries(e.change?.changes ?? {}).flatMap(([path, { from, to }]) => (refers(path) ? [from, to] : [])))
  const unknown = [...new Set(values.filter((id): id is string => typeof id === 'string' && !known.has(id)))].sort()
  const { data } = useQuery({
    queryKey: ['names', unknown.join()],
    enabled: unknown.length > 0,
    staleTime: 60_000,
    placeholderData: (kept) => kept,
    queryFn: async () => {
      const found = await Promise.all(
        schema.resources.flatMap((r) => {
          const ids = unknown.filter((id) => id.startsWith(r.id_prefix + '_')).slice(0, 100)
          if (!ids.length || r.permissions.read === 'none' || !r.operations.includes('search')) return []
          const ask = async (where: string, ids: string[]) =>
            ids.length
              ? (
                  await call<Page>('POST', `${r.path}${where}`, {
                    filters: [{ field: 'id', operator: 'in', values: ids }],
                    fields: ['id', ...r.named_by],
                    limit: 100,
                  })
                ).data
              : []
          const both = async () => {
            const live = await ask('/search', ids)
            const gone = r.operations.includes('bin')
              ? await ask(
                  '/deleted/search',
                  ids.filter((id) => !live.some((x) => x.id === id)),
                )
              : []
            return [...live, ...gone].map((x) => [x.id, titleOf(r, x)] as const)
          }
          return [both()]
        }),
      )
      return found.flat()
    },
  })
  return useMemo(() => new Map([...known, ...(data ?? [])]), [known, data])
}

// titleOfText tells that a record is known by the beginning of its text, which stands below.
const titleOfText = (title: string, text: string) => text.startsWith(title.replace(/…$/, ''))

function Event({ res, record, entry, names, answers, meant }: Told & { entry: Entry; answers?: Rec[]; meant?: string }) {
  const { schema } = useApp()
  const users = useUsers()
  const kinds = useKinds()
  const kind = schema.resources.find((r) => r.name === entry.kind)
  const when = <When at={entry.at} />
  if (entry.change) {
    const c = entry.change
    const who = (c.actor.user_id && users.get(c.actor.user_id)) || (c.actor.app_id === 'link' ? t('theCustomer') : t('somebody'))
    const changed = told(res, entry)
    const made = c.action === 'create'
    return (
      <div className="event-row">
        <span className="event-sign">
          <Icon name={made ? 'plus' : 'edit'} size={14} />
        </span>
        <div className="event-body">
          <p className="event-head">
            <bdi className="strong">{who}</bdi> {said(`did.${c.action}`, c.action.replaceAll('_', ' '))} {when}
          </p>
          {!made && changed.length > 0 && (
            <ul className="diff">
              {changed.slice(0, 8).map(([path, { from, to }]) => {
                const l = leafOf(res, path)
                if (ofMerges.includes(path))
                  return (
                    <li key={path}>
                      <span className="soft">{t(path === 'merged_id' ? 'mergedOther' : 'mergedInto')}</span>{' '}
                      <bdi>{names.get((to ?? from) as string) ?? t('aRecord')}</bdi>
                    </li>
                  )
                return (
                  <li key={path}>
                    <span className="soft">{l ? labelOf(l) : path.replaceAll('_', ' ')}</span>{' '}
                    {(Array.isArray(from) ? from.length > 0 : from !== null && from !== undefined && from !== '') && (
                      <>
                        <del>
                          <bdi>{formatPlain(l, from, record, names)}</bdi>
                        </del>{' '}
                        <span aria-hidden="true">→</span>{' '}
                      </>
                    )}
                    <ins>
                      <bdi>{formatPlain(l, to, record, names)}</bdi>
                    </ins>
                  </li>
                )
              })}
              {changed.length > 8 && <li className="soft">{t('andMore', { count: changed.length - 8 })}</li>}
            </ul>
          )}
        </div>
      </div>
    )
  }
  const r = entry.record!
  const title = kind ? titleOf(kind, r, users) : entry.kind
  const logged = (kind && kinds[entry.kind]?.logged?.(kind, r)) ?? { icon: entry.kind, label: kind?.label ?? entry.kind }
  const who = r.owner_id && users.get(r.owner_id)
  const state = kind?.states && leafOf(kind, kind.states.field)
  const text = withNames(((r.body ?? r.description) as string | null | undefined) ?? '', users)
  const Sign = kinds[entry.kind]?.Sign
  const due = kind && leafOf(kind, 'due_at')
  const answering = kinds[entry.kind]?.answers
  const to = answering && (r[answering.by] as string | null | undefined)
  return (
    <div className={`event-row${r.id === meant ? ' meant' : ''}`} id={r.id}>
      {Sign && kind ? (
        <Sign res={kind} record={r} />
      ) : (
        <span className="event-sign">
          <Icon name={logged.icon} size={14} />
        </span>
      )}
      <div className="event-body">
        <p className="event-head">
          <span className="soft">{logged.label}</span>{' '}
          {kind && to ? (
            <Link className="soft" to={pathTo(kind, to)}>
              {t('answerTo')}
            </Link>
          ) : null}{' '}
          {kind && text && titleOfText(title, text) ? null : kind ? (
            <Link to={pathTo(kind, r.id)} className="strong">
              <bdi>{title}</bdi>
            </Link>
          ) : (
            <bdi>{title}</bdi>
          )}{' '}
          {state && <span className="soft">· {formatPlain(state, r[state.path])}</span>}{' '}
          {due && r.due_at ? (
            <span className="soft">
              · {t('due')} {shortDate(localDay(String(r.due_at)))}
            </span>
          ) : null}{' '}
          {who && (
            <span className="soft">
              · <bdi>{who}</bdi>
            </span>
          )}{' '}
          {when}
        </p>
        {text && (
          <div className="event-text">
            <RichText text={text} names={users} />
          </div>
        )}
        {kind && answering && !to && (
          <Suspense>
            <answering.View res={kind} to={r} answers={answers ?? []} meant={meant} />
          </Suspense>
        )}
      </div>
    </div>
  )
}
