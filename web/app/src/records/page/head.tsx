// Who or what a record is, and what can be done with it, at the top of its page.

import { useQueryClient } from '@tanstack/react-query'
import { Fragment, lazy, type ReactNode, Suspense, useState } from 'react'
import { ComposeButtons } from '../../activities/composer'
import { changeCached, refresh } from '../../api/cache'
import { call, Problem, type Rec, tell } from '../../api/call'
import { useApp } from '../../api/context'
import { optionLabel } from '../../i18n/format'
import { inSentence, said, t } from '../../i18n/translate'
import { FollowButton } from '../../inbox/follow'
import { type Action, at, type Leaf, leaf as leafOf, newLabel, onceOf, type Resource, reaches, titleOf } from '../../schema/schema'
import { useCommands } from '../../ui/commands'
import { Avatar, Button, Chip, Dialog, Icon, Menu, MenuItem, useNarrow, useNotice } from '../../ui/components'
import { go, Link } from '../../ui/route'
import { useEditing } from '../edit'
import { Labelled } from '../fields'
import { CreateDialog } from '../form'
import { useUndo } from '../jobs'
import { useKinds } from '../kinds'
import { daysLate } from '../late'
import { useUsers } from '../names'
import { Badge, pathTo, Shown } from '../shown'
import { backTo, Steps } from '../steps'
import { contextOf } from './context'
import { isEmpty } from './facts'
import { Next } from './rail'
import { Reach } from './reach'

const MergeDialog = lazy(() => import('../merge'))
const SecretDialog = lazy(async () => ({ default: (await import('../../settings/secret-dialog')).SecretDialog }))

type Props = { res: Resource; record: Rec; canWrite: boolean; unsaved: boolean; whole: boolean }

