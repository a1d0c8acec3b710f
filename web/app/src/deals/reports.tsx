// The reports of deals: what is to come, how far deals get, what was won, and why others were lost.

import type { Filter } from '../api/call'
import { useApp, useResource } from '../api/context'
import { formatMoney, formatNumber, formatPercent, optionLabel, shortMoney } from '../i18n/format'
import { locale, t } from '../i18n/translate'
import { type Bar, Chart, type Report, useFigures } from '../reports/chart'
import type { Choice, Scope } from '../reports/scope'
import { leaf, type Resource } from '../schema/schema'
import { useLossReasons } from './lose'
import { averageDays, furthest } from './passage'
import { usePipelines } from './stages'
import { useStays } from './use-stays'
import { type Row, rates } from './win-rates'

const is = (field: string, value: string): Filter => ({ field, operator: 'eq', value })
const open = is('status', 'open')
const won = is('status', 'won')
const lost = is('status', 'lost')
const none = (field: string): Filter => ({ field, operator: 'is_not_set' })
const of = (scope: Scope): Filter[] => [...scope.of('owner_id'), ...(scope.within ? [is('pipeline_id', scope.within)] : [])]

const label = (res: Resource, path: string) => leaf(res, path)?.label ?? ''
const month = (name: string) => new Date(name + '-15T12:00:00Z').toLocaleDateString(locale(), { month: 'short', year: 'numeric' })
const sum = (row: Row) => (row['sum:amount'] ? formatMoney(row['sum:amount'], row.currency) : t('nothing'))
const between = (field: string, row: Row): Filter[] => [
  { field, operator: 'gte', value: row.from },
  { field, operator: 'lt', value: row.to },
]

// useCurrency gives what says of a row that its money is not of the currency of the business.
function useCurrency(): (row: Row) => string {
  const { me } = useApp()
  return (row) => (row.currency && row.currency !== me.business.currency ? ` · ${row.currency}` : '')
}

// PipelineChoice narrows the reports to one pipeline, where a business has several.
export const PipelineChoice: Choice = ({ value, onChange }) => {
  const pipelines = usePipelines()
  if (pipelines.length < 2) return null
  return (
    <label className="field">
      <span className="field-label">{t('pipeline')}</span>
      <select className="input" value={value} onChange={(e) => onChange(e.target.value)}>
        <option value="">{t('allPipelines')}</option>
        {pipelines.map((p) => (
          <option key={p.id} value={p.id}>
            {p.name}
          </option>
        ))}
      </select>
    </label>
  )
}

// bands are how sure a deal is: up to a quarter, a half, three quarters, and more.
const bands = [25, 50, 75, 100]

// The forecast looks ahead, whatever the period is: what is expected to close, by month, and what should have.
const Forecast: Report = ({ res, scope }) => {
  const currency = useCurrency()
  const metrics = ['sum:weighted_amount', 'sum:amount', 'count']
  const due = 'expected_close_date'
  const ahead = [open, ...of(scope), { field: due, operator: 'gte', value: '@month_start' }]
  const behind = [open, ...of(scope), { field: due, operator: 'lt', value: '@month_start' }]
  const undated = [open, ...of(scope), none(due)]
  const order = { order_by: `${due}:month`, sort_direction: 'asc', limit: 24 }
  const months = useFigures<Row>(res, { filters: ahead, group_by: [`${due}:month`], metrics, ...order })
  const sure = useFigures<Row & { probability: number }>(res, {
    filters: ahead,
    group_by: [`${due}:month`, 'probability'],
    metrics: ['sum:weighted_amount'],
  })
  const late = useFigures<Row>(res, { filters: behind, metrics })
  const some = useFigures<Row>(res, { filters: undated, metrics })
  const bar = (r: Row, label: string, filters: Filter[], key: string): Bar => {
    const parts = bands.map((to, i) =>
      (sure ?? [])
        .filter((s) => s[`${due}:month`] === r[`${due}:month`] && s.currency === r.currency)
        .filter((s) => s.probability <= to && (i === 0 || s.probability > bands[i - 1]))
        .reduce((all, s) => all + Number(s['sum:weighted_amount'] ?? 0), 0),
    )
    return {
      key: key + r.currency,
      label: label + currency(r),
      size: Number(r['sum:weighted_amount'] ?? 0),
      parts: r[`${due}:month`] ? parts : undefined,
      text: r['sum:weighted_amount'] ? formatMoney(r['sum:weighted_amount'], r.currency) : t('nothing'),
      more: t('ofAll', { count: r.count, sum: r['sum:amount'] ? shortMoney(r['sum:amount'], r.currency) : '–' }),
      exact: [[r['sum:weighted_amount'], r['sum:amount'], r.count, r.currency]],
      filters,
    }
  }
  const some_ = (rows: Row[] | undefined) => (rows ?? []).filter((r) => r.count > 0)
  return (
    <Chart
      res={res}
      title={t('forecast')}
      heads={[t('month'), t('weightedSum')]}
      columns={[t('weightedSum'), t('sum'), t('number'), label(res, 'currency')]}
      legend={[...[25, 50, 75].map((most) => t('upTo', { percent: formatPercent(most) })), t('above', { percent: formatPercent(75) })]}
      none={t('noForecast')}
      bars={
        months &&
        sure &&
        late &&
        some && [
          ...some_(late).map((r) => bar(r, t('shouldHaveClosed'), behind, 'late')),
          ...months.map((r) => bar(r, month(r[`${due}:month`]!), [open, ...of(scope), ...between(due, r)], r[`${due}:month`]!)),
          ...some_(some).map((r) => bar(r, t('withoutDate'), undated, 'undated')),
        ]
      }
    />
  )
}

