// The audit log: who came in, who was refused, and who changed what lets others in. What is looked for is in the address.

import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { readAll } from '../api/cache'
import { call, type Filter, type Page } from '../api/call'
import { useApp } from '../api/context'
import { formatTime } from '../i18n/format'
import { nameOf, useUsers } from '../records/names'
import { refusal } from '../records/refusals'
import { pluralLabel, type Resource, settingResources, titleOf } from '../schema/schema'
import { Button, Chip, Empty } from '../ui/components'
import { DayInput, unfinished } from '../ui/day-input'
import { go, root, useAddress } from '../ui/route'
import '../i18n/messages/more'
import { said, t } from '../i18n/translate'

type Line = {
  id: string
  created_at: string
  action: string
  actor: string
  user_id: string | null
  resource: string | null
  record_id: string | null
  fields: string[] | null
  count: number
  address: string | null
}
type Lines = { data: Line[]; meta: { cursor: { next: string | null } } }

// groups are what is looked for most: several actions under one name.
const groups: Record<string, string[]> = {
  logins: ['login.succeeded', 'session.ended', 'password.changed'],
  refused: ['login.failed', 'confirmation.failed'],
  left: ['data.exported', 'backup.created'],
}

const spoken = (name: string) => name.replaceAll(/[._]/g, ' ')

// nextDay is the day behind one, so that the last day of a range is in it.
const nextDay = (day: string) => new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10)

// nameInBin is the name of a record that was deleted, or null where it is gone for good.
async function nameInBin(res: Resource | undefined, id: string): Promise<string | null> {
  if (!res?.operations.includes('bin') || res.permissions.read === 'none') return null
  const filters: Filter[] = [{ field: 'id', operator: 'eq', value: id }]
  const { data } = await call<Page>('POST', `${res.path}/deleted/search`, { filters, fields: ['id', ...res.named_by] })
  return data[0] ? titleOf(res, data[0]) : null
}

// RecordName is what a record is called, also in the bin; of one that is gone for good it is told what it was.
function RecordName({ id, of }: { id: string; of: string | null }) {
  const { schema } = useApp()
  const res = schema.resources.find((r) => r.name === of)
  const { data, isPending } = useQuery({
    queryKey: ['named', id, 'or gone'],
    staleTime: 60_000,
    queryFn: async () => (await nameOf(schema, id)) ?? (await nameInBin(res, id)),
  })
  return <bdi title={id}>{data ?? (isPending ? '…' : res ? t('goneForGood', { label: res.label }) : id)}</bdi>
}

