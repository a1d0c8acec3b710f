// Figures that the API adds up, as bars in a table, each row leading to the records that it counts.

import { useQuery } from '@tanstack/react-query'
import type { ComponentType, ReactNode } from 'react'
import { call, type Filter } from '../api/call'
import { t } from '../i18n/translate'
import { writeFilter } from '../records/address'
import { plural, type Resource } from '../schema/schema'
import { Button } from '../ui/components'
import { Link, root } from '../ui/route'
import { saveFile } from '../ui/save-file'
import { type Cell, csv } from './csv'
import type { Scope } from './scope'

// Report is one of the reports of a kind of record.
export type Report = ComponentType<{ res: Resource; scope: Scope }>

// A bar may be made of parts, each of a shade of its own; what they mean the legend says. Its exact figures are rows of a file.
export type Bar = {
  key: string
  label: string
  size: number
  parts?: number[]
  text: string
  more?: string
  exact?: Cell[][]
  filters?: Filter[]
}

export const listOf = (res: Resource, filters: Filter[]) =>
  `${root}/${plural(res)}?${filters.map((f) => 'f=' + encodeURIComponent(writeFilter(f))).join('&')}`

// useFigures gives what an aggregate answers: a row for each group, by the names of what it was grouped by and of what was computed.
export function useFigures<R>(res: Resource, body: Record<string, unknown> | null): R[] | undefined {
  const { data } = useQuery({
    queryKey: ['figures', res.name, JSON.stringify(body)],
    enabled: !!body && res.permissions.read !== 'none' && res.operations.includes('aggregate'),
    queryFn: async () => (await call<{ data: R[] }>('POST', res.path + '/aggregate', body!)).data,
  })
  return data
}

// table are figures as the rows of a file, which begin with what they are of.
export const table = (head: string, columns: string[], bars: Bar[]): Cell[][] => [
  [head, ...columns],
  ...bars.flatMap((b) => (b.exact ?? [[b.size]]).map((row) => [b.label, ...row])),
]

export const save = (name: string, rows: Cell[][]) =>
  saveFile(new Blob([csv(rows)], { type: 'text/csv;charset=utf-8' }), `${name.replace(/[\\/:*?"<>|]+/g, '-')}.csv`)

// Columns are the heads of the exact figures of each bar.
export function Chart({
  res,
  title,
  heads,
  columns = [heads[1]],
  bars,
  whole,
  legend,
  none,
  children,
}: {
  res: Resource
  title: string
  heads: [string, string]
  columns?: string[]
  bars?: Bar[]
  whole?: number
  legend?: string[]
  none?: string
  children?: ReactNode
}): ReactNode {
  return (
    <section className="panel" aria-label={title}>
      <header className="row">
        <h2 className="grow">{title}</h2>
        {bars && bars.length > 0 && (
          <Button
            look="quiet"
            icon="export"
            label={t('saveCsvOf', { name: title })}
            onPress={() => save(title, table(heads[0], columns, bars))}
          />
        )}
      </header>
      {children}
      {!bars ? (
        <span className="bone" />
      ) : bars.length === 0 ? (
        <p className="soft">{none ?? t('noFigures')}</p>
      ) : (
        <Bars res={res} heads={heads} bars={bars} whole={whole} />
      )}
      {legend && bars && bars.length > 0 && (
        <p className="legend soft">
          {legend.map((word, i) => (
            <span key={word}>
              <span className={`legend-mark part-${i}`} aria-hidden="true" />
              {word}
            </span>
          ))}
        </p>
      )}
    </section>
  )
}

// Bars is a table of figures; without bars where a curve stands beside it, or nothing but the figures is wanted.
export function Bars({
  res,
  heads,
  bars,
  whole,
  bare,
}: {
  res: Resource
  heads: [string, string]
  bars: Bar[]
  whole?: number
  bare?: boolean
}) {
  const most = whole ?? Math.max(1e-9, ...bars.map((b) => b.size))
  return (
    <table className="chart">
      <thead className="unseen">
        <tr>
          <th scope="col">{heads[0]}</th>
          <th scope="col">{heads[1]}</th>
        </tr>
      </thead>
      <tbody>
        {bars.map((b) => (
          <tr key={b.key}>
            <th scope="row">
              <Link to={listOf(res, b.filters ?? [])}>
                <bdi>{b.label}</bdi>
              </Link>
            </th>
            <td>
              <span className="bar" aria-hidden="true" hidden={bare}>
                {(b.parts ?? [b.size]).map((part, i, all) => (
                  <span
                    key={i}
                    className={all.length > 1 ? `part-${i}` : undefined}
                    style={{ width: `${part > 0 || all.length === 1 ? Math.max(0.5, (part / most) * 100) : 0}%` }}
                  />
                ))}
              </span>
              <span className="bar-text">
                <span className="strong figure">{b.text}</span>
                {b.more && <span className="soft"> · {b.more}</span>}
              </span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
