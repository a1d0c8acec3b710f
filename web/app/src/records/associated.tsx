// What was said to belong to a record, from either side.

import { useQuery } from '@tanstack/react-query'
import { call, type Page, type Rec } from '../api/call'
import { useApp } from '../api/context'
import { leaves, pluralLabel, type Resource } from '../schema/schema'
import { Link } from '../ui/route'
import { pathTo } from './fields'
import { named } from './names'

export function Associated({ of, record }: { of: Resource; record: Rec }) {
  const { schema } = useApp()
  const res = schema.resources.find((r) => r.name === 'association' && r.permissions.read !== 'none')
  const ends = res ? leaves(res).filter((l) => l.targets?.includes(of.name) && !l.read_only) : []
  const { data } = useQuery({
    queryKey: ['figures', 'association', record.id],
    enabled: ends.length > 0,
    queryFn: async () => {
      const all = (
        await Promise.all(
          ends.map(
            async (l) =>
              (
                await call<Page>('POST', res!.path + '/search', {
                  filters: [{ field: l.path, operator: 'eq', value: record.id }],
                  limit: 50,
                })
              ).data,
          ),
        )
      ).flat()
      const other = new Map(
        all.map((a) => [ends.map((l) => a[l.path] as string).find((id) => id !== record.id) ?? record.id, a.label as string | null]),
      )
      return (await named(schema, [...other.keys()])).map((n) => ({ ...n, label: other.get(n.id) }))
    },
  })
  if (!res || !data?.length) return null
  return (
    <section className="related" aria-label={pluralLabel(res)}>
      <h2>
        {pluralLabel(res)} <span className="count">{data.length}</span>
      </h2>
      <ul className="rows">
        {data.map((other) => (
          <li key={other.id}>
            <Link to={pathTo(other.res, other.id)}>
              <bdi>{other.name}</bdi>
            </Link>
            <span className="row-more">
              {other.label && (
                <span>
                  <bdi>{other.label}</bdi>
                </span>
              )}
              <span>{other.res.label}</span>
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
