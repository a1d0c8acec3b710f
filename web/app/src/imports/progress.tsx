// What would become of the rows, and what becomes of them: how many are done, and why some are refused.

import { useQuery } from '@tanstack/react-query'
import { call } from '../api/call'
import { formatNumber } from '../i18n/format'
import { t, translateSentence } from '../i18n/translate'
import { reason, reasons } from '../records/jobs'
import type { Import, RefusedRow, Run } from './api'
import { Corrections } from './corrections'

export function Progress({ title, run, under, would }: { title: string; run: Run; under: boolean; would?: Import }) {
  const refused = useQuery({
    queryKey: ['refused', run.job_id, run.status],
    enabled: !under && run.refused > 0,
    queryFn: () => call<{ data: RefusedRow[] }>('POST', `/v1/jobs/${run.job_id}/refused/search`, { limit: 20 }),
  })
  const numbers = refused.data?.data.map((r) => r.n) ?? []
  const rows = useQuery({
    queryKey: ['import-rows', would?.id, run.job_id, numbers.join()],
    enabled: !!would && would.columns.length > 0 && numbers.length > 0,
    staleTime: 0,
    queryFn: () => call<{ data: { n: number; cells: string[] }[] }>('GET', `/v1/imports/${would!.id}/rows?n=${numbers.join()}`),
  })
  const parts: [string, number][] = [
    [t('countCreated'), run.created],
    [t('countChanged'), run.changed],
    [t('countUnchanged'), run.unchanged],
    [t('countRefused'), run.refused],
  ]
  return (
    <section className="panel" aria-label={title}>
      <h2>{title}</h2>
      {under && <progress aria-label={title} max={run.total || undefined} value={run.total ? run.done : undefined} />}
      <dl className="tally">
        {parts.map(([name, n]) => (
          <div key={name} className={n && name === t('countRefused') ? 'bad' : ''}>
            <dt>{name}</dt>
            <dd className="figure">{formatNumber(n)}</dd>
          </div>
        ))}
      </dl>
      {run.error && <p className="error">{translateSentence(run.error.detail ?? '')}</p>}
      {refused.data && refused.data.data.length > 0 && (
        <details open={refused.data.data.length <= 5}>
          <summary>
            {would ? t('whyRefusedWould') : t('whyRefused')}: {reasons(refused.data.data)}
          </summary>
          <ul className="diff">
            {refused.data.data.map((r) => (
              <li key={r.n}>
                <span className="strong">{t('rowNumber', { n: r.n })}</span> {reason(r)}
                {would && <Corrections of={would} refused={r} cells={rows.data?.data.find((x) => x.n === r.n)?.cells} />}
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  )
}
