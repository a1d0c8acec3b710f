// The bin: what was deleted, of everything, the latest first, to be taken out again.

import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { refresh } from '../api/cache'
import { call, type Page, type Rec } from '../api/call'
import { useApp } from '../api/context'
import { ago, formatTime } from '../i18n/format'
import { t } from '../i18n/translate'
import { useEditing } from '../records/edit'
import { useUsers } from '../records/names'
import { pathTo } from '../records/shown'
import { pluralLabel, type Resource, titleOf } from '../schema/schema'
import { Button, Empty, Icon, useNotice } from '../ui/components'
import { Link } from '../ui/route'

export default function Bin() {
  const { schema } = useApp()
  const kinds = schema.resources.filter((r) => r.operations.includes('bin') && r.permissions.read !== 'none')
  const [kind, setKind] = useState(kinds[0]?.name ?? '')
  const res = kinds.find((r) => r.name === kind)
  return (
    <>
      <p className="soft">{t('binMore')}</p>
      <label className="field short">
        <span className="field-label">{t('binOf')}</span>
        <select className="input" value={kind} onChange={(e) => setKind(e.target.value)}>
          {kinds.map((r) => (
            <option key={r.name} value={r.name}>
              {pluralLabel(r)}
            </option>
          ))}
        </select>
      </label>
      {res && <Deleted key={res.name} res={res} />}
    </>
  )
}

type Gone = Rec & { deleted_at: string; updated_by: string | null }

function Deleted({ res }: { res: Resource }) {
  const client = useQueryClient()
  const notice = useNotice()
  const users = useUsers()
  const { explain } = useEditing()
  const list = useInfiniteQuery({
    queryKey: ['figures', res.name, 'bin'],
    initialPageParam: '',
    queryFn: ({ pageParam }) =>
      call<Page<Gone>>('POST', `${res.path}/deleted/search`, {
        limit: 50,
        order_by: 'deleted_at',
        sort_direction: 'desc',
        ...(pageParam ? { cursor: pageParam } : {}),
      }),
    getNextPageParam: (page) => page.meta.cursor.next ?? undefined,
  })
  const all = list.data?.pages.flatMap((p) => p.data) ?? []
  const able = res.operations.includes('restore') && res.permissions.write !== 'none'
  const restore = async (record: Rec) => {
    try {
      await call('POST', `${res.path}/${record.id}/restore`, {})
      notice({ text: t('restored', { name: titleOf(res, record) }) })
      void refresh(client)
    } catch (error) {
      explain(error)
    }
    void client.invalidateQueries({ queryKey: ['figures', res.name, 'bin'] })
  }
  if (list.isPending) return <span className="bone" />
  if (all.length === 0) return <Empty icon="bin" title={t('binEmpty')} />
  return (
    <>
      <ul className="rows cards-rows" aria-label={t('bin')}>
        {all.map((r) => (
          <li key={r.id}>
            <span className="what">
              <Link to={pathTo(res, r.id)} className="strong">
                <Icon name={res.name} /> <bdi>{titleOf(res, r)}</bdi>
              </Link>
              <span className="soft">
                <time dateTime={r.deleted_at} title={formatTime(r.deleted_at)}>
                  {ago(r.deleted_at)}
                </time>
                {r.updated_by && users.get(r.updated_by) ? (
                  <>
                    {' '}
                    · <bdi>{users.get(r.updated_by)}</bdi>
                  </>
                ) : null}
              </span>
            </span>
            {able && (
              <Button look="quiet" aria-label={t('restoreOf', { name: titleOf(res, r) })} onPress={() => void restore(r)}>
                {t('restore')}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {list.hasNextPage && (
        <Button look="quiet" onPress={() => void list.fetchNextPage()}>
          {t('showMore')}
        </Button>
      )}
    </>
  )
}