// The funnel is of the deals that began in the period: how many are at least as far by now.
const Funnel: Report = ({ res, scope }) => {
  const pipelines = usePipelines()
  const pipeline = pipelines.find((p) => p.id === scope.within) ?? pipelines.find((p) => p.is_default) ?? pipelines[0]
  const began = pipeline && [is('pipeline_id', pipeline.id), ...scope.of('owner_id'), ...scope.during('created_at')]
  const rows = useFigures<Row>(res, began ? { filters: began, group_by: ['stage_id'], metrics: ['count'] } : null)
  const stays = useFigures<Row>(
    res,
    pipeline
      ? {
          filters: [is('pipeline_id', pipeline.id), open, ...scope.of('owner_id')],
          group_by: ['stage_id', 'stage_changed_at:day'],
          metrics: ['count'],
        }
      : null,
  )
  const left = useStays(
    res,
    pipeline ? [is('pipeline_id', pipeline.id), ...scope.of('owner_id'), ...scope.during('stage_changed_at')] : null,
  )
  const steps = pipeline && rows && furthest(pipeline.stages, rows)
  const all = steps?.[0]?.reached ?? 0
  return (
    <Chart
      res={res}
      title={pipelines.length > 1 && pipeline ? `${t('funnel')}: ${pipeline.name}` : t('funnel')}
      heads={[t('stage'), t('number')]}
      columns={[t('number'), t('medianDays'), t('averageDays')]}
      none={t('noFunnel')}
      whole={all || undefined}
      bars={
        steps &&
        (all === 0
          ? []
          : steps.map((s) => {
              const days = averageDays((stays ?? []).filter((r) => r.stage_id === s.ids[0]))
              const stay = s.kind === 'open' ? left?.stays.get(s.ids[0]) : undefined
              return {
                key: s.name,
                label: s.name,
                size: s.reached,
                text: formatNumber(s.reached),
                more: [
                  s.before > 0 ? t('ofStageBefore', { percent: formatPercent((s.reached / s.before) * 100, 0) }) : '',
                  stay ? t('stayed', { count: Math.round(stay.median), average: formatNumber(stay.average, 0) }) : '',
                  s.kind === 'open' && days !== undefined ? t('daysInStage', { count: Math.round(days) }) : '',
                ]
                  .filter(Boolean)
                  .join(' · '),
                exact: [[s.reached, stay?.median.toFixed(2), stay?.average.toFixed(2)]],
                filters: [...began!, { field: 'stage_id', operator: 'in', values: s.ids }],
              }
            }))
      }
    >
      <p className="soft">
        {t('funnelMore')} {left && left.stays.size > 0 && t('stayedMore')} {left?.some && t('stayedSome')}
      </p>
    </Chart>
  )
}

const ByStage: Report = ({ res, scope }) => {
  const pipelines = usePipelines()
  const currency = useCurrency()
  const stages = useFigures<Row>(res, {
    filters: [open, ...of(scope)],
    group_by: ['stage_id'],
    metrics: ['count', 'sum:amount', 'sum:weighted_amount'],
  })
  const order = pipelines.flatMap((p) => p.stages.map((s) => ({ id: s.id, label: pipelines.length > 1 ? `${p.name}: ${s.name}` : s.name })))
  return (
    <Chart
      res={res}
      title={t('byStage')}
      heads={[t('stage'), t('sum')]}
      columns={[t('number'), t('sum'), t('weightedSum'), label(res, 'currency')]}
      none={t('noForecast')}
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
              exact: [[r.count, r['sum:amount'], r['sum:weighted_amount'], r.currency]],
              more: t('weightedOf', {
                count: r.count,
                sum: r['sum:weighted_amount'] ? shortMoney(r['sum:weighted_amount'], r.currency) : '–',
              }),
              filters: [is('stage_id', s.id), ...of(scope), ...(r.currency ? [is('currency', r.currency)] : [])],
            })),
        )
      }
    />
  )
}

