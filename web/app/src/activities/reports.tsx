// The report of activities: who did how much.

import type { Filter } from '../api/call'
import { formatNumber } from '../i18n/format'
import { t } from '../i18n/translate'
import { useUsers } from '../records/names'
import { Chart, type Report, useFigures } from '../reports/chart'

const days: Filter = { field: 'occurred_at', operator: 'gte', value: '@today-30d' }

const ByPerson: Report = ({ res }) => {
  const users = useUsers()
  const people = useFigures<{ owner_id: string | null; count: number }>(res, 'people', {
    filters: [days],
    group_by: ['owner_id'],
    metrics: ['count'],
  })
  return (
    <Chart
      res={res}
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
  )
}

export const activityReports = [ByPerson]
