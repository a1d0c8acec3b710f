// What would become of the rows, and what becomes of them: how many are done, and why some are refused.

import { formatNumber } from '../i18n/format'
import { t, translateSentence } from '../i18n/translate'
import type { Resource } from '../schema/schema'
import type { Import, Run } from './api'
import { Corrections } from './corrections'

export function Progress({
  title,
  run,
  under,
  of,
  res,
  onCorrected,
}: {
  title: string
  run: Run
  under: boolean
  of: Import
  res?: Resource
  onCorrected?: () => void
}) {
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
      {!under && run.refused > 0 && <Corrections key={run.job_id} of={of} job={run.job_id} res={res} onCorrected={onCorrected} />}
    </section>
  )
}
