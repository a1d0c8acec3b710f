// Changing one field: shown at once, kept by the server, taken back on a click; and what to do when somebody else was faster.

import { useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, use, useCallback, useMemo, useState } from 'react'
import { changeCached, refresh } from '../api/cache'
import { call, Problem, type Rec } from '../api/call'
import { useApp } from '../api/context'
import { ago, formatPlain } from '../i18n/format'
import { t } from '../i18n/translate'
import { at, type Leaf, labelOf, leaf as leafOf, linked, patchOf, put, type Resource, sentence, titleOf } from '../schema/schema'
import { Button, Dialog, useNotice } from '../ui/components'
import type { Picked } from './fields'
import { useUsers } from './names'

export type Edit = { res: Resource; record: Rec; leaf: Leaf; value: unknown; picked?: Picked | null }

type Editing = {
  save: (edit: Edit, options?: { match?: number; undoing?: boolean }) => Promise<Rec | null>
  explain: (error: unknown, res?: Resource) => void
}

const EditContext = createContext<Editing | null>(null)
export const useEditing = () => use(EditContext)!

// withPicked puts a value into a record as a search would have answered it.
export function withPicked(record: Rec, l: Leaf, value: unknown, picked?: Picked | null): Rec {
  const changed = l.followed_as === l.path ? record : put(record, l.path, value)
  if (!l.followed_as) return changed
  return put(changed, l.followed_as, picked ? { id: picked.id, name: picked.name, title: picked.name, subject: picked.name } : null)
}

// namedIn is what people call a field that the API names.
export const namedIn = (res: Resource | undefined, field: string) =>
  (res && leafOf(res, field.replace(/^data\./, ''))?.label) ?? sentence(field.split('.').at(-1)!)

// whatWentWrong tells what went wrong: each field that is not right, where there are such.
export function whatWentWrong(error: unknown, res?: Resource): string {
  if (!(error instanceof Problem)) return t('failed')
  if (error.status === 0) return t('offline')
  return error.errors.length ? error.errors.map((e) => `${namedIn(res, e.field)} ${e.message}`).join('; ') : error.message || t('failed')
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
  const [conflict, setConflict] = useState<{ edit: Edit; problem: Problem } | null>(null)

  const explain = useCallback(
    (error: unknown, res?: Resource) => {
      notice({ text: whatWentWrong(error, res), bad: true })
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
        notice(options.undoing ? { text: t('takenBack', { field: labelOf(leaf) }) } : { text: t('saved', { field: labelOf(leaf) }), undo })
        void client.invalidateQueries({ queryKey: ['timeline', record.id] })
        void client.invalidateQueries({ queryKey: ['figures', res.name] })
        return saved
      } catch (error) {
        changeCached(client, res.name, record.id, (r) =>
          withPicked(r, leaf, before, beforeLink ? { id: beforeLink.id, name: beforeLink.name ?? '' } : null),
        )
        if (error instanceof Problem && error.status === 412) setConflict({ edit, problem: error })
        else explain(error, res)
        return null
      }
    },
    [client, notice, explain, schema],
  )

  const value = useMemo(() => ({ save, explain }), [save, explain])
  return (
    <EditContext value={value}>
      {children}
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

// ConflictDialog tells who changed what while somebody else did, and whose change is to count.
export function ConflictDialog({
  problem,
  onTheirs,
  onMine,
  ...edit
}: Edit & { problem: Problem; onTheirs: () => void; onMine: () => void }) {
  const users = useUsers()
  const same = problem.changes.some((c) => c.fields.includes(edit.leaf.path))
  const shown =
    edit.leaf.kind === 'reference'
      ? (edit.picked?.name ?? t('nothing'))
      : edit.leaf.kind === 'list'
        ? t('items', { count: (edit.value as unknown[]).length })
        : formatPlain(edit.leaf, edit.value, edit.record)
  return (
    <Dialog title={t('changedMeanwhile', { name: titleOf(edit.res, edit.record) })} onClose={onTheirs}>
      <p>{same ? t('sameField', { field: labelOf(edit.leaf) }) : t('otherFields')}</p>
      <ul className="changes">
        {problem.changes.map((c) => (
          <li key={c.version}>
            <bdi className="strong">{(c.actor.user_id && users.get(c.actor.user_id)) || t('somebody')}</bdi>{' '}
            {t('changedFields', { fields: c.fields.map((f) => leafOf(edit.res, f)?.label ?? f).join(', ') })}{' '}
            <span className="soft">{ago(c.at)}</span>
          </li>
        ))}
      </ul>
      <p className="yours">
        {t('yourValue', { field: labelOf(edit.leaf) })}{' '}
        <strong>
          <bdi>{shown}</bdi>
        </strong>
      </p>
      <footer className="dialog-foot">
        <Button onPress={onTheirs}>{t('keepTheirs')}</Button>
        <Button look="primary" onPress={onMine} autoFocus>
          {t('useMine')}
        </Button>
      </footer>
    </Dialog>
  )
}
