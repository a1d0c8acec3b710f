// Makes a report of any aggregate, and shows meanwhile what comes of it.

import { useState } from 'react'
import type { Filter } from '../api/call'
import { useApp } from '../api/context'
import { t } from '../i18n/translate'
import { AddFilter, Filters } from '../records/filters'
import { leaf, leaves, mainResources, pluralLabel, type Resource } from '../schema/schema'
import { Button, Dialog } from '../ui/components'
import { Figures, metricLabel } from './figures'

type Draft = {
  name: string
  resource: string
  aggregate: { filters?: Filter[]; group_by?: string[]; metrics?: string[] }
  chart: 'bar' | 'line' | 'number' | 'table'
  shared: boolean
}

const charts = ['bar', 'line', 'number', 'table'] as const
const units = ['month', 'quarter', 'year', 'week', 'day'] as const
const summed = ['integer', 'number', 'percent', 'decimal', 'money']
const measures = ['sum', 'avg', 'min', 'max'] as const
const timed = (kind?: string) => kind === 'date' || kind === 'datetime'

const metricsOf = (res: Resource) => [
  'count',
  ...leaves(res)
    .filter((l) => summed.includes(l.kind) && l.path !== 'version')
    .flatMap((l) => measures.map((m) => `${m}:${l.path}`)),
]
const groupsOf = (res: Resource) => leaves(res).filter((l) => l.sortable && l.kind !== 'long_text' && !['id', 'version'].includes(l.path))

export function Editor({ draft, onClose, onSave }: { draft?: Draft; onClose: () => void; onSave: (draft: Draft) => Promise<boolean> }) {
  const { schema } = useApp()
  const choices = mainResources(schema).filter((r) => r.operations.includes('aggregate') && !r.personal)
  const [name, setName] = useState(draft?.name ?? '')
  const [resource, setResource] = useState(draft?.resource ?? choices[0]?.name ?? '')
  const [metric, setMetric] = useState(draft?.aggregate.metrics?.[0] ?? 'count')
  const [group, setGroup] = useState(draft?.aggregate.group_by?.[0] ?? '')
  const [filters, setFilters] = useState(draft?.aggregate.filters ?? [])
  const [chart, setChart] = useState<Draft['chart']>(draft?.chart ?? 'bar')
  const [shared, setShared] = useState(draft?.shared ?? false)
  const [busy, setBusy] = useState(false)
  const res = choices.find((r) => r.name === resource)
  const [field, unit] = group.split(':')
  const grouped = res && chart !== 'number' && !!group
  const aggregate = { filters, metrics: [metric], ...(grouped ? { group_by: [group] } : {}) }
  const groupBy = (path: string) => setGroup(path && timed(res && leaf(res, path)?.kind) ? `${path}:${unit ?? 'month'}` : path)
  return (
    <Dialog title={t(draft ? 'editReport' : 'newReport')} onClose={onClose} wide>
      <form
        noValidate
        className="stack"
        onSubmit={async (e) => {
          e.preventDefault()
          setBusy(true)
          const made = await onSave({ name: name.trim(), resource, aggregate, chart, shared })
          setBusy(false)
          if (made) onClose()
        }}
      >
        <label className="field">
          <span className="field-label">{t('name')}</span>
          <input className="input" autoFocus aria-required maxLength={255} value={name} onChange={(e) => setName(e.target.value)} />
        </label>
        <div className="report-form">
          <label className="field">
            <span className="field-label">{t('reportOf')}</span>
            <select
              className="input"
              value={resource}
              disabled={!!draft}
              onChange={(e) => {
                setResource(e.target.value)
                setMetric('count')
                setGroup('')
                setFilters([])
              }}
            >
              {choices.map((r) => (
                <option key={r.name} value={r.name}>
                  {pluralLabel(r)}
                </option>
              ))}
            </select>
          </label>
          <label className="field">
            <span className="field-label">{t('figure')}</span>
            <select className="input" value={metric} onChange={(e) => setMetric(e.target.value)}>
              {res &&
                metricsOf(res).map((m) => (
                  <option key={m} value={m}>
                    {metricLabel(res, m)}
                  </option>
                ))}
            </select>
          </label>
          <label className="field">
            <span className="field-label">{t('chart')}</span>
            <select className="input" value={chart} onChange={(e) => setChart(e.target.value as Draft['chart'])}>
              {charts.map((c) => (
                <option key={c} value={c}>
                  {t(`chart.${c}`)}
                </option>
              ))}
            </select>
          </label>
          {chart !== 'number' && (
            <label className="field">
              <span className="field-label">{t('groupedBy')}</span>
              <select className="input" value={field} onChange={(e) => groupBy(e.target.value)}>
                <option value="">{t('notGrouped')}</option>
                {res &&
                  groupsOf(res).map((l) => (
                    <option key={l.path} value={l.path}>
                      {l.group ? `${l.group}: ${l.label}` : l.label}
                    </option>
                  ))}
              </select>
            </label>
          )}
          {grouped && unit && (
            <label className="field">
              <span className="field-label">{t('unit')}</span>
              <select className="input" value={unit} onChange={(e) => setGroup(`${field}:${e.target.value}`)}>
                {units.map((u) => (
                  <option key={u} value={u}>
                    {t(`unit.${u}`)}
                  </option>
                ))}
              </select>
            </label>
          )}
        </div>
        {res && (
          <div className="row">
            <AddFilter res={res} onAdd={(fresh) => setFilters((all) => [...all, ...fresh])} />
            <Filters res={res} filters={filters} onChange={setFilters} />
          </div>
        )}
        <label className="check">
          <input type="checkbox" checked={shared} onChange={(e) => setShared(e.target.checked)} />
          <span>{t('shareWithAll')}</span>
        </label>
        {res && (
          <section className="panel" aria-label={t('reportPreview')}>
            <Figures res={res} asked={aggregate} chart={chart} />
          </section>
        )}
        <footer className="dialog-foot">
          <Button onPress={onClose}>{t('cancel')}</Button>
          <Button look="primary" type="submit" isDisabled={busy || !name.trim()}>
            {t('save')}
          </Button>
        </footer>
      </form>
    </Dialog>
  )
}
