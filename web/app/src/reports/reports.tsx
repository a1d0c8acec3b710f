// Reports: what kinds of records have of them.

import { useApp } from '../api/context'
import { t } from '../i18n/translate'
import { kindsReports } from './kinds'

export default function Reports() {
  const { schema } = useApp()
  return (
    <section className="screen reports" aria-labelledby="screen-title">
      <header className="screen-head">
        <h1 id="screen-title">{t('reports')}</h1>
      </header>
      <div className="reports-body">
        {Object.entries(kindsReports).flatMap(([name, reports]) => {
          const res = schema.resources.find((r) => r.name === name)
          return res ? reports.map((Report, i) => <Report key={name + i} res={res} />) : []
        })}
      </div>
    </section>
  )
}
