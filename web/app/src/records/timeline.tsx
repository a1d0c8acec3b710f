// What happened around a record, in one list.

import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { Composer } from '../activities/composer'
import { call, type Page, type Rec } from '../api/call'
import { useApp } from '../api/context'
import { ago, formatPlain, formatTime } from '../i18n/format'
import { said, t } from '../i18n/translate'
import { withNames } from '../inbox/mention-box'
import { labelOf, leaf as leafOf, type Resource, titleOf } from '../schema/schema'
import { Button, Icon } from '../ui/components'
import { Link } from '../ui/route'
import { pathTo } from './fields'
import { useKinds } from './kinds'
import { useKnownNames, useUsers } from './names'

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
  return (
    <>
      {whole && <Composer res={res} record={record} />}
      <ol className="timeline" aria-label={t('story')} aria-busy={list.isPending}>
        {list.isPending &&
          Array.from({ length: 5 }, (_, i) => (
            <li key={i} className="event">
              <span className="bone" />
            </li>
          ))}
        {entries.map((e) => (
          <Event key={e.record?.id ?? 'c' + e.change!.seq} res={res} entry={e} names={names} />
        ))}
      </ol>
      {list.hasNextPage && (
        <Button onPress={() => void list.fetchNextPage()} isDisabled={list.isFetchingNextPage}>
          {t('earlier')}
        </Button>
      )}
    </>
  )
}

// The two fields by which the story of a record tells of a merge are none that it has.
const ofMerges = ['merged_id', 'merged_into_id']

// useNamesIn gives the names of all that changes refer to: of users and stages, which the app knows, and of other records, which are asked for once, also in the bin.
function useNamesIn(res: Resource, entries: Entry[]): Map<string, string> {
  const { schema } = useApp()
  const known = useKnownNames()
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

function Event({ res, entry, names }: { res: Resource; entry: Entry; names: Map<string, string> }) {
  const { schema } = useApp()
  const users = useUsers()
  const kinds = useKinds()
  const kind = schema.resources.find((r) => r.name === entry.kind)
  const when = (
    <time dateTime={entry.at} title={formatTime(entry.at)}>
      {ago(entry.at)}
    </time>
  )
  if (entry.change) {
    const c = entry.change
    const who = (c.actor.user_id && users.get(c.actor.user_id)) || (c.actor.app_id === 'link' ? t('theCustomer') : t('somebody'))
    const changed = Object.entries(c.changes ?? {})
    const made = c.action === 'create'
    return (
      <li className="event change">
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
                    <del>
                      <bdi>{formatPlain(l, from, undefined, names)}</bdi>
                    </del>{' '}
                    <span aria-hidden="true">→</span>{' '}
                    <ins>
                      <bdi>{formatPlain(l, to, undefined, names)}</bdi>
                    </ins>
                  </li>
                )
              })}
              {changed.length > 8 && <li className="soft">{t('andMore', { count: changed.length - 8 })}</li>}
            </ul>
          )}
        </div>
      </li>
    )
  }
  const r = entry.record!
  const title = withNames(kind ? titleOf(kind, r) : entry.kind, users)
  const logged = (kind && kinds[entry.kind]?.logged?.(kind, r)) ?? { icon: entry.kind, label: kind?.label ?? entry.kind }
  const who = r.owner_id && users.get(r.owner_id)
  const state = kind?.states && leafOf(kind, kind.states.field)
  const text = withNames(((r.body ?? r.description) as string | null | undefined) ?? '', users)
  return (
    <li className={`event ${entry.kind}`}>
      <span className="event-sign">
        <Icon name={logged.icon} size={14} />
      </span>
      <div className="event-body">
        <p className="event-head">
          <span className="soft">{logged.label}</span>{' '}
          {kind ? (
            <Link to={pathTo(kind, r.id)} className="strong">
              <bdi>{title}</bdi>
            </Link>
          ) : (
            <bdi>{title}</bdi>
          )}{' '}
          {state && <span className="soft">· {formatPlain(state, r[state.path])}</span>}{' '}
          {who && (
            <span className="soft">
              · <bdi>{who}</bdi>
            </span>
          )}{' '}
          {when}
        </p>
        {text && text !== title && (
          <p className="event-text">
            <bdi>{text}</bdi>
          </p>
        )}
      </div>
    </li>
  )
}
