// Deals in the stages of a pipeline: moved by mouse, finger, keys or a menu.

import {
  DndContext,
  type DragEndEvent,
  DragOverlay,
  type KeyboardCoordinateGetter,
  KeyboardSensor,
  MouseSensor,
  TouchSensor,
  useDraggable,
  useDroppable,
  useSensor,
  useSensors,
} from '@dnd-kit/core'
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { changeCached, refresh, useMore } from '../api/cache'
import { call, type Filter, type Page, tell } from '../api/call'
import { useApp } from '../api/context'
import type { Deal, Pipeline, Stage } from '../api/records'
import { formatMoney, shortDate, shortMoney } from '../i18n/format'
import { t } from '../i18n/translate'
import { merged, useEditing } from '../records/edit'
import { pathTo, Shown } from '../records/fields'
import { useUndo } from '../records/jobs'
import { at, leaf, leaves, projection, type Resource, reaches, titleOf } from '../schema/schema'
import { Avatar, Button, Chip, Empty, Icon, Menu, MenuItem, useNotice } from '../ui/components'
import { go, Link } from '../ui/route'
import { LoseDialog, type Loss } from './lose'
import { usePipelines } from './stages'

const staleAfter = 30 * 86_400_000

export default function Board({ res, filters, q }: { res: Resource; filters: Filter[]; q: string }) {
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
      <Columns key={pipeline.id} res={res} pipeline={pipeline} filters={filters} q={q} />
    </div>
  )
}

type Sum = { stage_id: string; currency: string; count: number; 'sum:amount': string | null; 'sum:weighted_amount': string | null }

function Columns({ res, pipeline, filters, q }: { res: Resource; pipeline: Pipeline; filters: Filter[]; q: string }) {
  const client = useQueryClient()
  const notice = useNotice()
  const { explain } = useEditing()
  const undo = useUndo()
  const [moves, setMoves] = useState<Map<string, string>>(new Map())
  const [lifted, setLifted] = useState<Deal | null>(null)
  const fresh = useRef(false)
  const [losing, setLosing] = useState<{ deal: Deal; stage: Stage } | null>(null)
  const narrowed = {
    filters: [{ field: 'pipeline_id', operator: 'eq', value: pipeline.id }, ...filters],
    ...(q.trim() ? { search_text: q.trim() } : {}),
  }
  const sums = useQuery({
    queryKey: ['figures', res.name, JSON.stringify(narrowed)],
    queryFn: async () =>
      (
        await call<{ data: Sum[] }>('POST', res.path + '/aggregate', {
          ...narrowed,
          group_by: ['stage_id'],
          metrics: ['count', 'sum:amount', 'sum:weighted_amount'],
        })
      ).data,
  })
  const sensors = useSensors(
    useSensor(MouseSensor, { activationConstraint: { distance: 6 } }),
    useSensor(TouchSensor, { activationConstraint: { delay: 200, tolerance: 8 } }),
    useSensor(KeyboardSensor, {
      coordinateGetter: toNextColumn,
      keyboardCodes: { start: ['Space'], cancel: ['Escape'], end: ['Space', 'Enter'] },
    }),
  )
  const stageName = (id?: string | number) => pipeline.stages.find((s) => s.id === id)?.name ?? ''

  const move = async (deal: Deal, stage: Stage, loss?: Loss) => {
    const from = moves.get(deal.id) ?? deal.stage_id
    if (from === stage.id) return
    setMoves((m) => new Map(m).set(deal.id, stage.id))
    const forget = () =>
      setMoves((m) => {
        m.delete(deal.id)
        return new Map(m)
      })
    try {
      const { answer, request } = await tell<Deal>(
        'POST',
        `${res.path}/${deal.id}/${loss ? 'lose' : 'change_stage'}`,
        loss ?? { stage_id: stage.id },
        { match: deal.version },
      )
      notice({
        text: t('movedTo', { name: titleOf(res, deal), stage: stage.name }),
        undo: () => undo(request, t('putBackTo', { name: titleOf(res, deal), stage: stageName(from) })),
      })
      changeCached(client, res.name, deal.id, (kept) => merged(kept, answer, res))
      await refresh(client, res.name)
      void client.invalidateQueries({ queryKey: ['record', res.name, deal.id] })
      forget()
    } catch (error) {
      forget()
      void refresh(client, res.name)
      explain(error)
    }
  }
  const want = (deal: Deal, stage: Stage) => (stage.kind === 'lost' ? setLosing({ deal, stage }) : void move(deal, stage))
  const reopen = async (deal: Deal) => {
    try {
      await call('POST', `${res.path}/${deal.id}/reopen`, {}, { match: deal.version })
    } catch (error) {
      explain(error)
    }
    void refresh(client, res.name)
  }
  const onDragEnd = ({ active, over }: DragEndEvent) => {
    setLifted(null)
    const stage = over && pipeline.stages.find((s) => s.id === over.id)
    const deal = active.data.current?.deal as Deal | undefined
    if (deal && stage) want(deal, stage)
  }
  const named = (id: string | number) => (lifted?.id === id ? titleOf(res, lifted) : '')
  return (
    <DndContext
      sensors={sensors}
      onDragStart={(e) => setLifted(e.active.data.current?.deal ?? null)}
      onDragCancel={() => setLifted(null)}
      onDragEnd={onDragEnd}
      accessibility={{
        screenReaderInstructions: { draggable: t('dragHelp') },
        announcements: {
          onDragStart: ({ active }) => {
            fresh.current = true
            return t('lifted', { name: titleOf(res, active.data.current?.deal) })
          },
          // Where it was lifted from is no news, and would talk over the news that it is lifted.
          onDragOver: ({ over }) => {
            if (!fresh.current) return over ? t('overStage', { stage: stageName(over.id) }) : t('overNothing')
            fresh.current = false
          },
          onDragEnd: ({ over }) => (over ? t('dropped', { stage: stageName(over.id) }) : t('putBack')),
          onDragCancel: ({ active }) => t('putBack') + ' ' + named(active.id),
        },
      }}
    >
      <div className="board" role="region" aria-label={pipeline.name} tabIndex={0}>
        {pipeline.stages.map((stage) => (
          <Column
            key={stage.id}
            res={res}
            stage={stage}
            stages={pipeline.stages}
            narrowed={narrowed}
            moves={moves}
            lifted={lifted?.id}
            sums={sums.data?.filter((s) => s.stage_id === stage.id) ?? []}
            onMove={want}
            onReopen={reopen}
          />
        ))}
      </div>
      <DragOverlay dropAnimation={null}>
        {lifted && (
          <article className="card lifted">
            <p className="strong">
              <bdi>{titleOf(res, lifted)}</bdi>
            </p>
          </article>
        )}
      </DragOverlay>
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
    </DndContext>
  )
}

