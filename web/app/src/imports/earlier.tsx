// The imports that were begun before.

import { useInfiniteQuery } from '@tanstack/react-query'
import { call } from '../api/call'
import { useApp } from '../api/context'
import { ago } from '../i18n/format'
import { t } from '../i18n/translate'
import { Button } from '../ui/components'
import { Link, root } from '../ui/route'
import type { Import } from './api'
import { nameOf, StatusBadge } from './status'

export function Earlier() {
  const { schema } = useApp()
  const list = useInfiniteQuery({
    queryKey: ['imports'],
    initialPageParam: '',
    queryFn: ({ pageParam }) =>
      call<{ data: Import[]; meta: { cursor: { next: string | null } } }>('POST', '/v1/imports/search', {
        limit: 10,
        ...(pageParam ? { cursor: pageParam } : {}),
      }),
    getNextPageParam: (page) => page.meta.cursor.next ?? undefined,
  })
  const all = list.data?.pages.flatMap((p) => p.data) ?? []
  if (all.length === 0) return null
  return (
    <section aria-labelledby="earlier-imports" className="stack">
      <h2 id="earlier-imports">{t('earlierImports')}</h2>
      <ul className="rows">
        {all.map((x) => (
          <li key={x.id}>
            <Link to={`${root}/import/${x.id}`}>
              {nameOf(schema.resources.find((r) => r.name === x.resource))}
              {x.file ? ` · ${t('rowCount', { count: x.file.rows })}` : ''}
            </Link>
            <span className="row-more">
              <StatusBadge status={x.status} />
              <span>{ago(x.created_at)}</span>
            </span>
          </li>
        ))}
      </ul>
      {list.hasNextPage && (
        <Button look="quiet" onPress={() => void list.fetchNextPage()}>
          {t('showMore')}
        </Button>
      )}
    </section>
  )
}
