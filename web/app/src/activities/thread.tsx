// The answers to a note, under it: the oldest first, and a box for another one.

import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import '../i18n/messages/more'
import { refresh } from '../api/cache'
import { call } from '../api/call'
import { formatTime } from '../i18n/format'
import { t } from '../i18n/translate'
import { MentionBox, withIDs } from '../inbox/mention-box'
import { useDraft } from '../records/drafts'
import { useEditing } from '../records/edit'
import type { AnswersProps } from '../records/kinds'
import { useUsers } from '../records/names'
import { Button, Icon, useNotice } from '../ui/components'
import { RichText } from '../ui/rich-text'
import './thread.css'

// mostShown is how many answers are shown before one asks for those before them.
const mostShown = 3

export function Thread({ res, to, answers, meant }: AnswersProps) {
  const users = useUsers()
  const [text, change, clear, restored] = useDraft(`answer.${to.id}`, '')
  const [writing, setWriting] = useState(restored)
  const [whole, setWhole] = useState(false)
  const [busy, setBusy] = useState(false)
  const box = useRef<HTMLTextAreaElement>(null)
  const foot = useRef<HTMLDivElement>(null)
  const client = useQueryClient()
  const notice = useNotice()
  const { explain } = useEditing()
  const able = res.permissions.write !== 'none' && res.operations.includes('create')
  const all = whole || answers.length <= mostShown || answers.slice(0, -mostShown).some((a) => a.id === meant)
  const shown = all ? answers : answers.slice(-mostShown)
  // Who begins writes at once; what was begun earlier waits until it is gone to.
  const begun = useRef(false)
  useEffect(() => {
    if (writing && begun.current) box.current?.focus()
    begun.current = true
  }, [writing])
  const leave = () => {
    setWriting(false)
    requestAnimationFrame(() => foot.current?.querySelector('button')?.focus())
  }
  const save = async () => {
    if (!text.trim()) return box.current?.focus()
    setBusy(true)
    try {
      await call('POST', res.path, { body: withIDs(text.trim(), users), in_reply_to_id: to.id })
      clear()
      leave()
      notice({ text: t('answerAdded') })
      await client.invalidateQueries({ queryKey: ['timeline'] })
      void refresh(client, res.name)
    } catch (error) {
      explain(error, res)
    }
    setBusy(false)
  }
  if (answers.length === 0 && !able) return null
  return (
    <div className="thread">
      {!all && (
        <button type="button" className="unfold" onClick={() => setWhole(true)}>
          {t('earlierAnswers', { count: answers.length - shown.length })}
        </button>
      )}
      {shown.length > 0 && (
        <ol aria-label={t('answers')}>
          {shown.map((a) => (
            <li key={a.id} id={a.id} className={a.id === meant ? 'meant' : undefined}>
              <p className="event-head">
                <bdi className="strong">{(a.owner_id && users.get(a.owner_id as string)) || t('somebody')}</bdi>{' '}
                <time dateTime={a.created_at as string}>{formatTime(a.created_at as string)}</time>
              </p>
              <RichText text={(a.body ?? a.title ?? '') as string} names={users} />
            </li>
          ))}
        </ol>
      )}
      {able && (
        <div ref={foot}>
          {writing ? (
            <form
              noValidate
              className="stack tight"
              onSubmit={(e) => {
                e.preventDefault()
                void save()
              }}
            >
              <MentionBox
                box={box}
                people={users}
                className="input"
                dir="auto"
                rows={2}
                aria-label={t('answer')}
                placeholder={t('hint.answer')}
                value={text}
                onText={change}
                onKeyDown={(e) => {
                  if (e.key === 'Escape') leave()
                  else if (e.key === 'Enter' && (e.ctrlKey || e.metaKey)) void save()
                  else return
                  e.preventDefault()
                }}
              />
              <div className="composer-foot">
                <span className="grow" />
                <Button onPress={leave}>{t('close')}</Button>
                <Button look="primary" type="submit" isDisabled={busy}>
                  {t('save.answer')}
                </Button>
              </div>
            </form>
          ) : (
            <Button look="quiet" className="reply" onPress={() => setWriting(true)}>
              <Icon name="undo" size={14} />
              {t('answer')}
            </Button>
          )}
        </div>
      )}
    </div>
  )
}
