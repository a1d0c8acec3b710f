// The form for a new record, as its resource declares it: what is required first, what is usual next, the rest on demand.

import { useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { refresh } from '../api/cache'
import { call, type Me, Problem, type Rec } from '../api/call'
import { useApp } from '../api/context'
import { t } from '../i18n/translate'
import { columnsOf, type Leaf, labelOf, leaves, newLabel, onceOf, type Resource, titleOf } from '../schema/schema'
import { Button, Dialog, useNotice } from '../ui/components'
import { go } from '../ui/route'
import { DraftBack } from './draft-back'
import { useDraft } from './drafts'
import { useEditing } from './edit'
import { Labelled } from './fields'
import { useKinds } from './kinds'
import type { Given, MakingProps } from './making'
import { Meant, useMeant } from './meant'
import type { Picked } from './names'
import { broughtBy } from './page/context'
import { refusalOf } from './refusals'
import { pathTo } from './shown'

const SecretDialog = lazy(async () => ({ default: (await import('../settings/secret-dialog')).SecretDialog }))

export function creatable(res: Resource): Leaf[] {
  return leaves(res).filter((l) => !l.read_only && !['group', 'list', 'any'].includes(l.kind) && l.path !== 'external_id')
}

// usual are the fields of a new record that are shown at once: those that its layout names, and any that must be given.
export function usual(res: Resource): Leaf[] {
  const all = creatable(res)
  if (res.layout.form.length > 0) {
    const named = res.layout.form.flatMap((path) => all.find((l) => l.path === path) ?? [])
    return [...named, ...all.filter((l) => l.required && !res.named_by.includes(l.path) && !named.includes(l))]
  }
  const first = new Set([...res.named_by, ...columnsOf(res).map((l) => l.path)])
  return all.filter((l) => (l.required || first.has(l.path) || l.name === 'body') && l.kind !== 'tags' && l.path !== 'last_contacted_at')
}

// A record that is begun from another, such as the deal of a contact, is another draft than one that is begun by itself.
const draftOf = (res: Resource, preset: Given) =>
  ['new', res.name, ...Object.entries(preset).map(([path, { value }]) => `${path}=${value}`)].join('.')

// knownOf is what a new record has where nobody says otherwise: it belongs to who makes it, in the currency of the business, and of a few
// values has the one that the schema names.
function knownOf(res: Resource, me: Me): Given {
  const known: Given = {}
  for (const l of creatable(res)) {
    if (res.own.includes(l.path)) known[l.path] = { value: me.user.id, picked: { id: me.user.id, name: me.user.name } }
    if (l.path === 'currency') known[l.path] = { value: me.business.currency }
  }
  for (const l of usual(res)) if ((l.options || l.kind === 'boolean') && l.default !== undefined) known[l.path] = { value: l.default }
  return known
}

export function CreateDialog({ res, onClose, preset = {}, onCreated }: MakingProps) {
  const { me, schema } = useApp()
  const known = knownOf(res, me)
  const [given, setGiven, clear, restored] = useDraft<Given>(draftOf(res, preset), preset)
  const [round, setRound] = useState(0) // what is discarded goes from fields that keep a text of their own, too
  const [wrong, setWrong] = useState<Record<string, string>>({})
  const [all, setAll] = useState(false)
  const [busy, setBusy] = useState(false)
  const [made, setMade] = useState<Rec | null>(null)
  const client = useQueryClient()
  const notice = useNotice()
  const { explain } = useEditing()
  const { imply } = useKinds()[res.name] ?? {}
  // What follows from what was given, or holds where nothing was, is no draft of somebody.
  const [implied, setImplied] = useState<Given>({})
  const [brought, setBrought] = useState<Given>({})
  const following = useRef<Promise<Given[]>>(undefined)
  const follow = (now: Given, changed?: string) => {
    following.current = Promise.all([imply?.(client, now, changed) ?? {}, broughtBy(client, res, now, schema.resources)])
    following.current.then(([implied, brought]) => {
      setImplied(implied)
      setBrought(brought)
    }, explain)
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is what the form begins with, and again when it is emptied.
  useEffect(() => follow(given), [round])
  const values: Given = { ...known, ...implied, ...brought, ...given }
  const give = (path: string, value: unknown, picked?: Picked | null) => {
    const next = { ...given, [path]: { value, picked } }
    if (path in implied) for (const other of Object.keys(implied)) if (other !== path) delete next[other]
    setGiven(next)
    if (path in wrong) setWrong(({ [path]: _, ...rest }) => rest)
    follow(next, path)
  }
  const meant = useMeant(res, (path) => given[path]?.value)
  const shown = all
    ? creatable(res)
    : [...usual(res), ...creatable(res).filter((l) => (l.path in known || l.path in given || l.path in wrong) && !usual(res).includes(l))]
  const leave = (made: Rec) => {
    notice({ text: t('created', { name: titleOf(res, made) }) })
    clear()
    onClose()
    if (onCreated) onCreated(made)
    else go(pathTo(res, made.id))
  }
  const save = async () => {
    setBusy(true)
    setWrong({})
    try {
      const body: Record<string, unknown> = {}
      // Who is faster than what follows from what they gave gets it nevertheless.
      const [implied, brought] = (await following.current) ?? []
      for (const [path, { value }] of Object.entries({ ...known, ...implied, ...brought, ...given })) {
        if (value === null || value === undefined) continue
        const parts = path.split('.')
        if (parts.length === 1) body[path] = value
        else body[parts[0]] = { ...(body[parts[0]] as object | undefined), [parts[1]]: value }
      }
      const made = await call<Rec>('POST', res.path, body)
      void refresh(client)
      if (onceOf(res, made).length) setMade(made)
      else leave(made)
    } catch (error) {
      if (error instanceof Problem && error.errors.length)
        setWrong(Object.fromEntries(error.errors.map((e) => [e.field, refusalOf(e, res)])))
      else explain(error)
      setBusy(false)
    }
  }
  const elsewhere = Object.entries(wrong).filter(([field]) => !creatable(res).some((l) => l.path === field))
  if (made)
    return (
      <Suspense>
        <SecretDialog
          secret={{ title: t('created', { name: titleOf(res, made) }), about: t('onceApp'), values: onceOf(res, made) }}
          onClose={() => leave(made)}
        />
      </Suspense>
    )
  return (
    <Dialog title={newLabel(res)} onClose={onClose} wide>
      <form
        className="stack"
        onSubmit={(e) => {
          e.preventDefault()
          // One may be making what another form is to refer to.
          e.stopPropagation()
          void save()
        }}
        noValidate
      >
        {restored && (
          <DraftBack
            onDiscard={() => {
              clear()
              setRound((n) => n + 1)
            }}
          />
        )}
        {elsewhere.length > 0 && (
          <p className="note-bad" role="alert">
            {elsewhere.map(([, says]) => says).join(' ')}
          </p>
        )}
        <div className="form-grid" key={round}>
          {shown.map((l, i) => (
            <Labelled
              key={l.path}
              leaf={all && l.group ? { ...l, label: labelOf(l), group: undefined } : l}
              value={l.path in values ? values[l.path].value : (l.default ?? null)}
              shownAs={values[l.path]?.picked?.name}
              error={wrong[l.path]}
              autoFocus={i === 0}
              brief={!l.custom && !res.feature}
              onChange={(value, picked) => give(l.path, value, picked)}
            />
          ))}
        </div>
        {leaves(res).map((l) => {
          const items = l.kind === 'list' && values[l.path]?.value
          return Array.isArray(items) && <p key={l.path}>{t('takenOver', { field: l.label, count: items.length })}</p>
        })}
        <Meant res={res} records={meant} onOpen={onClose} />
        {!all && creatable(res).length > shown.length && (
          <Button look="quiet" onPress={() => setAll(true)}>
            {t('allFields')}
          </Button>
        )}
        <footer className="dialog-foot">
          <Button
            onPress={() => {
              clear()
              onClose()
            }}
          >
            {t('cancel')}
          </Button>
          <Button look="primary" type="submit" isDisabled={busy}>
            {t(meant.length ? 'createAnyway' : 'create')}
          </Button>
        </footer>
      </form>
    </Dialog>
  )
}
