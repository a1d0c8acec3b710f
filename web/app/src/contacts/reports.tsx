// The report of contacts: where they come from.

import { formatNumber } from '../i18n/format'
import { t } from '../i18n/translate'
import { Chart, type Report, useFigures } from '../reports/chart'

const LeadSources: Report = ({ res, scope }) => {
  const began = [...scope.of('owner_id'), ...scope.during('created_at')]
  const sources = useFigures<{ lead_source: string | null; count: number }>(res, {
    filters: began,
    group_by: ['lead_source'],
    metrics: ['count'],
    limit: 12,
  })
  return (
    <Chart
      res={res}
      title={t('leadSources')}
      heads={[t('source'), t('number')]}
      bars={sources?.map((r) => ({
        key: r.lead_source ?? '',
        label: r.lead_source ?? t('notTold'),
        size: r.count,
        text: formatNumber(r.count),
        filters: [
          ...began,
          r.lead_source ? { field: 'lead_source', operator: 'eq', value: r.lead_source } : { field: 'lead_source', operator: 'is_not_set' },
        ],
      }))}
    />
  )
}

export const contactReports = [LeadSources]