const WonByMonth: Report = ({ res, scope }) => {
  const currency = useCurrency()
  const months = useFigures<Row>(res, {
    filters: [won, ...of(scope), ...scope.during('closed_at')],
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
      columns={[t('sum'), t('number'), label(res, 'currency')]}
      none={t('noWon')}
      bars={months?.map((r) => ({
        key: r['closed_at:month'] + r.currency!,
        label: month(r['closed_at:month']!) + currency(r),
        size: Number(r['sum:amount'] ?? 0),
        text: sum(r),
        more: t('dealCount', { count: r.count }),
        exact: [[r['sum:amount'], r.count, r.currency]],
        filters: [won, ...of(scope), ...between('closed_at', r), ...(r.currency ? [is('currency', r.currency)] : [])],
      }))}
    />
  )
}

const WinRate: Report = ({ res, scope }) => {
  const closed = useFigures<Row>(res, {
    filters: [...of(scope), { field: 'status', operator: 'in', values: ['won', 'lost'] }, ...scope.during('closed_at')],
    group_by: ['closed_at:month', 'status'],
    metrics: ['count'],
  })
  return (
    <Chart
      res={res}
      title={t('winRate')}
      heads={[t('month'), t('part')]}
      columns={[optionLabel(leaf(res, 'status')!, 'won'), label(res, 'closed_at')]}
      whole={100}
      none={t('noWon')}
      bars={
        closed &&
        rates(closed).map((r) => ({
          key: r.month,
          label: month(r.month),
          size: (r.won / r.closed) * 100,
          text: formatPercent((r.won / r.closed) * 100, 0),
          more: t('wonOf', { won: r.won, count: r.closed }),
          exact: [[r.won, r.closed]],
          filters: [
            ...of(scope),
            { field: 'closed_at', operator: 'gte', value: r.from },
            { field: 'closed_at', operator: 'lt', value: r.to },
          ],
        }))
      }
    />
  )
}

const WhyLost: Report = ({ res, scope }) => {
  const reasons = useLossReasons()
  const reasonOf = (r: { loss_reason_id: string | null }) => reasons.find((x) => x.id === r.loss_reason_id)
  const filters = [lost, ...of(scope), ...scope.during('closed_at')]
  const rows = useFigures<Row & { loss_reason_id: string | null }>(res, { filters, group_by: ['loss_reason_id'], metrics: ['count'] })
  const sums = useFigures<Row & { loss_reason_id: string | null }>(res, {
    filters,
    group_by: ['loss_reason_id'],
    metrics: ['sum:amount', 'count'],
  })
  return (
    <Chart
      res={res}
      title={t('whyLost')}
      heads={[t('reason'), t('number')]}
      columns={[t('number'), t('sum'), label(res, 'currency')]}
      none={t('noLost')}
      bars={
        rows &&
        sums &&
        rows.map((r) => ({
          key: r.loss_reason_id ?? '',
          label: r.loss_reason_id ? (reasonOf(r)?.name ?? '…') : t('notTold'),
          size: r.count,
          text: formatNumber(r.count),
          exact: sums.filter((s) => s.loss_reason_id === r.loss_reason_id).map((s) => [s.count, s['sum:amount'], s.currency]),
          more: [
            sums
              .filter((s) => s.loss_reason_id === r.loss_reason_id && s['sum:amount'])
              .map((s) => shortMoney(s['sum:amount']!, s.currency))
              .join(' + '),
            reasonOf(r)?.active === false ? t('notOffered') : '',
          ]
            .filter(Boolean)
            .join(' · '),
          filters: [...filters, r.loss_reason_id ? is('loss_reason_id', r.loss_reason_id) : none('loss_reason_id')],
        }))
      }
    />
  )
}

const closed = (f: Filter) => f.field === 'status' && (f.operator === 'eq' ? [f.value] : (f.values ?? [])).every((v) => v && v !== 'open')

// Deals that are closed are of the period in which they were, others of that in which they began.
export const dealNarrowing = {
  when: (filters: Filter[]) => (filters.some((f) => ['eq', 'in'].includes(f.operator) && closed(f)) ? 'closed_at' : 'created_at'),
  within: 'pipeline_id',
}

// ofStages is for who may read pipelines: to others their stages have no names.
const ofStages =
  (Inner: Report): Report =>
  (props) =>
    (useResource('pipeline')?.permissions.read ?? 'none') === 'none' ? null : <Inner {...props} />

export const dealReports = [Forecast, ofStages(Funnel), WonByMonth, WinRate, WhyLost, ofStages(ByStage)]