// toNextColumn moves what is lifted by keys from column to column.
const toNextColumn: KeyboardCoordinateGetter = (event, { currentCoordinates, context }) => {
  if (event.code !== 'ArrowLeft' && event.code !== 'ArrowRight') return undefined
  event.preventDefault()
  const columns = [...context.droppableRects.entries()].sort((a, b) => a[1].left - b[1].left)
  const here = context.over?.id ?? context.active?.data.current?.deal.stage_id
  const at = columns.findIndex(([id]) => id === here)
  const next = columns[Math.max(0, Math.min(columns.length - 1, at + (event.code === 'ArrowRight' ? 1 : -1)))]
  if (!next) return undefined
  document.querySelector(`[data-stage="${next[0]}"]`)?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  return { x: next[1].left + 16, y: currentCoordinates.y }
}

function Column({
  res,
  stage,
  stages,
  narrowed,
  moves,
  lifted,
  sums,
  onMove,
  onReopen,
}: {
  res: Resource
  stage: Stage
  stages: Stage[]
  narrowed: { filters: Filter[] }
  moves: Map<string, string>
  lifted?: string
  sums: Sum[]
  onMove: (deal: Deal, stage: Stage) => void
  onReopen: (deal: Deal) => void
}) {
  const { schema, me } = useApp()
  const client = useQueryClient()
  const { setNodeRef, isOver } = useDroppable({ id: stage.id })
  const shown = [
    ...['company_id', 'contact_id', 'amount', 'expected_close_date', 'owner_id', 'stage_id', 'stage_changed_at'].flatMap(
      (p) => leaf(res, p) ?? [],
    ),
    ...ownFields(res),
  ]
  const question = JSON.stringify(narrowed)
  const list = useInfiniteQuery({
    queryKey: ['list', res.name, 'board', stage.id, question],
    initialPageParam: '',
    queryFn: ({ pageParam }) =>
      call<Page<Deal>>('POST', res.path + '/search', {
        ...narrowed,
        filters: [{ field: 'stage_id', operator: 'eq', value: stage.id }, ...narrowed.filters],
        fields: projection(res, shown, schema.resources),
        limit: 50,
        ...(stage.kind === 'open'
          ? { order_by: 'expected_close_date', sort_direction: 'asc' }
          : { order_by: 'closed_at', sort_direction: 'desc' }),
        ...(pageParam ? { cursor: pageParam } : {}),
      }),
    getNextPageParam: (page) => page.meta.cursor.next ?? undefined,
  })
  const own = useMemo(() => list.data?.pages.flatMap((p) => p.data) ?? [], [list.data])
  // What is being moved stands where it goes to at once, and what others moved where it is by now, wherever it was loaded.
  const here = (d: Deal) => (moves.get(d.id) ?? d.stage_id) === stage.id
  const loaded = new Set(own.map((d) => d.id))
  const elsewhere = new Map(
    client
      .getQueriesData<{ pages: Page<Deal>[] }>({ queryKey: ['list', res.name, 'board'], predicate: (q) => q.queryKey[4] === question })
      .flatMap(([, d]) => d?.pages.flatMap((p) => p.data) ?? [])
      .filter((d) => here(d) && !loaded.has(d.id))
      .map((d) => [d.id, d]),
  )
  const deals = [...elsewhere.values(), ...own.filter(here)]
  const loadMore = useMore(list)
  const count = sums.reduce((n, s) => n + s.count, 0)
  const main = sums.find((s) => s.currency === me.business.currency) ?? sums[0]
  return (
    <section ref={setNodeRef} data-stage={stage.id} className={`column ${stage.kind}${isOver ? ' over' : ''}`} aria-label={stage.name}>
      <header>
        <h2>
          <Chip color={stage.colour ?? undefined}>{stage.name}</Chip> <span className="count">{count}</span>
        </h2>
        <p className="sums">
          {main?.['sum:amount'] ? (
            <>
              <span className="strong" title={formatMoney(main['sum:amount'], main.currency)}>
                {shortMoney(main['sum:amount'], main.currency)}
              </span>
              {stage.kind === 'open' && main['sum:weighted_amount'] && (
                <span className="soft">{t('weighted', { sum: shortMoney(main['sum:weighted_amount'], main.currency) })}</span>
              )}
              {sums.length > 1 && <span className="soft">{t('otherCurrencies')}</span>}
            </>
          ) : (
            <span className="soft">–</span>
          )}
        </p>
      </header>
      {deals.length > 0 && (
        <Cards deals={deals} lifted={lifted} hasMore={list.hasNextPage} loadMore={loadMore}>
          {(d) => (
            <Card
              res={res}
              deal={d}
              stage={stage}
              stages={stages}
              canMove={reaches(res, res.permissions.write, d, me.user.id)}
              onMove={onMove}
              onReopen={onReopen}
            />
          )}
        </Cards>
      )}
      {list.isPending && (
        <ul className="cards-list">
          {[1, 2, 3].map((i) => (
            <li key={i} className="card">
              <span className="bone" />
            </li>
          ))}
        </ul>
      )}
      {!list.isPending && deals.length === 0 && <p className="none soft">{t('noDeals')}</p>}
    </section>
  )
}