export function RecordHead({ res, record, canWrite, unsaved, whole }: Props) {
  const { me, schema } = useApp()
  const narrow = useNarrow()
  const kind = useKinds()[res.name] ?? {}
  const client = useQueryClient()
  const notice = useNotice()
  const { explain } = useEditing()
  const undo = useUndo()
  const [asking, setAsking] = useState<Action | null>(null)
  const [beginning, setBeginning] = useState(false)
  const [next, setNext] = useState<string | null>(null)
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
      const after = kind.after?.[action.name]
      const now = res.states && answer && at(answer, res.states.field)
      notice({
        text: after
          ? t(after.says, { name: title })
          : stateLeaf && now && now !== state
            ? t('nowIs', { name: title, state: inSentence(optionLabel(stateLeaf, now as string)) })
            : t('actionDone', { action: said(`action.${action.name}`, action.label) }),
        offer: after && { text: t(after.offers), run: () => setNext(action.name) },
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
  const title = titleOf(res, record, useUsers())
  const act = (a: Action) => (asks(a) ? setAsking(a) : void run(a))
  useCommands([
    ...(unsaved ? [] : offered).map((a) => ({
      text: said(`action.${a.name}`, a.label),
      also: a.label,
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
  const begun = record.deleted_at
    ? undefined
    : schema.resources.find((r) => r.name === kind.begins && r.permissions.write !== 'none' && r.operations.includes('create'))
  const Next = next && kind.after?.[next]?.Next
  const Ask = asking && kind.dialogs?.[asking.name]
  // What is done seldom waits in the menu.
  const usual = offered.filter((a) => a.name !== 'merge' && !isGrave(a) && !kind.headless?.includes(a.name))
  const under = usual.filter((a) => kind.underHead?.includes(a.name))
  const primary = usual.filter((a) => !under.includes(a)).slice(0, 2)
  const rest = offered.filter((a) => !primary.includes(a) && !under.includes(a))
  // The main thing is what is begun with it, or else what brings it on, and not back to where it began.
  const main = begun ? undefined : primary.find((a) => res.states?.moves.some((m) => m.name === a.name && m.to !== res.states?.initial))
  const buttons = (actions: Action[]) =>
    actions.map((a) => (
      <Button
        key={a.name}
        look={a === main ? 'primary' : undefined}
        isDisabled={unsaved}
        icon={kind.icons?.[a.name]}
        onPress={() => act(a)}
      >
        {said(`action.${a.name}`, a.label)}
      </Button>
    ))
  // What stands under the head says how far it is.
  const told = !!kind.Head && !narrow
  return (
    <header className="record-head">
      <Steps res={res} id={record.id} />
      <div className="title-row">
        {kind.avatar ? (
          <span className="portrait">
            <Avatar name={title} id={record.id} />
          </span>
        ) : (
          <span className="sign">
            <Icon name={res.name} />
          </span>
        )}
        <div className="who-is">
          <h1 id="screen-title">
            <bdi>{title}</bdi>
          </h1>
          {whole && (
            <Subtitle res={res} record={record} badge={stateLeaf && state && !told ? <Badge leaf={stateLeaf} value={state} /> : null} />
          )}
        </div>
        {whole && (
          <div className="acts">
            {!narrow && !record.deleted_at && <Reach res={res} record={record} />}
            {!record.deleted_at && <ComposeButtons res={res} part={narrow ? 'top' : 'all'} />}
            {kind.Tools && <kind.Tools res={res} record={record} canWrite={canWrite} />}
            {buttons(primary)}
            <FollowButton record={record} />
            {begun && (
              <Button look="primary" isDisabled={unsaved} onPress={() => setBeginning(true)}>
                {newLabel(begun)}
              </Button>
            )}
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
        )}
      </div>
      {narrow && whole && !record.deleted_at && res.operations.includes('timeline') && (
        <div className="thumb">
          <Reach res={res} record={record} />
          <ComposeButtons res={res} part="thumb" />
        </div>
      )}
      {whole && kind.Head && (
        <kind.Head res={res} record={record} canWrite={canWrite}>
          {buttons(under)}
        </kind.Head>
      )}
      {beginning && begun && (
        <CreateDialog res={begun} preset={contextOf(begun, res, record, schema.resources)} onClose={() => setBeginning(false)} />
      )}
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
      {Next && (
        <Suspense>
          <Next res={res} record={record} onClose={() => setNext(null)} />
        </Suspense>
      )}
      {asking?.name === 'merge' ? (
        <Suspense>
          <MergeDialog res={res} record={record} action={asking} onClose={() => setAsking(null)} />
        </Suspense>
      ) : Ask && asking ? (
        <Ask name={title} onClose={() => setAsking(null)} onDone={(body) => void run(asking, body)} />
      ) : (
        asking && <ActionDialog action={asking} onClose={() => setAsking(null)} onRun={(body) => run(asking, body)} />
      )}
    </header>
  )
}

// Subtitle is what is said of a record under its name: a job is one at a company, what is so is a mark, and settings are marks as well.
function Subtitle({ res, record, badge }: { res: Resource; record: Rec; badge: ReactNode }) {
  const { schema } = useApp()
  const { due, headMore = [] } = useKinds()[res.name] ?? {}
  const shown = [...res.layout.head, ...headMore].map((path) => leafOf(res, path)).filter((l): l is Leaf => !!l && !isEmpty(l, record))
  // Whose it is: of a task that is who is to do it.
  const owner = leafOf(res, 'assignee_id') ?? leafOf(res, 'owner_id')
  const owned = !!owner && shown.length > 0 && !isEmpty(owner, record)
  const days = daysLate(res, due, record)
  const said = (l: Leaf, i: number) => {
    const [before, after] = [shown[i - 1], shown[i + 1]]
    if (l.kind === 'boolean') return at(record, l.path) ? <Chip color="red">{l.label}</Chip> : null
    return (
      <Fragment>
        {isPlace(before, l) && <span className="soft"> {t('atCompany')} </span>}
        {['date', 'datetime'].includes(l.kind) && <span className="soft">{l.label} </span>}
        <Shown leaf={l} record={record} onPage />
        {days > 0 && l.path === due?.by && <>, {t('daysLate', { count: days })}</>}
        {(after ? !isPlace(l, after) && !isChip(after) : owned && !badge) && !isChip(l) && <span className="soft"> ·</span>}
      </Fragment>
    )
  }
  // A line that is too long goes on in the next, which does not begin with what parts two things.
  const isPlace = (l: Leaf | undefined, next: Leaf) => l?.kind === 'text' && next.kind === 'reference'
  const mark = (l: Leaf) =>
    l.kind === 'reference' && schema.resources.some((r) => r.name === l.target && r.feature && r.name !== owner?.target)
  const isChip = (l: Leaf) => mark(l) || l.kind === 'boolean' || !!l.options
  if (shown.length === 0 && !badge) return null
  return (
    <p className="subtitle">
      {shown.map((l, i) =>
        mark(l) ? (
          <Chip key={l.path}>
            <Shown leaf={l} record={record} />
          </Chip>
        ) : (
          <span key={l.path} className={l.kind === 'money' ? 'strong' : days > 0 && l.path === due?.by ? 'late' : undefined}>
            {said(l, i)}
          </span>
        ),
      )}
      {badge}
      {!record.deleted_at && <Next res={res} record={record} />}
      {owned && (
        <span className="owner" title={owner.label}>
          <Shown leaf={owner} record={record} />
        </span>
      )}
    </p>
  )
}

function ActionDialog({ action, onClose, onRun }: { action: Action; onClose: () => void; onRun: (body: Record<string, unknown>) => void }) {
  const [given, setGiven] = useState<Record<string, unknown>>({})
  const fields = action.body.filter((f) => f.kind !== 'group')
  const label = said(`action.${action.name}`, action.label)
  return (
    <Dialog title={label} onClose={onClose}>
      <form
        noValidate
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
