// The reports of deals: what is open in which stage, what was won, and how much of what was closed.

import type { Filter } from '../api/call'
import { useApp } from '../api/context'
import { formatMoney, formatNumber, shortMoney } from '../i18n/format'
import { locale, t } from '../i18n/translate'
import { Chart, type Report, useFigures } from '../reports/chart'
import { usePipelines } from './stages'
import { type Row, rates } from './win-rates'

const open: Filter = { field: 'status', operator: 'eq', value: 'open' }
const won: Filter = { field: 'status', operator: 'eq', value: 'won' }
const lately: Filter = { field: 'closed_at', operator: 'gte', value: '@month_start-11m' }

const month = (name: string) => new Date(name + '-15T12:00:00Z').toLocaleDateString(locale(), { month: 'short', year: 'numeric' })
const sum = (row: Row) => (row['sum:amount'] ? formatMoney(row['sum:amount'], row.currency) : t('nothing'))

// useCurrency gives what says of a row that its money is not of the currency of the business.
function useCurrency(): (row: Row) => string {
  const { me } = useApp()
  return (row) => (row.currency && row.currency !== me.business.currency ? ` · ${row.currency}` : '')
}

const ByStage: Report = ({ res }) => {
  const pipelines = usePipelines()
  const currency = useCurrency()
  const stages = useFigures<Row>(res, 'stages', {
    filters: [open],
    group_by: ['stage_id'],
    metrics: ['count', 'sum:amount', 'sum:weighted_amount'],
  })
  const order = pipelines.flatMap((p) => p.stages.map((s) => ({ id: s.id, label: pipelines.length > 1 ? `${p.name}: ${s.name}` : s.name })))
  return (
    <Chart
      res={res}
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
  )
}

const WonByMonth: Report = ({ res }) => {
  const currency = useCurrency()
  const months = useFigures<Row>(res, 'months', {
    filters: [won, lately],
    group_by: ['closed_at:month'],
    metrics: ['sum:amount', 'count'],
    order_by: 'closed_at:month',
    sort_direction: 'asc',
  })
  return (
    <Chart
      res={res}
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
  )
}

const WinRate: Report = ({ res }) => {
  const closed = useFigures<Row>(res, 'closed', { filters: [lately], group_by: ['closed_at:month', 'status'], metrics: ['count'] })
  return (
    <Chart
      res={res}
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
  )
}

export const dealReports = [ByStage, WonByMonth, WinRate]
