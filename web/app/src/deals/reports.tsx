// Reports: figures that the API adds up, each as bars in a table, each leading to the records that it counts.

import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { call, type Filter } from '../api/call'
import { useApp, useResource } from '../api/context'
import { formatMoney, formatNumber, shortMoney } from '../i18n/format'
import { locale, t } from '../i18n/translate'
import { writeFilter } from '../records/address'
import { useUsers } from '../records/names'
import { plural, type Resource } from '../schema/schema'
import { Link, root } from '../ui/route'
import { usePipelines } from './stages'
import { type Row, rates } from './win-rates'

type Bar = { key: string; label: string; size: number; text: string; more?: string; filters?: Filter[] }

function useFigures(res: Resource | undefined, name: string, body: Record<string, unknown>): Row[] | undefined {
  const { data } = useQuery({
    queryKey: ['figures', res?.name, name],
    enabled: !!res && res.permissions.read !== 'none' && res.operations.includes('aggregate'),
    queryFn: async () => (await call<{ data: Row[] }>('POST', res!.path + '/aggregate', body)).data,
  })
  return data
}

const month = (name: string) => new Date(name + '-15T12:00:00Z').toLocaleDateString(locale(), { month: 'short', year: 'numeric' })

export default function Reports() {
  const { me } = useApp()
  const deals = useResource('deal')
  const contacts = useResource('contact')
  const activities = useResource('activity')
  const pipelines = usePipelines()
  const users = useUsers()
  const open: Filter = { field: 'status', operator: 'eq', value: 'open' }
  const won: Filter = { field: 'status', operator: 'eq', value: 'won' }
  const lately: Filter = { field: 'closed_at', operator: 'gte', value: '@month_start-11m' }
  const days: Filter = { field: 'occurred_at', operator: 'gte', value: '@today-30d' }
  const stages = useFigures(deals, 'stages', {
    filters: [open],
    group_by: ['stage_id'],
    metrics: ['count', 'sum:amount', 'sum:weighted_amount'],
  })
  const months = useFigures(deals, 'months', {
    filters: [won, lately],
    group_by: ['closed_at:month'],
    metrics: ['sum:amount', 'count'],
    order_by: 'closed_at:month',
    sort_direction: 'asc',
  })
  const closed = useFigures(deals, 'closed', { filters: [lately], group_by: ['closed_at:month', 'status'], metrics: ['count'] })
  const people = useFigures(activities, 'people', { filters: [days], group_by: ['owner_id'], metrics: ['count'] })
  const sources = useFigures(contacts, 'sources', { group_by: ['lead_source'], metrics: ['count'], limit: 12 })

  const currency = (row: Row) => (row.currency && row.currency !== me.business.currency ? ` · ${row.currency}` : '')
  const sum = (row: Row) => (row['sum:amount'] ? formatMoney(row['sum:amount'], row.currency) : t('nothing'))
  const order = pipelines.flatMap((p) => p.stages.map((s) => ({ id: s.id, label: pipelines.length > 1 ? `${p.name}: ${s.name}` : s.name })))
  return (
    <section className="screen reports" aria-labelledby="screen-title">
      <header className="screen-head">
        <h1 id="screen-title">{t('reports')}</h1>
      </header>
      <div className="reports-body">
        {deals && (
          <Chart
            res={deals}
            title={t('byStage')}
            heads={[t('stage'), t('sum')]}
            bars={
              stages &&
              order.flatMap((s) =>
                stages
                  .filter((r) => r.stage_id === s.id)
                  .map((r) => ({
                    key: s.id + r.currency,
                    label: s.label + currency(r),
                    size: Number(r['sum:amount'] ?? 0),
                    text: sum(r),
                    more: t('weightedOf', {
                      count: r.count,
                      sum: r['sum:weighted_amount'] ? shortMoney(r['sum:weighted_amount'], r.currency) : '–',
                    }),
                    filters: [{ field: 'stage_id', operator: 'eq', value: s.id }],
                  })),
              )
            }
          />
        )}
        {deals && (
          <Chart
            res={deals}
            title={t('wonByMonth')}
            heads={[t('month'), t('sum')]}
            bars={months?.map((r) => ({
              key: r['closed_at:month'] + r.currency,
              label: month(r['closed_at:month']) + currency(r),
              size: Number(r['sum:amount'] ?? 0),
              text: sum(r),
              more: t('dealCount', { count: r.count }),
              filters: [won, { field: 'closed_at', operator: 'gte', value: r.from }, { field: 'closed_at', operator: 'lt', value: r.to }],
            }))}
          />
        )}
        {deals && (
          <Chart
            res={deals}
            title={t('winRate')}
            heads={[t('month'), t('part')]}
            whole={100}
            bars={
              closed &&
              rates(closed).map((r) => ({
                key: r.month,
                label: month(r.month),
                size: (r.won / r.closed) * 100,
                text: `${formatNumber((r.won / r.closed) * 100, 0)} %`,
                more: t('wonOf', { won: r.won, count: r.closed }),
                filters: [
                  { field: 'closed_at', operator: 'gte', value: r.from },
                  { field: 'closed_at', operator: 'lt', value: r.to },
                ],
              }))
            }
          />
        )}
        {activities && (
          <Chart
            res={activities}
            title={t('activitiesByPerson')}
            heads={[t('person'), t('number')]}
            bars={people?.map((r) => ({
              key: r.owner_id ?? '',
              label: (r.owner_id && users.get(r.owner_id)) || t('somebody'),
              size: r.count,
              text: formatNumber(r.count),
              filters: [
                days,
                r.owner_id ? { field: 'owner_id', operator: 'eq', value: r.owner_id } : { field: 'owner_id', operator: 'is_not_set' },
              ],
            }))}
          />
        )}
        {contacts && (
          <Chart
            res={contacts}
            title={t('leadSources')}
            heads={[t('source'), t('number')]}
            bars={sources?.map((r) => ({
              key: r.lead_source ?? '',
              label: r.lead_source ?? t('notTold'),
              size: r.count,
              text: formatNumber(r.count),
              filters: [
                r.lead_source
                  ? { field: 'lead_source', operator: 'eq', value: r.lead_source }
                  : { field: 'lead_source', operator: 'is_not_set' },
              ],
            }))}
          />
        )}
      </div>
    </section>
  )
}

