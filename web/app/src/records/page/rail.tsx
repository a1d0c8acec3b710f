// What belongs to a record stands beside its story, always in sight: what is to be done next, and other records with a button for more.

import { useInfiniteQuery } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { call, type Page, type Rec } from '../../api/call'
import { useApp } from '../../api/context'
import { t } from '../../i18n/translate'
import {
  at,
  columnsOf,
  type Leaf,
  leaf as leafOf,
  leaves,
  linked,
  newLabel,
  plural,
  pluralLabel,
  projection,
  type Resource,
  type Schema,
  titleOf,
} from '../../schema/schema'
import { Button, Chip } from '../../ui/components'
import { Link, root } from '../../ui/route'
import type { Beside } from '../beside'
import { CreateDialog } from '../form'
import { type AsideProps, type Kinds, useKinds } from '../kinds'
import { daysLate } from '../late'
import { pathTo, Shown } from '../shown'
import { contextOf, viaOf } from './context'

const ofCard = (res: Resource, of: Resource) => {
  const card = res.layout.card.length > 0 ? res.layout.card.map((path) => leafOf(res, path)) : columnsOf(res)
  // An amount says its currency itself.
  const priced = card.some((l) => l?.kind === 'money')
  const told = (l?: Leaf) => l && l.target !== of.name && l.path !== res.named_by[0] && !(priced && l.format === 'currency')
  return card.filter(told).map((l) => l!)
}

// asked are all searches for what stands beside a record.
export const asked = (schema: Schema, kinds: Kinds, of: Resource, id: string): Beside[] => [
  ...besides(schema, kinds, of, id),
  ...Object.values(kinds).flatMap((k) => k?.asked?.(schema, of, id, kinds[of.name]?.people) ?? []),
]

// besides are those for records that refer to it.
function besides(schema: Schema, kinds: Kinds, of: Resource, id: string): Beside[] {
  return schema.resources
    .filter((r) => r.permissions.read !== 'none' && r.operations.includes('search') && kinds[r.name]?.beside !== false && viaOf(r, of))
    .map((r) => ({ r, aside: kinds[r.name]?.beside || { place: 9 } }))
    .sort((a, b) => a.aside.place - b.aside.place)
    .map(({ r, aside }) => ({
      res: r,
      key: ['list', r.name, 'related', of.name, id],
      search: {
        filters: [{ field: viaOf(r, of)!.path, operator: 'eq', value: id }, ...(aside.filters ?? [])],
        fields: projection(r, ofCard(r, of), schema.resources),
        ...(aside.order ? { order_by: aside.order, sort_direction: 'asc' } : {}),
        limit: 5,
        total: true,
      },
    }))
}

export function Rail({ res, record, canWrite }: { res: Resource; record: Rec; canWrite: boolean }) {
  const { schema } = useApp()
  const kinds = useKinds()
  return (
    <aside className="rail" aria-label={t('related')}>
      {besides(schema, kinds, res, record.id).map((b) => (
        <Group key={b.res.name} beside={b} of={res} record={record} />
      ))}
      <Leads res={res} record={record} />
      {Object.entries(kinds).map(
        ([name, { Related } = {}]) =>
          Related && (
            <Suspense key={name}>
              <Related of={res} record={record} canWrite={canWrite} />
            </Suspense>
          ),
      )}
    </aside>
  )
}

const useBeside = (beside: Beside) =>
  useInfiniteQuery({
    queryKey: beside.key,
    staleTime: 60_000,
    initialPageParam: '',
    queryFn: () => call<Page>('POST', beside.res.path + '/search', beside.search),
    getNextPageParam: () => undefined,
  })

// Next says, at the head of a record, what stands beside it to be done: of an open one that goes through states, and of any if it is late.
export function Next({ res, record }: { res: Resource; record: Rec }) {
  const { schema } = useApp()
  const kinds = useKinds()
  const isOpen = !!res.states && !!kinds[res.name]?.due?.open.includes(String(at(record, res.states.field)))
  return besides(schema, kinds, res, record.id)
    .filter((b) => kinds[b.res.name]?.due?.mark)
    .map((b) => <NextMark key={b.res.name} beside={b} open={isOpen} />)
}

