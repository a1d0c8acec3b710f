// Reports: what kinds of records have of them, for a period, and for everybody or one.

import { useApp } from '../api/context'
import '../i18n/messages/more'
import { t } from '../i18n/translate'
import { Button } from '../ui/components'
import { useAddress } from '../ui/route'
import { kindsReports, Within } from './kinds'
import { NewReport, OwnReports } from './own'
import './reports.css'
import { readScope, ScopeBar, scopeOf } from './scope'

export default function Reports() {
  const { schema } = useApp()
  const scope = scopeOf(readScope(useAddress().searchParams))
  return (
    <section className="screen reports" aria-labelledby="screen-title">
      <header className="screen-head">
        <div className="title-row">
          <h1 id="screen-title">{t('reports')}</h1>
          <span className="grow" />
          <Button icon="print" onPress={() => window.print()}>
            {t('print')}
          </Button>
          <NewReport />
        </div>
      </header>
      <ScopeBar Within={Within} />
      <div className="reports-body">
        {Object.entries(kindsReports).flatMap(([name, reports]) => {
          const res = schema.resources.find((r) => r.name === name && r.permissions.read !== 'none')
          return res ? reports.map((Report, i) => <Report key={name + i} res={res} scope={scope} />) : []
        })}
      </div>
      <OwnReports />
    </section>
  )
}
