// Changing one field: shown at once, kept by the server, taken back on a click; and what to do when somebody else was faster.

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, use, useCallback, useMemo, useState } from 'react'
import { changeCached, refresh } from '../api/cache'
import { call, type FieldChange, type Page, Problem, type Rec } from '../api/call'
import { useApp } from '../api/context'
import { ago, formatPlain, formatTime } from '../i18n/format'
import { t } from '../i18n/translate'
import { at, type Leaf, labelOf, linked, patchOf, projection, put, type Resource, titleOf } from '../schema/schema'
import { Button, Dialog, useNotice } from '../ui/components'
import type { Picked } from './names'
import { useUsers } from './names'
import { namedIn, refusal } from './refusals'

export { namedIn, refusal as whatWentWrong } from './refusals'

export type Edit = { res: Resource; record: Rec; leaf: Leaf; value: unknown; picked?: Picked | null }

type Editing = {
  // inPlace tells that it was typed where it stands: what is refused is offered there again, with what is wrong under it. saying is what is
  // told once it is saved.
  save: (edit: Edit, options?: { match?: number; undoing?: boolean; inPlace?: boolean; saying?: string }) => Promise<Rec | null>
  explain: (error: unknown, res?: Resource) => void
}

const EditContext = createContext<Editing | null>(null)
export const useEditing = () => use(EditContext)!

// Refused is what was typed into a field and not taken: whoever shows the field opens it again.
export type Refused = Edit & { wrong: string }
const RefusedContext = createContext<[Refused | null, (next: Refused | null) => void]>([null, () => {}])
export const useRefused = () => use(RefusedContext)

// withPicked puts a value into a record as a search would have answered it.
export function withPicked(record: Rec, l: Leaf, value: unknown, picked?: Picked | null): Rec {
  const changed = l.followed_as === l.path ? record : put(record, l.path, value)
  if (!l.followed_as) return changed
  return put(changed, l.followed_as, picked ? { id: picked.id, name: picked.name, title: picked.name, subject: picked.name } : null)
}

// merged takes over what the server answered, and keeps what only a search tells: the names behind references.
export function merged(kept: Rec, answered: Rec, res: Resource): Rec {
  const next: Rec = { ...kept }
  for (const [key, value] of Object.entries(answered)) {
    if (res.fields.some((f) => f.followed_as === key && f.name === key)) continue
    if (key in kept || key === 'version')
      next[key] = key === 'custom_fields' && value ? { ...(kept.custom_fields as object | null), ...value } : value
  }
  return next
}

export function EditingProvider({ children }: { children: ReactNode }) {
  const client = useQueryClient()
  const notice = useNotice()
  const { schema } = useApp()
  const [refused, setRefused] = useState<Refused | null>(null)
  const [conflict, setConflict] = useState<{ edit: Edit; problem: Problem } | null>(null)

  const explain = useCallback(
    (error: unknown, res?: Resource) => {
      notice({ text: refusal(error, res), bad: true })
    },
    [notice],
  )

  const save = useCallback<Editing['save']>(
    async (edit, options = {}) => {
      const { res, record, leaf, value, picked } = edit
      const before = leaf.kind === 'reference' ? (linked(leaf, record, schema.resources)?.id ?? null) : (at(record, leaf.path) ?? null)
      if (JSON.stringify(before) === JSON.stringify(value ?? null) && !options.undoing) return record
      const beforeLink = leaf.kind === 'reference' ? linked(leaf, record, schema.resources) : null
      changeCached(client, res.name, record.id, (r) => withPicked(r, leaf, value, picked))
      try {
        const saved = await call<Rec>('PATCH', `${res.path}/${record.id}`, patchOf(leaf.path, value), {
          match: options.match ?? record.version,
        })
        changeCached(client, res.name, record.id, (r) => merged(r, saved, res))
        const undo = () =>
          void save(
            {
              res,
              record: { ...withPicked(record, leaf, value, picked), version: saved.version },
              leaf,
              value: before,
              picked: beforeLink ? { id: beforeLink.id, name: beforeLink.name ?? '' } : null,
            },
            { undoing: true },
          )
        notice(
          options.undoing
            ? { text: t('takenBack', { field: labelOf(leaf) }) }
            : { text: options.saying ?? t('saved', { field: labelOf(leaf) }), undo },
        )
        void client.invalidateQueries({ queryKey: ['timeline', record.id] })
        void client.invalidateQueries({ queryKey: ['figures', res.name] })
        return saved
      } catch (error) {
        changeCached(client, res.name, record.id, (r) =>
          withPicked(r, leaf, before, beforeLink ? { id: beforeLink.id, name: beforeLink.name ?? '' } : null),
        )
        if (error instanceof Problem && error.status === 412) setConflict({ edit, problem: error })
        else if (options.inPlace && error instanceof Problem && error.errors.length) setRefused({ ...edit, wrong: refusal(error, res) })
        else explain(error, res)
        return null
      }
    },
    [client, notice, explain, schema],
  )

  const value = useMemo(() => ({ save, explain }), [save, explain])
  const known = useMemo(() => [refused, setRefused] as [Refused | null, typeof setRefused], [refused])
  return (
    <EditContext value={value}>
      <RefusedContext value={known}>{children}</RefusedContext>
      {conflict && (
        <ConflictDialog
          {...conflict.edit}
          problem={conflict.problem}
          onTheirs={() => {
            setConflict(null)
            void refresh(client)
          }}
          onMine={() => {
            setConflict(null)
            void save(
              { ...conflict.edit, record: { ...conflict.edit.record, version: conflict.problem.currentVersion! } },
              { match: conflict.problem.currentVersion },
            )
            void client.invalidateQueries({ queryKey: ['record', conflict.edit.res.name, conflict.edit.record.id] })
          }}
        />
      )}
    </EditContext>
  )
}