// Cards are those of a column: of many only the ones in sight are in the page, and more are loaded as one comes to the end.
function Cards({
  deals,
  lifted,
  hasMore,
  loadMore,
  children,
}: {
  deals: Deal[]
  lifted?: string
  hasMore: boolean
  loadMore: () => void
  children: (deal: Deal) => ReactNode
}) {
  const scroller = useRef<HTMLDivElement>(null)
  const [focused, setFocused] = useState<string>()
  const kept = [...new Set([lifted, focused])].map((id) => deals.findIndex((d) => d.id === id)).filter((i) => i >= 0)
  const virtual = useVirtualizer({
    count: deals.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 112,
    gap: 8,
    overscan: 3,
    getItemKey: (i) => deals[i].id,
    // What is dragged or has the focus stays, or both would be lost on the way.
    // biome-ignore lint/correctness/useExhaustiveDependencies: the places are a new array each time.
    rangeExtractor: useCallback(
      (range: Parameters<typeof defaultRangeExtractor>[0]) =>
        [...new Set([...defaultRangeExtractor(range), ...kept])].sort((a, b) => a - b),
      [kept.join()],
    ),
  })
  const items = virtual.getVirtualItems()
  const lowest = items.at(-1)?.index ?? 0
  useEffect(() => {
    if (hasMore && lowest >= deals.length - 15) loadMore()
  }, [hasMore, lowest, deals.length, loadMore])
  return (
    <div ref={scroller} className="cards-scroll">
      <ul className="cards-list" style={{ height: virtual.getTotalSize() }}>
        {items.map((item) => (
          <li
            key={item.key}
            ref={virtual.measureElement}
            data-index={item.index}
            aria-posinset={item.index + 1}
            aria-setsize={hasMore ? -1 : deals.length}
            style={{ transform: `translateY(${item.start}px)` }}
            onFocus={() => setFocused(deals[item.index].id)}
          >
            {children(deals[item.index])}
          </li>
        ))}
      </ul>
    </div>
  )
}

