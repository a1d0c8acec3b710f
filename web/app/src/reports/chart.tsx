// Figures that the API adds up, as bars in a table, each leading to the records that it counts.

import { useQuery } from '@tanstack/react-query'
import type { ComponentType, ReactNode } from 'react'
import { call, type Filter } from '../api/call'
import { t } from '../i18n/translate'
import { writeFilter } from '../records/address'
import { plural, type Resource } from '../schema/schema'
import { Link, root } from '../ui/route'

// Report is one of the reports of a kind of record.
export type Report = ComponentType<{ res: Resource }>

type Bar = { key: string; label: string; size: number; text: string; more?: string; filters?: Filter[] }

// useFigures gives what an aggregate answers: a row for each group, by the names of what it was grouped by and of what was computed.
export function useFigures<R>(res: Resource, name: string, body: Record<string, unknown>): R[] | undefined {
  const { data } = useQuery({
    queryKey: ['figures', res.name, name],
    enabled: res.permissions.read !== 'none' && res.operations.includes('aggregate'),
    queryFn: async () => (await call<{ data: R[] }>('POST', res.path + '/aggregate', body)).data,
  })
  return data
}

export function Chart({
  res,
  title,
  heads,
  bars,
  whole,
}: {
  res: Resource
  title: string
  heads: [string, string]
  bars?: Bar[]
  whole?: number
}): ReactNode {
  const most = whole ?? Math.max(1e-9, ...(bars ?? []).map((b) => b.size))
  return (
    <section className="panel" aria-label={title}>
      <h2>{title}</h2>
      {!bars ? (
        <span className="bone" />
      ) : bars.length === 0 ? (
        <p className="soft">{t('noFigures')}</p>
      ) : (
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
                  <Link to={`${root}/${plural(res)}?${(b.filters ?? []).map((f) => 'f=' + encodeURIComponent(writeFilter(f))).join('&')}`}>
                    <bdi>{b.label}</bdi>
                  </Link>
                </th>
                <td>
                  <span className="bar" aria-hidden="true">
                    <span style={{ width: `${Math.max(0.5, (b.size / most) * 100)}%` }} />
                  </span>
                  <span className="bar-text">
                    <span className="strong figure">{b.text}</span>
                    {b.more && <span className="soft"> {b.more}</span>}
                  </span>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}
