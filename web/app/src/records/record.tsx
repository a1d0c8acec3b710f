// The page of one record: its fields, what can be done with it, what happened around it, and what belongs to it.

import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react'
import { changeCached, refresh } from '../api/cache'
import { call, type Page, Problem, type Rec, tell } from '../api/call'
import { useApp } from '../api/context'
import { said, t } from '../i18n/translate'
import { FollowButton } from '../inbox/follow'
import {
  type Action,
  at,
  columnsOf,
  editable,
  type Leaf,
  labelOf,
  leaf as leafOf,
  leaves,
  linked,
  onceOf,
  plural,
  pluralLabel,
  projection,
  type Resource,
  reaches,
  titleOf,
} from '../schema/schema'
import { useCommands } from '../ui/commands'
import { Avatar, Button, Dialog, Empty, Icon, Menu, MenuItem, Skeleton, useNotice } from '../ui/components'
import { go, Link, root } from '../ui/route'
import { CellEditor } from './cell-editor'
import { useEditing, useRefused } from './edit'
import { Badge, Labelled, pathTo, Shown } from './fields'
import { useUndo } from './jobs'
import { useKinds } from './kinds'
import { remember } from './recent'
import { backTo, Steps } from './steps'
import { Timeline } from './timeline'

// Fields that every record has and few people look for stand at the end.
const technical = new Set(['id', 'created_at', 'created_by', 'updated_at', 'updated_by', 'version', 'external_id'])

const MergeDialog = lazy(() => import('./merge'))
const SecretDialog = lazy(async () => ({ default: (await import('../settings/secret-dialog')).SecretDialog }))

const merges = (res: Resource) => res.actions.some((a) => a.name === 'unmerge')

