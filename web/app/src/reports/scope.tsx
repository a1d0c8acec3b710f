// What the reports are about: a period, whose records, and which pipeline. It stands in the address, so that it can be kept and sent.

import type { ComponentType } from 'react'
import type { Filter } from '../api/call'
import { useApp } from '../api/context'
import { t } from '../i18n/translate'
import { useUsers } from '../records/names'
import { DayInput, unfinished } from '../ui/day-input'
import { go, root, useAddress } from '../ui/route'

const periods = ['year', 'month', 'last_month', 'quarter', 'last_quarter', 'this_year', 'last_year', 'all', 'own'] as const
export type Period = (typeof periods)[number]

// Each begins with the one value token and ends before the other.
const bounds: Record<Exclude<Period, 'own'>, [from: string, to: string]> = {
  year: ['@month_start-11m', '@month_start+1m'],
  month: ['@month_start', '@month_start+1m'],
  last_month: ['@month_start-1m', '@month_start'],
  quarter: ['@quarter_start', '@quarter_start+3m'],
  last_quarter: ['@quarter_start-3m', '@quarter_start'],
  this_year: ['@year_start', '@year_start+1y'],
  last_year: ['@year_start-1y', '@year_start'],
  all: ['', ''],
}

export type Scope = {
  // during are the filters that hold a field to the period.
  during: (field: string) => Filter[]
  // of are those of whose records are counted.
  of: (field: string) => Filter[]
  // within is the id of what a kind lets one choose beside these.
  within: string
}

export type Chosen = { period: Period; from: string; to: string; owner: string; within: string }

export function readScope(query: URLSearchParams): Chosen {
  const day = (name: string) => (/^\d{4}-\d\d-\d\d$/.test(query.get(name) ?? '') ? query.get(name)! : '')
  const period = periods.find((p) => p === query.get('period')) ?? 'year'
  return { period, from: day('from'), to: day('to'), owner: query.get('owner') ?? '', within: query.get('in') ?? '' }
}

export function writeScope(s: Chosen): string {
  const query = new URLSearchParams()
  if (s.period !== 'year') query.set('period', s.period)
  if (s.period === 'own' && s.from) query.set('from', s.from)
  if (s.period === 'own' && s.to) query.set('to', s.to)
  if (s.owner) query.set('owner', s.owner)
  if (s.within) query.set('in', s.within)
  const text = query.toString()
  return text ? `?${text}` : ''
}

// dayAfter is the day behind one, which no longer belongs to a period that ends with it.
export function dayAfter(day: string): string {
  const next = new Date(`${day}T12:00:00Z`)
  next.setUTCDate(next.getUTCDate() + 1)
  return next.toISOString().slice(0, 10)
}

export function scopeOf(s: Chosen): Scope {
  const [from, to] = s.period === 'own' ? [s.from, s.to && dayAfter(s.to)] : bounds[s.period]
  return {
    during: (field) => [...(from ? [{ field, operator: 'gte', value: from }] : []), ...(to ? [{ field, operator: 'lt', value: to }] : [])],
    of: (field) => (s.owner ? [{ field, operator: 'eq', value: s.owner }] : []),
    within: s.within,
  }
}

// Choice is what a kind lets one choose beside these.
export type Choice = ComponentType<{ value: string; onChange: (id: string) => void }>

export function ScopeBar({ Within }: { Within: Choice }) {
  const address = useAddress()
  const { me } = useApp()
  const users = useUsers()
  const chosen = readScope(address.searchParams)
  const set = (change: Partial<Chosen>) => go(`${root}/reports${writeScope({ ...chosen, ...change })}`, { replace: true })
  return (
    <form noValidate className="scope" aria-label={t('reportScope')} onSubmit={(e) => e.preventDefault()}>
      <label className="field">
        <span className="field-label">{t('period')}</span>
        <select className="input" value={chosen.period} onChange={(e) => set({ period: e.target.value as Period })}>
          {periods.map((p) => (
            <option key={p} value={p}>
              {t(`period.${p}`)}
            </option>
          ))}
        </select>
      </label>
      {chosen.period === 'own' &&
        (['from', 'to'] as const).map((end) => (
          <label key={end} className="field">
            <span className="field-label">{t(end === 'from' ? 'firstDay' : 'lastDay')}</span>
            <DayInput className="input" value={chosen[end]} onText={(text) => text !== unfinished && set({ [end]: text })} />
          </label>
        ))}
      <label className="field">
        <span className="field-label">{t('whose')}</span>
        <select className="input" value={chosen.owner} onChange={(e) => set({ owner: e.target.value })}>
          <option value="">{t('everybodys')}</option>
          <option value="@me">{t('mine')}</option>
          {[...users]
            .filter(([id]) => id !== me.user.id)
            .map(([id, name]) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
        </select>
      </label>
      <Within value={chosen.within} onChange={(within) => set({ within })} />
    </form>
  )
}