function Chart({
  res,
  title,
  heads,
  bars,
  whole,
}: {
  res: Resource
  title: string
  heads: [string, string]
  bars?: Bar[]
  whole?: number
}): ReactNode {
  const most = whole ?? Math.max(1e-9, ...(bars ?? []).map((b) => b.size))
  return (
    <section className="panel" aria-label={title}>
      <h2>{title}</h2>
      {!bars ? (
        <span className="bone" />
      ) : bars.length === 0 ? (
        <p className="soft">{t('noFigures')}</p>
      ) : (
        <table className="chart">
          <thead className="unseen">
            <tr>
              <th scope="col">{heads[0]}</th>
              <th scope="col">{heads[1]}</th>
            </tr>
          </thead>
          <tbody>
            {bars.map((b) => (
              <tr key={b.key}>
                <th scope="row">
                  <Link to={`${root}/${plural(res)}?${(b.filters ?? []).map((f) => 'f=' + encodeURIComponent(writeFilter(f))).join('&')}`}>
                    <bdi>{b.label}</bdi>
                  </Link>
                </th>
                <td>
                  <span className="bar" aria-hidden="true">
                    <span style={{ width: `${Math.max(0.5, (b.size / most) * 100)}%` }} />
                  </span>
                  <span className="bar-text">
                    <span className="strong figure">{b.text}</span>
                    {b.more && <span className="soft"> {b.more}</span>}
                  </span>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}