// useTheirs reads the field as it is now, after somebody else changed the record.
function useTheirs({ res, record, leaf }: Edit, version: number | undefined): Rec | undefined {
  const { schema } = useApp()
  const { data } = useQuery({
    queryKey: ['theirs', record.id, leaf.path, version],
    queryFn: () =>
      call<Page>('POST', res.path + '/search', {
        filters: [{ field: 'id', operator: 'eq', value: record.id }],
        fields: projection(res, [leaf], schema.resources),
        limit: 1,
      }),
  })
  return data?.data[0]
}

// ConflictDialog tells who changed what while somebody else did, shows both values, and asks which is to count.
export function ConflictDialog({
  problem,
  onTheirs,
  onMine,
  ...edit
}: Edit & { problem: Problem; onTheirs: () => void; onMine: () => void }) {
  const { res, record, leaf, value, picked } = edit
  const { schema } = useApp()
  const users = useUsers()
  const theirs = useTheirs(edit, problem.currentVersion)
  const who = (change?: FieldChange) => (change?.actor.user_id && users.get(change.actor.user_id)) || t('somebody')
  const same = problem.changes.find((c) => c.fields.includes(leaf.path))
  const told = (at: Rec, given: unknown, name?: string) =>
    leaf.kind === 'reference'
      ? (name ?? t('nothing'))
      : leaf.kind === 'list'
        ? t('items', { count: (given as unknown[] | null)?.length ?? 0 })
        : formatPlain(leaf, given, at)
  return (
    <Dialog title={t('changedMeanwhile', { name: titleOf(res, record) })} onClose={onTheirs}>
      <p>{same ? t('sameField', { field: labelOf(leaf) }) : t('otherFields')}</p>
      <dl className="versus">
        <div>
          <dt>{t('yours')}</dt>
          <dd>
            <bdi>{told(record, value, picked?.name)}</bdi>
          </dd>
        </div>
        <div>
          <dt>
            {same ? (
              <>
                <bdi>{who(same)}</bdi> <time className="soft" dateTime={same.at}>{`${ago(same.at)}, ${formatTime(same.at)}`}</time>
              </>
            ) : (
              t('asItStands')
            )}
          </dt>
          <dd>
            {theirs ? (
              <bdi>{told(theirs, at(theirs, leaf.path), linked(leaf, theirs, schema.resources)?.name ?? undefined)}</bdi>
            ) : (
              <span className="bone" />
            )}
          </dd>
        </div>
      </dl>
      <ul className="changes">
        {problem.changes.map((c) => (
          <li key={c.version}>
            <bdi className="strong">{who(c)}</bdi> {t('changedFields', { fields: c.fields.map((f) => namedIn(res, f)).join(', ') })}{' '}
            <span className="soft">{ago(c.at)}</span>
          </li>
        ))}
      </ul>
      <footer className="dialog-foot">
        <Button onPress={onTheirs}>{t('keepTheirs')}</Button>
        <Button look="primary" onPress={onMine} autoFocus>
          {t('useMine')}
        </Button>
      </footer>
    </Dialog>
  )
}