export default function Audit() {
  const { schema } = useApp()
  const users = useUsers()
  // Who is gone is named still.
  const { data: gone } = useQuery({
    queryKey: ['users', 'gone'],
    enabled: users.size > 0,
    staleTime: 60_000,
    queryFn: () => readAll('/v1/users/deleted', { fields: ['id', 'name'] }),
  })
  const named = new Map([...users, ...(gone ?? []).map((u) => [u.id, u.name as string] as const)])
  const address = useAddress()
  const asked = new URLSearchParams(address.search)
  const [about, who, from, to] = ['about', 'who', 'from', 'to'].map((name) => asked.get(name) ?? '')
  const set = (name: string, value: string) => {
    if (value) asked.set(name, value)
    else asked.delete(name)
    go(`${root}/settings/audit${asked.size ? `?${asked}` : ''}`)
  }
  const filters: Filter[] = []
  if (groups[about]) filters.push({ field: 'action', operator: 'in', values: groups[about] })
  else if (about) filters.push({ field: 'resource', operator: 'eq', value: about })
  if (who) filters.push({ field: 'user_id', operator: 'eq', value: who })
  if (from) filters.push({ field: 'created_at', operator: 'gte', value: from })
  if (to) filters.push({ field: 'created_at', operator: 'lt', value: nextDay(to) })
  const list = useInfiniteQuery({
    queryKey: ['audit', about, who, from, to],
    initialPageParam: '',
    queryFn: ({ pageParam }) =>
      call<Lines>('POST', '/v1/audit/search', { limit: 50, filters, ...(pageParam ? { cursor: pageParam } : {}) }),
    getNextPageParam: (page) => page.meta.cursor.next ?? undefined,
  })
  const all = list.data?.pages.flatMap((p) => p.data) ?? []
  const labels = new Map([...schema.resources.map((r) => [r.name, r.label] as const), ['business', t('business')] as const])
  const plurals = new Map(schema.resources.map((r) => [r.name, pluralLabel(r)]))
  const told = (line: Line) => {
    const [thing, verb] = line.action.split('.')
    return said(
      `audit.${line.action}`,
      labels.has(thing) ? `${labels.get(thing)}: ${said(`audit.${verb}`, spoken(verb))}` : spoken(line.action),
    )
  }
  // Whoever did something to their own account is named already.
  const names = (line: Line) => !!line.record_id && line.record_id !== line.user_id
  // What is new has all of its fields; what of it was changed is worth telling.
  const changed = (line: Line) => {
    if (line.action === 'link.created') return (line.fields ?? []).map((what) => said(`audit.link.${what}`, spoken(what))).join(', ')
    if (line.action.endsWith('.created')) return ''
    if (!line.record_id && line.resource) return plurals.get(line.resource) ?? ''
    const fields = line.resource === 'business' ? schema.business?.fields : schema.resources.find((r) => r.name === line.resource)?.fields
    return (line.fields ?? []).map((name) => fields?.find((f) => f.name === name)?.label ?? spoken(name)).join(', ')
  }
  return (
    <>
      <p className="soft">{t('auditMore')}</p>
      <div className="row" role="search" aria-label={t('auditLog')}>
        <label className="field">
          <span className="field-label">{t('auditAbout')}</span>
          <select className="input" value={about} onChange={(e) => set('about', e.target.value)}>
            <option value="">{t('auditAnything')}</option>
            <optgroup label={t('auditHappened')}>
              {Object.keys(groups).map((g) => (
                <option key={g} value={g}>
                  {said(`auditGroup.${g}`, g)}
                </option>
              ))}
            </optgroup>
            <optgroup label={t('auditChanged')}>
              <option value="business">{t('business')}</option>
              {settingResources(schema).map((r) => (
                <option key={r.name} value={r.name}>
                  {r.label}
                </option>
              ))}
            </optgroup>
          </select>
        </label>
        {users.size > 0 && (
          <label className="field">
            <span className="field-label">{t('auditWho')}</span>
            <select className="input" value={who} onChange={(e) => set('who', e.target.value)}>
              <option value="">{t('auditAnybody')}</option>
              {[...named].map(([id, name]) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        )}
        <label className="field">
          <span className="field-label">{t('from')}</span>
          <DayInput className="input" value={from} max={to || undefined} onText={(text) => text !== unfinished && set('from', text)} />
        </label>
        <label className="field">
          <span className="field-label">{t('to')}</span>
          <DayInput className="input" value={to} min={from || undefined} onText={(text) => text !== unfinished && set('to', text)} />
        </label>
      </div>
      {list.isPending ? (
        <span className="bone" />
      ) : list.isError ? (
        <p className="note-bad" role="alert">
          {refusal(list.error)}
        </p>
      ) : all.length === 0 ? (
        <Empty icon="clock" title={t('auditNone')} />
      ) : (
        <ul className="rows cards-rows" aria-label={t('auditLog')}>
          {all.map((line) => (
            <li key={line.id}>
              <span className="what">
                <span>
                  <span className="strong">{told(line)}</span>
                  {line.count > 1 && (
                    <>
                      {' '}
                      <Chip color="gray">{t('auditTimes', { count: line.count })}</Chip>
                    </>
                  )}
                </span>
                <span className="soft">
                  <time dateTime={line.created_at}>{formatTime(line.created_at)}</time> ·{' '}
                  <bdi>{named.get(line.user_id ?? '') ?? (line.user_id ? t('somebody') : said(`actor.${line.actor}`, line.actor))}</bdi>
                  {line.address && (
                    <>
                      {' '}
                      · <bdi>{line.address}</bdi>
                    </>
                  )}
                </span>
                {(names(line) || changed(line)) && (
                  <span className="soft">
                    {names(line) && <RecordName id={line.record_id!} of={line.resource} />}
                    {names(line) && changed(line) && ' · '}
                    <bdi>{changed(line)}</bdi>
                  </span>
                )}
              </span>
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
