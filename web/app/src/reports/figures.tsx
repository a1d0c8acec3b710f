// The figures of a report of one's own: as bars, a line, one number, or a table, each leading to its records.

import { useQuery } from '@tanstack/react-query'
import type { RefObject } from 'react'
import type { Filter } from '../api/call'
import { useApp } from '../api/context'
import { formatDate, formatMoney, formatNumber, formatPlain } from '../i18n/format'
import { inSentence, locale, t } from '../i18n/translate'
import { named, useKnownNames } from '../records/names'
import { type Leaf, leaf, pluralLabel, type Resource } from '../schema/schema'
import { Link, useAddress } from '../ui/route'
import { type Bar, Bars, listOf, table, useFigures } from './chart'
import type { Cell } from './csv'
import { narrowings } from './kinds'
import { type Asked, narrowed } from './narrow'
import { readScope, scopeOf } from './scope'

type Row = Record<string, string | number | null>

export function metricLabel(res: Resource, metric: string): string {
  const [measure, path] = metric.split(':')
  const of = path && leaf(res, path)
  return of ? t(`measure.${measure as 'sum'}`, { field: of.label }) : t('howMany', { things: inSentence(pluralLabel(res)) })
}

// groupLabel is what a row is called: a value in the words of its field, or a period.
function groupLabel(group: string, l: Leaf | undefined, value: Row[string], names: Map<string, string>): string {
  if (value === null) return t('unset')
  const unit = group.split(':')[1]
  if (unit === 'month') return new Date(`${value}-15T12:00:00Z`).toLocaleDateString(locale(), { month: 'short', year: 'numeric' })
  if (unit && unit !== 'day') return String(value)
  if (l?.kind === 'reference') return names.get(String(value)) ?? '…'
  return formatPlain(unit === 'day' && l ? { ...l, kind: 'date' } : l, value)
}

function useNames(ids: string[]): Map<string, string> {
  const { schema } = useApp()
  const known = useKnownNames()
  const others = ids.filter((id) => !known.has(id)).slice(0, 100)
  const { data } = useQuery({
    queryKey: ['figures', 'names', others.join(' ')],
    enabled: others.length > 0,
    queryFn: () => named(schema, others),
  })
  return new Map([...known, ...(data ?? []).map((n) => [n.id, n.name] as const)])
}

type Props = { res: Resource; asked: Asked; chart: 'bar' | 'line' | 'number' | 'table'; kept?: RefObject<Cell[][]> }

// Figures are of the period, the person and the pipeline that are chosen, as far as there are fields for these, which stand below. What is
// shown is kept for who makes a file of it.
export function Figures({ res, asked, chart, kept }: Props) {
  const { me } = useApp()
  const names = useKnownNames(false)
  const chosen = readScope(useAddress().searchParams)
  const whose = chosen.owner === '@me' ? me.user.id : chosen.owner
  const by = chart === 'number' ? { ...asked, group_by: undefined } : asked
  const { filters, period, person, within } = narrowed(res, by, scopeOf(chosen), narrowings[res.name])
  const told = [
    period && `${period.label}: ${chosen.period === 'own' ? span(chosen) : t(`period.${chosen.period}`)}`,
    !period && chosen.period !== 'all' && t('ownPeriod'),
    chosen.owner && (person ? `${person.label}: ${names.get(whose) ?? '…'}` : t('anyPerson')),
    chosen.within && (within ? `${within.label}: ${names.get(chosen.within) ?? '…'}` : t('anyPipeline')),
  ].filter(Boolean)
  return (
    <>
      <All res={res} asked={{ ...by, filters }} chart={chart} kept={kept} />
      <p className="narrowed soft">{told.join(' · ')}</p>
    </>
  )
}

const span = ({ from, to }: { from: string; to: string }) => [from, to].map((day) => (day ? formatDate(day) : '…')).join(' – ')

function All({ res, asked, chart, kept }: Props) {
  const { me } = useApp()
  const group = chart === 'number' ? undefined : asked.group_by?.[0]
  const metric = asked.metrics?.[0] ?? 'count'
  const l = group ? leaf(res, group.split(':')[0]) : undefined
  const measured = leaf(res, metric.split(':')[1] ?? '')
  const timed = !!group && (chart === 'line' || group.includes(':'))
  const rows = useFigures<Row>(res, {
    ...asked,
    group_by: group ? asked.group_by : undefined,
    metrics: [metric],
    limit: chart === 'table' || timed ? 200 : 20,
    ...(timed ? { order_by: group, sort_direction: 'asc' } : {}),
  })
  const names = useNames(l?.kind === 'reference' ? (rows ?? []).flatMap((r) => (r[group!] ? [String(r[group!])] : [])) : [])
  if (!rows) return <span className="bone" />
  const text = (r: Row) => {
    const value = r[metric]
    if (value === null || value === undefined) return t('nothing')
    return measured?.kind === 'money' ? formatMoney(String(value), r.currency as string) : formatNumber(value)
  }
  const narrowed = (r: Row): Filter[] => {
    if (!group) return []
    const field = group.split(':')[0]
    if (r[group] === null) return [{ field, operator: 'is_not_set' }]
    if (r.from)
      return [
        { field, operator: 'gte', value: r.from },
        { field, operator: 'lt', value: r.to },
      ]
    return [{ field, operator: 'eq', value: r[group] }]
  }
  const bars = rows.map((r): Bar => {
    const money = r.currency && r.currency !== me.business.currency ? ` · ${r.currency}` : ''
    return {
      key: `${group ? r[group] : ''} ${r.currency ?? ''}`,
      label: (group ? groupLabel(group, l, r[group], names) : metricLabel(res, metric)) + money,
      size: Math.max(0, Number(r[metric] ?? 0)),
      text: text(r),
      exact: [[r[metric], ...(r.currency ? [r.currency] : [])]],
      filters: [...(asked.filters ?? []), ...narrowed(r), ...(money ? [{ field: 'currency', operator: 'eq', value: r.currency }] : [])],
    }
  })
  const columns = [metricLabel(res, metric), ...(measured?.kind === 'money' ? [leaf(res, 'currency')?.label ?? ''] : [])]
  if (kept) kept.current = table(l?.label ?? '', columns, bars)
  if (bars.length === 0) return <p className="soft">{t('noFigures')}</p>
  if (!group)
    return (
      <p className="big-figures">
        {bars.map((b) => (
          <Link key={b.key} to={listOf(res, b.filters ?? [])}>
            <span className="big-figure">{b.text}</span> <span className="soft">{b.label}</span>
          </Link>
        ))}
      </p>
    )
  return (
    <>
      {chart === 'line' && <Line sizes={bars.map((b) => b.size)} />}
      <Bars res={res} heads={[l?.label ?? '', metricLabel(res, metric)]} bars={bars} bare={chart !== 'bar'} />
    </>
  )
}

// Line is a curve of what the table below it tells.
function Line({ sizes }: { sizes: number[] }) {
  const most = Math.max(1e-9, ...sizes)
  const points = sizes.map((s, i) => [sizes.length > 1 ? (i / (sizes.length - 1)) * 300 : 150, 96 - (s / most) * 88])
  return (
    <svg className="line-chart" viewBox="0 0 300 100" preserveAspectRatio="none" aria-hidden="true">
      <polyline points={points.map((p) => p.join(',')).join(' ')} />
    </svg>
  )
}
