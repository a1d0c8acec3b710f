// The page of one record: what it is and what can be done with it, its fields, what happened around it, and what belongs to it.

import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Composer } from '../activities/composer'
import { call, type Page, Problem, type Rec, searches } from '../api/call'
import { useApp } from '../api/context'
import { t } from '../i18n/translate'
import { at, leaves, projection, type Resource, reaches, titleOf } from '../schema/schema'
import { Button, Empty, Skeleton } from '../ui/components'
import { keepBeside } from './beside'
import { useKinds } from './kinds'
import { Facts } from './page/facts'
import { RecordHead } from './page/head'
import { ItemsTable } from './page/items'
import { asked, Rail } from './page/rail'
import { reachOf } from './page/reach'
import { remember } from './recent'
import { Timeline } from './timeline'

const merges = (res: Resource) => res.actions.some((a) => a.name === 'unmerge')

// known is what a list has told of a record already.
const known = (client: QueryClient, res: Resource, id: string) =>
  client
    .getQueriesData<{ pages?: Page[] }>({ queryKey: ['list', res.name] })
    .flatMap(([, kept]) => kept?.pages?.flatMap((p) => p?.data ?? []) ?? [])
    .find((r) => r?.id === id && res.named_by.some((name) => at(r, name)))

export function RecordScreen({ res, id }: { res: Resource; id: string }) {
  const { schema, me } = useApp()
  const kinds = useKinds()
  const client = useQueryClient()
  const all = leaves(res)
  const {
    data: record,
    error,
    isPending,
    isPlaceholderData,
    refetch,
  } = useQuery({
    queryKey: ['record', res.name, id],
    retry: (count, e) => !(e instanceof Problem && e.status >= 400 && e.status < 500) && count < 2,
    placeholderData: () => known(client, res, id),
    queryFn: async (): Promise<Rec> => {
      const fields = [...new Set([...projection(res, all, schema.resources), ...reachOf(res, schema.resources, kinds).map((l) => l.path)])]
      const body = { filters: [{ field: 'id', operator: 'eq', value: id }], fields, limit: 1 }
      const beside = asked(schema, kinds, res, id).filter((b) => !b.kept || client.getQueryData(b.key) === undefined)
      const [found, ...others] = await searches([{ res, search: body }, ...beside])
      keepBeside(client, beside, others)
      if (found.data[0]) return found.data[0]
      if (res.operations.includes('bin')) {
        const gone = await call<Page>('POST', res.path + '/deleted/search', {
          ...body,
          fields: [...body.fields, 'deleted_at', ...(merges(res) ? ['merged_into_id', 'merged_into.name'] : [])],
        })
        if (gone.data[0]) return gone.data[0]
      }
      throw new Problem(404, {})
    },
  })
  useEffect(() => {
    document.title = `${record ? titleOf(res, record) : res.label} · kith`
  }, [record, res])
  const name = record && !isPlaceholderData && !record.deleted_at ? titleOf(res, record) : undefined
  useEffect(() => {
    if (name !== undefined) remember({ id, res, name })
  }, [id, res, name])
  if (isPending)
    return (
      <section className="screen">
        <Skeleton />
      </section>
    )
  if (error || !record)
    return (
      <section className="screen">
        <Empty
          first
          icon={res.name}
          title={error instanceof Problem && (error.status === 404 || error.status === 422) ? t('notThere') : t('couldNotLoad')}
        >
          <p>{t('notThereMore')}</p>
          <Button onPress={() => void refetch()}>{t('tryAgain')}</Button>
        </Empty>
      </section>
    )
  return (
    <RecordPage
      key={id}
      res={res}
      record={record}
      whole={!isPlaceholderData}
      canWrite={!isPlaceholderData && !record.deleted_at && reaches(res, res.permissions.write, record, me.user.id)}
    />
  )
}

// While whole is not set, only the head is shown, of what a list has told.
function RecordPage({ res, record, canWrite, whole }: { res: Resource; record: Rec; canWrite: boolean; whole: boolean }) {
  const kind = useKinds()[res.name] ?? {}
  const { Lists } = kind
  const [unsaved, setUnsaved] = useState(false)
  const lists = leaves(res).filter((l) => l.kind === 'list' && l.fields && !l.read_only && (at(record, l.path) as unknown[] | null)?.length)
  const tables = lists.map((l) => <ItemsTable key={l.path} leaf={l} record={record} />)
  const told = res.operations.includes('timeline') && !record.deleted_at
  return (
    <section className="screen record" aria-labelledby="screen-title">
      <RecordHead res={res} record={record} canWrite={canWrite} unsaved={unsaved} whole={whole} />
      <div className="record-body">
        <div className="panel facts">{whole ? <Facts res={res} record={record} canWrite={canWrite} /> : <span className="bone" />}</div>
        <div className="story">
          {whole && Lists ? (
            <Lists res={res} record={record} canWrite={canWrite} onUnsaved={setUnsaved}>
              {tables}
            </Lists>
          ) : (
            tables
          )}
          {told && <Composer res={res} record={record} />}
          <Timeline res={res} record={record} />
        </div>
        {whole ? <Rail res={res} record={record} canWrite={canWrite} /> : <aside className="rail waiting" aria-label={t('related')} />}
      </div>
    </section>
  )
}