export function RecordScreen({ res, id }: { res: Resource; id: string }) {
  const { schema, me } = useApp()
  const all = leaves(res)
  const {
    data: record,
    error,
    isPending,
    refetch,
  } = useQuery({
    queryKey: ['record', res.name, id],
    retry: (count, e) => !(e instanceof Problem && e.status >= 400 && e.status < 500) && count < 2,
    queryFn: async (): Promise<Rec> => {
      const body = { filters: [{ field: 'id', operator: 'eq', value: id }], fields: projection(res, all, schema.resources), limit: 1 }
      const found = await call<Page>('POST', res.path + '/search', body)
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
  const name = record && !record.deleted_at ? titleOf(res, record) : undefined
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
      canWrite={!record.deleted_at && reaches(res, res.permissions.write, record, me.user.id)}
    />
  )
}

function RecordPage({ res, record, canWrite }: { res: Resource; record: Rec; canWrite: boolean }) {
  const kinds = useKinds()
  const Lists = kinds[res.name]?.Lists
  const [tab, setTab] = useState<'story' | 'related'>('story')
  const [unsaved, setUnsaved] = useState(false)
  const { schema } = useApp()
  const referring = schema.resources.filter(
    (r) =>
      r.permissions.read !== 'none' &&
      r.operations.includes('search') &&
      leaves(r).some((l) => l.target === res.name && l.followed_as && !technical.has(l.path) && !l.read_only && l.path !== 'owner_id'),
  )
  const lists = leaves(res).filter((l) => l.kind === 'list' && l.fields && (at(record, l.path) as unknown[] | null)?.length)
  const tables = lists.map((l) => <ItemsTable key={l.path} leaf={l} record={record} />)
  return (
    <section className="screen record" aria-labelledby="screen-title">
      <RecordHead res={res} record={record} canWrite={canWrite} unsaved={unsaved} />
      <div className="record-body">
        <div className="panel facts">
          <Facts res={res} record={record} canWrite={canWrite} />
        </div>
        <div className="story">
          {Lists ? (
            <Lists res={res} record={record} canWrite={canWrite} onUnsaved={setUnsaved}>
              {tables}
            </Lists>
          ) : (
            tables
          )}
          {referring.length > 0 && (
            <div className="tabs" role="tablist" aria-label={t('sections')}>
              {(['story', 'related'] as const).map((name) => (
                <button
                  key={name}
                  type="button"
                  role="tab"
                  id={`tab-${name}`}
                  aria-selected={tab === name}
                  aria-controls="tab-panel"
                  tabIndex={tab === name ? 0 : -1}
                  onClick={() => setTab(name)}
                  onKeyDown={(e) => {
                    if (e.key !== 'ArrowLeft' && e.key !== 'ArrowRight') return
                    const other = name === 'story' ? 'related' : 'story'
                    setTab(other)
                    document.getElementById(`tab-${other}`)?.focus()
                  }}
                >
                  {t(name)}
                </button>
              ))}
            </div>
          )}
          <div id="tab-panel" {...(referring.length > 0 ? { role: 'tabpanel', 'aria-labelledby': `tab-${tab}` } : {})}>
            {tab === 'story' ? (
              <Timeline res={res} record={record} />
            ) : (
              <>
                {referring.map((r) => (
                  <Related key={r.name} res={r} of={res} record={record} />
                ))}
                {Object.entries(kinds).map(([name, { Related } = {}]) => Related && <Related key={name} of={res} record={record} />)}
              </>
            )}
          </div>
        </div>
      </div>
    </section>
  )
}

function RecordHead({ res, record, canWrite, unsaved }: { res: Resource; record: Rec; canWrite: boolean; unsaved: boolean }) {
  const { me } = useApp()
  const kind = useKinds()[res.name] ?? {}
  const client = useQueryClient()
  const notice = useNotice()
  const { explain } = useEditing()
  const undo = useUndo()
  const [asking, setAsking] = useState<Action | null>(null)
  const isGrave = (a: Action) => !!kind.grave?.includes(a.name)
  const asks = (a: Action) => isGrave(a) || a.body.some((b) => b.kind !== 'group')
  const [once, setOnce] = useState<ReturnType<typeof onceOf>>([])
  const state = res.states ? (at(record, res.states.field) as string) : undefined
  const stateLeaf = res.states && leafOf(res, res.states.field)

  // What the state does not allow is not offered, nor what is done already.
  const offered = !canWrite
    ? []
    : res.actions.filter((a) => {
        if (a.name === 'unmerge' || kind.offers?.(a, record) === false) return false
        if (a.name === 'merge') return res.permissions.delete !== 'none'
        const moves = res.states?.moves.filter((m) => m.name === a.name)
        return !moves?.length || moves.some((m) => m.from.includes(state!))
      })
  const run = async (action: Action, body: Record<string, unknown> = {}) => {
    try {
      const { answer, request } = await tell<Rec | undefined>('POST', `${res.path}/${record.id}/${action.name}`, body, {
        match: record.version,
      })
      void refresh(client)
      setAsking(null)
      if (answer?.id && answer.id !== record.id) return go(pathTo(res, answer.id))
      if (answer?.id) setOnce(onceOf(res, answer))
      notice({
        text: t('actionDone', { action: said(`action.${action.name}`, action.label) }),
        undo: kind.final?.includes(action.name) || isGrave(action) ? undefined : () => undo(request),
      })
    } catch (error) {
      if (error instanceof Problem && error.status === 412) void client.invalidateQueries({ queryKey: ['record', res.name, record.id] })
      explain(error)
    }
  }
  const remove = async () => {
    try {
      const { request } = await tell('DELETE', `${res.path}/${record.id}`, undefined, { match: record.version })
      changeCached(client, res.name, record.id, () => null)
      client.removeQueries({ queryKey: ['record', res.name, record.id] })
      go(backTo(res))
      void refresh(client, res.name)
      notice({
        text: t('deletedOne', { name: titleOf(res, record) }),
        undo: res.operations.includes('restore') ? () => undo(request, t('restored', { name: titleOf(res, record) })) : undefined,
      })
    } catch (error) {
      explain(error)
    }
  }
  // What was merged comes back out of what it became part of, and anything else out of the bin.
  const restore = async () => {
    try {
      if (record.merged_into_id) await call('POST', `${res.path}/${record.merged_into_id}/unmerge`, { other_id: record.id })
      else await call('POST', `${res.path}/${record.id}/restore`)
      notice({ text: t('restored', { name: titleOf(res, record) }) })
      void refresh(client)
    } catch (error) {
      explain(error)
    }
  }
  const canDelete = !record.deleted_at && res.operations.includes('delete') && reaches(res, res.permissions.delete, record, me.user.id)
  const canRestore = record.deleted_at && res.operations.includes('restore') && res.permissions.write !== 'none'
  const title = titleOf(res, record)
  const act = (a: Action) => (asks(a) ? setAsking(a) : void run(a))
  useCommands([
    ...(unsaved ? [] : offered).map((a) => ({
      text: said(`action.${a.name}`, a.label),
      about: title,
      icon: kind.icons?.[a.name] ?? res.name,
      run: () => act(a),
    })),
    ...(canDelete ? [{ text: t('delete'), about: title, icon: 'bin', run: () => void remove() }] : []),
    ...(canWrite
      ? [
          {
            act: 'edit' as const,
            text: t('edit'),
            about: title,
            icon: 'edit',
            run: () => document.querySelector<HTMLButtonElement>('.facts .fact-edit')?.click(),
          },
        ]
      : []),
  ])
  // What is done seldom waits in the menu.
  const usual = offered.filter((a) => a.name !== 'merge' && !isGrave(a))
  const primary = usual.slice(0, 2)
  const rest = offered.filter((a) => !primary.includes(a))
  return (
    <header className="record-head">
      <Steps res={res} id={record.id} />
      <div className="title-row">
        {kind.avatar ? (
          <Avatar name={title} id={record.id} />
        ) : (
          <span className="sign">
            <Icon name={res.name} />
          </span>
        )}
        <h1 id="screen-title">
          <bdi>{title}</bdi>
        </h1>
        {stateLeaf && state && <Badge leaf={stateLeaf} value={state} />}
        <span className="grow" />
        <div className="acts">
          {kind.Tools && <kind.Tools res={res} record={record} canWrite={canWrite} />}
          {primary.map((a) => (
            <Button key={a.name} isDisabled={unsaved} icon={kind.icons?.[a.name]} onPress={() => act(a)}>
              {said(`action.${a.name}`, a.label)}
            </Button>
          ))}
          <FollowButton record={record} />
          {(rest.length > 0 || canDelete) && (
            <Menu
              label={t('more')}
              trigger={<Button icon="more" label={t('more')} />}
              onAction={(key) => {
                if (key === 'delete!') return void remove()
                act(rest.find((x) => x.name === key)!)
              }}
            >
              {rest.map((a) => (
                <MenuItem key={a.name} id={a.name}>
                  {said(`action.${a.name}`, a.label)}
                </MenuItem>
              ))}
              {canDelete ? (
                <MenuItem id="delete!" icon="bin">
                  {t('delete')}
                </MenuItem>
              ) : null}
            </Menu>
          )}
        </div>
      </div>
      {record.deleted_at && (
        <p className="in-bin" role="status">
          {record.merged_into_id ? (
            <>
              <span>
                {t('partOf')}{' '}
                <Link to={pathTo(res, record.merged_into_id)} className="strong">
                  <bdi>{record.merged_into?.name ?? t('aRecord')}</bdi>
                </Link>
                .
              </span>{' '}
              {res.permissions.write !== 'none' && <Button onPress={() => void restore()}>{t('separate')}</Button>}
            </>
          ) : (
            <>
              {t('inBin')} {canRestore && <Button onPress={() => void restore()}>{t('restore')}</Button>}
            </>
          )}
        </p>
      )}
      {once.length > 0 && (
        <Suspense>
          <SecretDialog
            secret={{ title: t('newSecretOf', { name: title }), about: t('onceApp'), values: once }}
            onClose={() => setOnce([])}
          />
        </Suspense>
      )}
      {asking?.name === 'merge' ? (
        <Suspense>
          <MergeDialog res={res} record={record} action={asking} onClose={() => setAsking(null)} />
        </Suspense>
      ) : (
        asking && <ActionDialog action={asking} onClose={() => setAsking(null)} onRun={(body) => run(asking, body)} />
      )}
    </header>
  )
}

function ActionDialog({ action, onClose, onRun }: { action: Action; onClose: () => void; onRun: (body: Record<string, unknown>) => void }) {
  const [given, setGiven] = useState<Record<string, unknown>>({})
  const fields = action.body.filter((f) => f.kind !== 'group')
  const label = said(`action.${action.name}`, action.label)
  return (
    <Dialog title={label} onClose={onClose}>
      <form
        className="stack"
        onSubmit={(e) => {
          e.preventDefault()
          onRun(given)
        }}
      >
        {action.help && <p className="soft">{action.help}</p>}
        {fields.map((f, i) => (
          <Labelled
            key={f.name}
            leaf={{ ...f, path: f.name, nullable: true }}
            value={given[f.name] ?? null}
            autoFocus={i === 0}
            onChange={(v) => setGiven((g) => ({ ...g, [f.name]: v }))}
          />
        ))}
        <footer className="dialog-foot">
          <Button onPress={onClose}>{t('cancel')}</Button>
          <Button look="primary" type="submit" isDisabled={fields.some((f) => f.required && !given[f.name])}>
            {label}
          </Button>
        </footer>
      </form>
    </Dialog>
  )
}

function Facts({ res, record, canWrite }: { res: Resource; record: Rec; canWrite: boolean }) {
  const [all, setAll] = useState(false)
  const shown = leaves(res).filter((l) => l.kind !== 'list' && l.path !== 'id' && !(l.kind === 'group') && l.kind !== 'any')
  const isEmpty = (l: Leaf) => {
    const value = l.followed_as === l.path ? at(record, `${l.path}.id`) : at(record, l.path)
    return value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)
  }
  const main = shown.filter((l) => !technical.has(l.path))
  const usual = new Set(columnsOf(res).map((l) => l.path))
  // Empty fields that are seldom filled in wait behind a button.
  const first = main.filter((l) => !isEmpty(l) || usual.has(l.path) || l.custom)
  const later = main.filter((l) => !first.includes(l))
  return (
    <>
      <h2 className="unseen">{t('fields')}</h2>
      <dl>
        {(all ? main : first).map((l) => (
          <Fact key={l.path} res={res} leaf={l} record={record} canWrite={canWrite} />
        ))}
      </dl>
      {!all && later.length > 0 && (
        <Button look="quiet" onPress={() => setAll(true)}>
          {t('emptyFields', { count: later.length })}
        </Button>
      )}
      <dl className="small">
        {shown
          .filter((l) => technical.has(l.path) && !['version', 'external_id'].includes(l.path))
          .map((l) => (
            <Fact key={l.path} res={res} leaf={l} record={record} canWrite={false} />
          ))}
      </dl>
    </>
  )
}

function Fact({ res, leaf, record, canWrite }: { res: Resource; leaf: Leaf; record: Rec; canWrite: boolean }) {
  const { schema } = useApp()
  const { save } = useEditing()
  const [refused] = useRefused()
  const again = refused?.record.id === record.id && refused.leaf.path === leaf.path
  const [editing, setEditing] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const able = canWrite && editable(res, leaf)
  const close = () => {
    setEditing(false)
    requestAnimationFrame(() => button.current?.focus())
  }
  const content: ReactNode = <Shown leaf={leaf} record={record} onPage able={able} />
  return (
    <div className="fact">
      <dt>{labelOf(leaf)}</dt>
      <dd>
        {editing || again ? (
          <CellEditor
            leaf={leaf}
            record={record}
            shownAs={leaf.kind === 'reference' ? linked(leaf, record, schema.resources)?.name : undefined}
            onDrop={close}
            onKeep={(value, picked, base) => {
              close()
              void save({ res, record: base, leaf, value, picked }, { inPlace: true })
            }}
          />
        ) : (
          <>
            <span className="fact-value" onClick={(e) => able && !(e.target as HTMLElement).closest('a') && setEditing(true)}>
              {content}
            </span>
            {able && (
              <button
                ref={button}
                type="button"
                className="fact-edit"
                aria-label={t('editField', { field: labelOf(leaf) })}
                onClick={() => setEditing(true)}
              >
                <Icon name="edit" size={14} />
              </button>
            )}
          </>
        )}
      </dd>
    </div>
  )
}

// ItemsTable shows a list of objects, such as the lines of a quote: only columns that have something to tell.
function ItemsTable({ leaf, record }: { leaf: Leaf; record: Rec }) {
  const items = at(record, leaf.path) as Rec[]
  const shown = leaf.fields!.filter(
    (f) =>
      f.kind !== 'reference' &&
      f.kind !== 'long_text' &&
      f.name !== 'currency' &&
      f.name !== 'id' &&
      items.some((i) => i[f.name] !== null && i[f.name] !== undefined && i[f.name] !== 0),
  )
  return (
    <div className="panel items">
      <h2>{leaf.label}</h2>
      <div className="scroll" tabIndex={0} role="region" aria-label={leaf.label}>
        <table>
          <thead>
            <tr>
              {shown.map((f) => (
                <th key={f.name} scope="col" className={['money', 'decimal', 'percent', 'integer'].includes(f.kind) ? 'right' : ''}>
                  {f.label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {items.map((item, i) => (
              <tr key={i}>
                {shown.map((f) => (
                  <td key={f.name} className={['money', 'decimal', 'percent', 'integer'].includes(f.kind) ? 'right' : ''}>
                    <Shown leaf={{ ...f, path: f.name }} record={{ ...item, currency: item.currency ?? record.currency }} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  )
}

function Related({ res, of, record }: { res: Resource; of: Resource; record: Rec }) {
  const { schema } = useApp()
  const via = leaves(res).find((l) => l.target === of.name && l.followed_as && !l.read_only && l.path !== 'owner_id')!
  const telling = columnsOf(res)
    .filter((l) => l.path !== via.path && l.path !== res.named_by[0])
    .slice(0, 3)
  const search = { filters: [{ field: via.path, operator: 'eq', value: record.id }], fields: projection(res, telling, schema.resources) }
  const { data, isPending } = useInfiniteQuery({
    queryKey: ['list', res.name, 'related', of.name, record.id],
    initialPageParam: '',
    queryFn: () => call<Page>('POST', res.path + '/search', { ...search, limit: 5, total: true }),
    getNextPageParam: () => undefined,
  })
  const rows = data?.pages[0]?.data ?? []
  const total = data?.pages[0]?.meta.total ?? rows.length
  return (
    <section className="related" aria-label={pluralLabel(res)}>
      <h2>
        {pluralLabel(res)} {!isPending && <span className="count">{total}</span>}
      </h2>
      {isPending ? (
        <span className="bone" />
      ) : rows.length === 0 ? (
        <p className="soft">{t('noneHere')}</p>
      ) : (
        <ul className="rows">
          {rows.map((r) => (
            <li key={r.id}>
              <Link to={pathTo(res, r.id)}>
                <bdi>{titleOf(res, r)}</bdi>
              </Link>
              <span className="row-more">
                {telling.map((l) => (
                  <span key={l.path}>
                    <Shown leaf={l} record={r} />
                  </span>
                ))}
              </span>
            </li>
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
