// The report of activities: who did how much.

import type { Filter } from '../api/call'
import { formatNumber, optionLabel } from '../i18n/format'
import { t } from '../i18n/translate'
import { useUsers } from '../records/names'
import { Chart, type Report, useFigures } from '../reports/chart'
import { leaf } from '../schema/schema'

type Row = { owner_id: string | null; activity_type: string; count: number }

const ByPerson: Report = ({ res, scope }) => {
  const users = useUsers()
  const filters = [...scope.of('owner_id'), ...scope.during('occurred_at')]
  const rows = useFigures<Row>(res, { filters, group_by: ['owner_id', 'activity_type'], metrics: ['count'] })
  const kind = leaf(res, 'activity_type')
  const types = kind?.options ?? []
  const people = new Map<string | null, Row[]>()
  for (const r of rows ?? []) people.set(r.owner_id, [...(people.get(r.owner_id) ?? []), r])
  const bars = [...people].map(([id, kinds]) => ({
    key: id ?? '',
    label: (id && users.get(id)) || t('somebody'),
    size: kinds.reduce((n, r) => n + r.count, 0),
    text: formatNumber(kinds.reduce((n, r) => n + r.count, 0)),
    more: kinds.map((r) => `${kind ? optionLabel(kind, r.activity_type) : r.activity_type} ${formatNumber(r.count)}`).join(' · '),
    exact: [[kinds.reduce((n, r) => n + r.count, 0), ...types.map((o) => kinds.find((r) => r.activity_type === o.value)?.count ?? 0)]],
    filters: [...filters.filter((f) => f.field !== 'owner_id'), mine(id)],
  }))
  return (
    <Chart
      res={res}
      title={t('activitiesByPerson')}
      heads={[t('person'), t('number')]}
      columns={[t('number'), ...types.map((o) => optionLabel(kind!, o.value))]}
      none={t('noActivities')}
      bars={rows && bars.sort((a, b) => b.size - a.size)}
    />
  )
}

const mine = (id: string | null): Filter =>
  id ? { field: 'owner_id', operator: 'eq', value: id } : { field: 'owner_id', operator: 'is_not_set' }

export const activityReports = [ByPerson]
