// The stages of a deal as steps: where it is, for how long, and one click to another.

import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { refresh } from '../api/cache'
import { tell } from '../api/call'
import type { Deal } from '../api/records'
import { t } from '../i18n/translate'
import { useEditing } from '../records/edit'
import { useUndo } from '../records/jobs'
import type { RecordProps } from '../records/kinds'
import { useNotice } from '../ui/components'
import { usePipelines } from './stages'
import { daysIn } from './stays'

export default function Stepper({ res, record, canWrite }: RecordProps) {
  const deal = record as Deal
  const client = useQueryClient()
  const notice = useNotice()
  const undo = useUndo()
  const { explain } = useEditing()
  const [going, setGoing] = useState<string | null>(null)
  const stages = usePipelines().find((p) => p.stages.some((s) => s.id === deal.stage_id))?.stages ?? []
  const shown = stages.filter((s) => s.kind === 'open' || s.id === deal.stage_id)
  const at = going ?? deal.stage_id
  const place = shown.findIndex((s) => s.id === at)
  const days = deal.stage_changed_at ? Math.floor((Date.now() - new Date(deal.stage_changed_at).getTime()) / 86_400_000) : 0
  const past = daysIn(deal.past_stages)
  // How long it was in a stage, together with what it is in it now.
  const spent = (id: string) => Math.floor(past.get(id) ?? 0) + (id === deal.stage_id ? days : 0)
  const move = async (id: string, name: string) => {
    setGoing(id)
    try {
      const { request } = await tell('POST', `${res.path}/${deal.id}/change_stage`, { stage_id: id }, { match: deal.version })
      notice({ text: t('movedTo', { name: deal.name, column: name }), undo: () => undo(request) })
    } catch (error) {
      explain(error)
    }
    await refresh(client)
    setGoing(null)
  }
  // On a phone not all stages fit beside each other. Only their row is scrolled, and not the page.
  const row = useRef<HTMLOListElement>(null)
  const drawn = shown.length > 0
  // biome-ignore lint/correctness/useExhaustiveDependencies: where the deal is stands in sight, whenever it is another stage.
  useEffect(() => {
    const here = row.current?.querySelector<HTMLElement>('.here')
    if (here) row.current!.scrollLeft = here.offsetLeft - (row.current!.clientWidth - here.offsetWidth) / 2
  }, [at, drawn])
  if (!drawn) return null
  return (
    <ol ref={row} className="stepper" aria-label={t('stages')}>
      {shown.map((s, i) => {
        const here = s.id === at
        const text = (
          <>
            <bdi>{s.name}</bdi>
            {!going && spent(s.id) > 0 && <span className="days">{t('daysHere', { count: spent(s.id) })}</span>}
          </>
        )
        return (
          <li
            key={s.id}
            className={`step ${here ? 'here' : i < place ? 'past' : 'ahead'} is-${s.kind}`}
            aria-current={here ? 'step' : undefined}
          >
            {canWrite && deal.status === 'open' && !here ? (
              <button
                type="button"
                aria-label={t('moveToColumn', { column: s.name })}
                onClick={() => void move(s.id, s.name)}
                disabled={!!going}
              >
                {text}
              </button>
            ) : (
              <span>{text}</span>
            )}
          </li>
        )
      })}
    </ol>
  )
}
