// Who may be meant: while a new record is typed, those that are there already with the same address, number, domain or name.

import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { call, type Page, type Rec, type Search } from '../api/call'
import { t } from '../i18n/translate'
import { at, type Leaf, leaf as leafOf, leaves, type Resource, titleOf } from '../schema/schema'
import { Link } from '../ui/route'
import { faultOf } from './refusals'
import { pathTo } from './shown'

const most = 3
const folded = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
const ending = (phone: unknown) =>
  String(phone ?? '')
    .replace(/\D/g, '')
    .slice(-6)

// A sign asks for records, and tells which of the answer fit: a text is found in any field, and is meant as a name or a number.
export type Sign = { search: Search; fits: (record: Rec) => boolean }

const always = () => true

// signsOf are those by which what is typed may be a record that is there.
export function signsOf(res: Resource, typed: (path: string) => unknown): Sign[] {
  const said = (path: string) => String(typed(path) ?? '').trim()
  const parts = ['first_name', 'last_name'].map(said).filter(Boolean)
  const name = said('name') || (parts.length === 2 ? parts.join(' ') : '')
  const signs: Sign[] = []
  for (const l of leaves(res)) {
    const value = said(l.path)
    if (l.custom || l.group || !value || faultOf(l, value)) continue
    if (l.kind === 'email' || (l.format === 'domain' && /^[^\s.]+(\.[^\s.]+)+$/.test(value)))
      signs.push({ search: { filters: [{ field: l.path, operator: 'eq', value }] }, fits: always })
    if (l.kind === 'phone' && ending(value).length === 6)
      signs.push({
        search: { search_text: value },
        fits: (r) => leaves(res).some((other) => other.kind === 'phone' && ending(at(r, other.path)) === ending(value)),
      })
  }
  if (name.length >= 3 && leafOf(res, 'name'))
    signs.push({
      search: { search_text: name },
      fits: (r) =>
        folded(name)
          .split(/\s+/)
          .every((word) => folded(titleOf(res, r)).includes(word)),
    })
  return signs
}

const shownOf = (res: Resource): Leaf[] => leaves(res).filter((l) => !l.group && !l.custom && ['email', 'phone'].includes(l.kind))

// useMeant asks for them once somebody pauses.
export function useMeant(res: Resource, typed: (path: string) => unknown): Rec[] {
  const signs = signsOf(res, typed)
  const key = JSON.stringify(signs.map((s) => s.search))
  const [settled, setSettled] = useState(key)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(key), 300)
    return () => clearTimeout(timer)
  }, [key])
  const { data } = useQuery({
    queryKey: ['meant', res.name, key],
    enabled: settled === key && signs.length > 0 && res.permissions.read !== 'none' && res.operations.includes('search'),
    queryFn: async () => {
      const fields = [...new Set(['id', ...res.named_by, res.telling[0], ...shownOf(res).map((l) => l.path)].filter(Boolean))]
      const found = await Promise.all(
        signs.map(async ({ search, fits }) =>
          (await call<Page>('POST', `${res.path}/search`, { ...search, fields, limit: 10 })).data.filter(fits),
        ),
      )
      return [...new Map(found.flat().map((r) => [r.id, r])).values()].slice(0, most)
    },
  })
  return (settled === key && data) || []
}

export function Meant({ res, records, onOpen }: { res: Resource; records: Rec[]; onOpen: () => void }) {
  return (
    <div className="meant" role="status">
      {records.length > 0 && (
        <>
          <p className="strong">{t('meant')}</p>
          <ul>
            {records.map((r) => (
              <li key={r.id}>
                <span className="grow">
                  <bdi>{titleOf(res, r)}</bdi>{' '}
                  <bdi className="soft">
                    {[at(r, res.telling[0]), ...shownOf(res).map((l) => at(r, l.path))].find((v) => typeof v === 'string' && v) as string}
                  </bdi>
                </span>
                <Link to={pathTo(res, r.id)} onClick={onOpen} aria-label={t('openOne', { name: titleOf(res, r) })}>
                  {t('open')}
                </Link>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  )
}
