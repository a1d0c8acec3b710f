// The board of deals: the stages of a pipeline, each with what its deals come to; who moves one to a lost stage is asked why.

import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { changeCached, refresh } from '../api/cache'
import { call, type Rec, tell } from '../api/call'
import type { Deal, Pipeline } from '../api/records'
import { shortDate, shortMoney } from '../i18n/format'
import { t } from '../i18n/translate'
import { type BoardColumn, type BoardParts, type BoardProps, Columns, MainSum, useMoves } from '../records/board'
import { merged, useEditing } from '../records/edit'
import { useUndo } from '../records/jobs'
import { leaf, titleOf } from '../schema/schema'
import { Empty, Icon, useNotice } from '../ui/components'
import { LoseDialog, type Loss } from './lose'
import { usePipelines } from './stages'

const staleAfter = 30 * 86_400_000

export default function Board(props: BoardProps) {
  const pipelines = usePipelines()
  const [chosen, setChosen] = useState<string | null>(() => localStorage.getItem('kith.pipeline'))
  const pipeline = pipelines.find((p) => p.id === chosen) ?? pipelines.find((p) => p.is_default) ?? pipelines[0]
  if (!pipeline) return <Empty icon="board" title={t('noPipeline')} />
  return (
    <div className="board-frame">
      {pipelines.length > 1 && (
        <label className="pipeline">
          <span className="soft">{t('pipeline')}</span>
          <select
            className="input"
            value={pipeline.id}
            onChange={(e) => {
              localStorage.setItem('kith.pipeline', e.target.value)
              setChosen(e.target.value)
            }}
          >
            {pipelines.map((p) => (
              <option key={p.id} value={p.id}>
                {p.name}
              </option>
            ))}
          </select>
        </label>
      )}
      <Stages key={pipeline.id} {...props} pipeline={pipeline} />
    </div>
  )
}

function Stages({ res, filters, q, sort, pipeline }: BoardProps & { pipeline: Pipeline }) {
  const client = useQueryClient()
  const notice = useNotice()
  const { explain } = useEditing()
  const undo = useUndo()
  const { moves, carry } = useMoves(res)
  const [losing, setLosing] = useState<{ deal: Rec; stage: BoardColumn } | null>(null)
  const columns = pipeline.stages.map(
    (s): BoardColumn => ({
      id: s.id,
      value: s.id,
      name: s.name,
      colour: s.colour,
      kind: s.kind ?? 'open',
      sort: s.kind === 'open' ? { by: 'expected_close_date', down: false } : { by: 'closed_at', down: true },
    }),
  )
  const move = (deal: Rec, stage: BoardColumn, loss?: Loss) =>
    carry(deal, stage.id, async () => {
      const from = columns.find((c) => c.id === deal.stage_id)
      const { answer, request } = await tell<Rec>(
        'POST',
        `${res.path}/${deal.id}/${loss ? 'lose' : 'change_stage'}`,
        loss ?? { stage_id: stage.id },
        { match: deal.version },
      )
      const name = titleOf(res, deal)
      notice({
        text: t('movedTo', { name, column: stage.name }),
        undo: () => undo(request, t('putBackTo', { name, column: from?.name ?? '' })),
      })
      changeCached(client, res.name, deal.id, (kept) => merged(kept, answer, res))
    })
  const reopen = async (deal: Rec) => {
    try {
      await call('POST', `${res.path}/${deal.id}/reopen`, {}, { match: deal.version })
    } catch (error) {
      explain(error)
    }
    void refresh(client, res.name)
  }
  const parts: BoardParts = {
    asks: ['company_id', 'contact_id', 'amount', 'expected_close_date', 'status', 'stage_changed_at'],
    metrics: ['sum:amount', 'sum:weighted_amount'],
    Body,
    Sums,
    extras: (deal, stage) => (stage.kind === 'open' ? [] : [{ id: 'reopen', text: t('reopen'), run: () => void reopen(deal) }]),
  }
  return (
    <>
      <Columns
        res={res}
        by={leaf(res, 'stage_id')!}
        label={pipeline.name}
        columns={columns}
        filters={[{ field: 'pipeline_id', operator: 'eq', value: pipeline.id }, ...filters]}
        q={q}
        sort={sort}
        moves={moves}
        standsIn={(deal) => String(deal.stage_id)}
        mayGo={(deal) => columns.find((c) => c.id === deal.stage_id)?.kind === 'open'}
        onMove={(deal, stage) => (stage.kind === 'lost' ? setLosing({ deal, stage }) : void move(deal, stage))}
        parts={parts}
      />
      {losing && (
        <LoseDialog
          name={titleOf(res, losing.deal)}
          onClose={() => setLosing(null)}
          onDone={(loss) => {
            setLosing(null)
            void move(losing.deal, losing.stage, loss)
          }}
        />
      )}
    </>
  )
}

const Sums: BoardParts['Sums'] = ({ rows, column }) => (
  <MainSum rows={rows}>
    {(main) =>
      column.kind === 'open' && main['sum:weighted_amount'] ? (
        <span className="soft">{t('weighted', { sum: shortMoney(String(main['sum:weighted_amount']), main.currency) })}</span>
      ) : null
    }
  </MainSum>
)

// Whom it is with, and when it is to close: what is late or stands still says so.
const Body: BoardParts['Body'] = ({ record, column }) => {
  const deal = record as unknown as Deal
  const open = column.kind === 'open'
  const today = new Date().toISOString().slice(0, 10)
  const late = open && deal.expected_close_date && deal.expected_close_date < today
  const stale = open && deal.stage_changed_at && Date.now() - new Date(deal.stage_changed_at).getTime() > staleAfter
  const name = deal.company?.name ?? deal.contact?.name
  return (
    <>
      {name && (
        <p className="soft">
          <bdi>{name}</bdi>
        </p>
      )}
      {late ? (
        <p className="flag bad">
          <Icon name="clock" size={12} />
          <span>{t('overdue', { date: shortDate(deal.expected_close_date!) })}</span>
        </p>
      ) : stale ? (
        <p className="flag careful">
          <span>{t('stale')}</span>
        </p>
      ) : open && deal.expected_close_date ? (
        <p className="flag soft">{shortDate(deal.expected_close_date)}</p>
      ) : null}
    </>
  )
}