// ownFields are the first fields that the business added itself; what they hold stands on the cards.
const ownFields = (res: Resource) =>
  leaves(res)
    .filter((l) => l.custom && l.kind !== 'long_text')
    .slice(0, 2)

function Card({
  res,
  deal,
  stage,
  stages,
  canMove,
  onMove,
  onReopen,
}: {
  res: Resource
  deal: Deal
  stage: Stage
  stages: Stage[]
  canMove: boolean
  onMove: (deal: Deal, stage: Stage) => void
  onReopen: (deal: Deal) => void
}) {
  const open = stage.kind === 'open'
  const { attributes, listeners, setNodeRef, setActivatorNodeRef, isDragging } = useDraggable({
    id: deal.id,
    data: { deal },
    disabled: !canMove || !open,
    attributes: { roleDescription: t('draggable') },
  })
  const today = new Date().toISOString().slice(0, 10)
  const late = open && deal.expected_close_date && deal.expected_close_date < today
  const stale = open && deal.stage_changed_at && Date.now() - new Date(deal.stage_changed_at).getTime() > staleAfter
  const title = titleOf(res, deal)
  return (
    <div ref={setNodeRef} className={`card${isDragging ? ' away' : ''}`} {...(canMove && open ? listeners : {})}>
      <p className="card-title">
        <Link to={pathTo(res, deal.id)} className="strong" draggable={false}>
          <bdi>{title}</bdi>
        </Link>
        {canMove && (
          <Menu
            label={t('moveTo')}
            trigger={<Button look="quiet" icon="more" label={t('moveOf', { name: title })} />}
            onAction={(key) => {
              if (key === 'reopen') return onReopen(deal)
              if (key === 'open') return go(pathTo(res, deal.id))
              onMove(deal, stages.find((s) => s.id === key)!)
            }}
          >
            <MenuItem id="open">{t('openIt')}</MenuItem>
            {open
              ? stages
                  .filter((s) => s.id !== stage.id)
                  .map((s) => (
                    <MenuItem key={s.id} id={s.id}>
                      {t('moveToStage', { stage: s.name })}
                    </MenuItem>
                  ))
              : [
                  <MenuItem key="reopen" id="reopen">
                    {t('reopen')}
                  </MenuItem>,
                ]}
          </Menu>
        )}
      </p>
      {(deal.company?.name || deal.contact?.name) && (
        <p className="soft">
          <bdi>{deal.company?.name ?? deal.contact?.name}</bdi>
        </p>
      )}
      {ownFields(res).some((l) => at(deal, l.path) !== undefined && at(deal, l.path) !== null) && (
        <p className="card-own soft">
          {ownFields(res).map((l) => {
            const value = at(deal, l.path)
            return value === undefined || value === null ? null : (
              <span key={l.path}>
                <span className="unseen">{l.label}: </span>
                <Shown leaf={l} record={deal} />
              </span>
            )
          })}
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
      <p className="card-foot">
        <span className="strong figure">{deal.amount ? formatMoney(deal.amount, deal.currency) : '–'}</span>
        <span className="grow" />
        {deal.owner?.name && (
          <span title={deal.owner.name}>
            <Avatar name={deal.owner.name} id={deal.owner_id ?? undefined} />
            <span className="unseen">{deal.owner.name}</span>
          </span>
        )}
        {canMove && open && (
          <button ref={setActivatorNodeRef} type="button" className="handle" {...attributes} aria-label={t('drag', { name: title })}>
            <Icon name="menu" size={12} />
          </button>
        )}
      </p>
    </div>
  )
}