function NextMark({ beside, open }: { beside: Beside; open: boolean }) {
  const { res } = beside
  const due = useKinds()[res.name]!.due!
  const rows = useBeside(beside).data?.pages[0]?.data ?? []
  const [late] = rows.filter((r) => daysLate(res, due, r) > 0)
  if (late)
    return (
      <Link to={pathTo(res, late.id)} title={titleOf(res, late)}>
        <Chip color="red">{t(due.mark!, { count: daysLate(res, due, late) })}</Chip>
      </Link>
    )
  if (!open || rows.length === 0) return null
  return (
    <span className="next-in-head">
      <span className="soft">{t('nextStep')}</span>{' '}
      <Link to={pathTo(res, rows[0].id)}>
        <bdi>{titleOf(res, rows[0])}</bdi>
      </Link>
    </span>
  )
}

function Group({ beside, of, record }: { beside: Beside; of: Resource; record: Rec }) {
  const { schema } = useApp()
  const aside = useKinds()[beside.res.name]?.beside
  const [adding, setAdding] = useState(false)
  const { res } = beside
  const { data, isPending } = useBeside(beside)
  const rows = data?.pages[0]?.data ?? []
  const total = data?.pages[0]?.meta.total ?? rows.length
  const View = (aside || undefined)?.View ?? List
  const able = !record.deleted_at && res.permissions.write !== 'none' && res.operations.includes('create')
  return (
    <>
      <View
        res={res}
        of={of}
        record={record}
        rows={rows}
        total={total}
        pending={isPending}
        add={able && <Button look="quiet" icon="plus" label={newLabel(res)} onPress={() => setAdding(true)} />}
      />
      {adding && (
        <CreateDialog
          res={res}
          preset={contextOf(res, of, record, schema.resources)}
          onClose={() => setAdding(false)}
          onCreated={() => setAdding(false)}
        />
      )}
    </>
  )
}

export function List({ res, of, record, rows, total, pending, add }: AsideProps) {
  const via = viaOf(res, of)!
  return (
    <section className="related" aria-label={pluralLabel(res)}>
      <header className="related-head">
        <h2>
          {pluralLabel(res)} {!pending && total > 0 && <span className="count">{total}</span>}
        </h2>
        {add}
      </header>
      {pending ? (
        <span className="bone" />
      ) : rows.length === 0 ? (
        <p className="soft none">{t('noneHere')}</p>
      ) : (
        <ul className="minis">
          {rows.map((r) => (
            <Mini key={r.id} res={res} of={of} record={r} />
          ))}
        </ul>
      )}
      {total > rows.length && (
        <Link className="all" to={`${root}/${plural(res)}?f=${encodeURIComponent(`${via.path}~eq~${record.id}`)}`}>
          {t('showAllOf', { count: total })}
        </Link>
      )}
    </section>
  )
}

function Mini({ res, of, record }: { res: Resource; of: Resource; record: Rec }) {
  const telling = ofCard(res, of).slice(0, 3)
  return (
    <li className="mini">
      <Link to={pathTo(res, record.id)}>
        <bdi>{titleOf(res, record)}</bdi>
      </Link>
      <span className="mini-more">
        {telling.map((l) => (
          <span key={l.path}>
            <Shown leaf={l} record={record} />
          </span>
        ))}
      </span>
    </li>
  )
}

// Leads are the records that this one refers to.
function Leads({ res, record }: { res: Resource; record: Rec }) {
  const { schema } = useApp()
  const leads = leaves(res).flatMap((l) => {
    const target = schema.resources.find((r) => r.name === l.target && !r.feature && r.permissions.read !== 'none')
    const to = target && l.path !== 'id' && !l.read_only ? linked(l, record, schema.resources) : null
    return to?.name ? [{ l, to, target: target! }] : []
  })
  return leads.map(({ l, to, target }) => (
    <section key={l.path} className="related" aria-label={l.label}>
      <header className="related-head">
        <h2>{l.label}</h2>
      </header>
      <ul className="minis">
        <li className="mini">
          <Link to={pathTo(target, to.id)}>
            <bdi>{to.name}</bdi>
          </Link>
        </li>
      </ul>
    </section>
  ))
}
