// What can be added to the timeline of a record without leaving it: a note, a call, a meeting, a task.

import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { refresh } from '../api/cache'
import { call, type Rec } from '../api/call'
import { useApp } from '../api/context'
import { t } from '../i18n/translate'
import { MentionBox, withIDs } from '../inbox/mention-box'
import { useDraft } from '../records/drafts'
import { useEditing } from '../records/edit'
import { fromLocal } from '../records/fields'
import { useUsers } from '../records/names'
import { leaves, type Resource } from '../schema/schema'
import { Button, Icon, useNotice } from '../ui/components'
import { MomentInput } from '../ui/day-input'

type Way = 'note' | 'call' | 'meeting' | 'task'

const kindOf = (way: Way) => (way === 'call' || way === 'meeting' ? 'activity' : way)

// useWays are those of what can be added to a record by whoever uses the app.
function useWays(res: Resource): Way[] {
  const { schema } = useApp()
  if (!res.operations.includes('timeline')) return []
  return (['note', 'call', 'meeting', 'task'] as Way[]).filter((way) => {
    const r = schema.resources.find((x) => x.name === kindOf(way))
    return r && r.permissions.write !== 'none' && leaves(r).some((l) => l.target === res.name && !l.read_only && l.path !== 'owner_id')
  })
}

// Buttons elsewhere on the page open the composer.
const listeners = new Set<(way: Way) => void>()
export const begin = (way: Way) => {
  for (const listener of listeners) listener(way)
}

// On a phone the first of them is at the bottom, and the others are at the top.
const ofPart = { all: ['note', 'meeting', 'task'], thumb: ['note', 'task'], top: ['meeting'] }

export function ComposeButtons({ res, part = 'all' }: { res: Resource; part?: keyof typeof ofPart }) {
  const able = useWays(res)
  return able
    .filter((way) => ofPart[part].includes(way))
    .map((way) => (
      <Button key={way} icon={way} className={`compose-${way}`} onPress={() => begin(way)}>
        {t(`begin.${way}`)}
      </Button>
    ))
}

export function Composer({ res, record }: { res: Resource; record: Rec }) {
  const { schema } = useApp()
  const able = useWays(res)
  const [{ way, text, due }, change, clear] = useDraft<{ way: Way; text: string; due: string }>(`add.${record.id}`, {
    way: able[0],
    text: '',
    due: '',
  })
  const [busy, setBusy] = useState(false)
  const users = useUsers()
  const box = useRef<HTMLTextAreaElement>(null)
  const client = useQueryClient()
  const notice = useNotice()
  const { explain } = useEditing()
  useEffect(() => {
    const open = (next: Way) => {
      if (!able.includes(next)) return
      change((now) => ({ ...now, way: next }))
      box.current?.focus()
      // On a phone its lower half goes to the keyboard.
      if (matchMedia('(max-width: 44rem)').matches) box.current?.form?.scrollIntoView({ block: 'start' })
      else box.current?.scrollIntoView({ block: 'center' })
    }
    listeners.add(open)
    return () => void listeners.delete(open)
  }, [change, able])
  if (able.length === 0) return null
  const save = async () => {
    if (!text.trim()) return box.current?.focus()
    setBusy(true)
    const about = {
      [`${res.name}_id`]: record.id,
      ...(res.name !== 'company' && record.company_id ? { company_id: record.company_id } : {}),
      ...(res.name === 'deal' && record.contact_id ? { contact_id: record.contact_id } : {}),
    }
    const [subject, ...rest] = text.trim().split('\n')
    const more = rest.join('\n').trim()
    try {
      if (way === 'note') await call('POST', '/v1/notes', { body: withIDs(text.trim(), users), ...about })
      if (way === 'call' || way === 'meeting')
        await call('POST', '/v1/activities', {
          activity_type: way,
          ...(way === 'call' ? { direction: 'outbound' } : {}),
          ...(way === 'meeting' && due ? { occurred_at: fromLocal(due) } : {}),
          subject,
          ...(more ? { body: more } : {}),
          ...about,
        })
      if (way === 'task')
        await call('POST', '/v1/tasks', {
          title: subject,
          ...(more ? { description: more } : {}),
          ...(due ? { due_at: fromLocal(due) } : {}),
          ...about,
        })
      clear()
      change((now) => ({ ...now, way }))
      notice({ text: t(`added.${way}`) })
      void client.invalidateQueries({ queryKey: ['timeline', record.id] })
      void client.invalidateQueries({ queryKey: ['record', res.name, record.id] })
      void refresh(client)
    } catch (error) {
      explain(
        error,
        schema.resources.find((r) => r.name === kindOf(way)),
      )
    }
    setBusy(false)
  }
  return (
    <form
      className="panel composer"
      onSubmit={(e) => {
        e.preventDefault()
        void save()
      }}
      noValidate
    >
      <div className="segments" role="group" aria-label={t('whatToAdd')}>
        {able.map((w) => (
          <button
            key={w}
            type="button"
            aria-pressed={way === w}
            onClick={() => {
              change((now) => ({ ...now, way: w }))
              box.current?.focus()
            }}
          >
            <Icon name={w} />
            {t(`add.${w}`)}
          </button>
        ))}
      </div>
      <MentionBox
        box={box}
        people={way === 'note' ? users : undefined}
        className="input"
        dir="auto"
        rows={2}
        aria-label={t(`add.${way}`)}
        placeholder={t(`hint.${way}`)}
        value={text}
        onText={(text) => change((now) => ({ ...now, text }))}
        onKeyDown={(e) => {
          if (e.key !== 'Enter' || !(e.ctrlKey || e.metaKey)) return
          e.preventDefault()
          void save()
        }}
      />
      <div className="composer-foot">
        {(way === 'task' || way === 'meeting') && (
          <span className="due">
            <span aria-hidden>{t(way === 'task' ? 'due' : 'when')}</span>
            <MomentInput
              className="input"
              aria-label={t(way === 'task' ? 'due' : 'when')}
              value={due}
              onText={(due) => change((now) => ({ ...now, due }))}
            />
          </span>
        )}
        <span className="grow" />
        <Button look="primary" type="submit" isDisabled={busy}>
          {t(`save.${way}`)}
        </Button>
      </div>
    </form>
  )
}
