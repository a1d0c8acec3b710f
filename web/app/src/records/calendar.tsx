// A list of any resource as a calendar: its records on the days of a month, and on a phone below each other, day by day. They are moved to
// another day by mouse, finger or keys.

import { type KeyboardCoordinateGetter, pointerWithin, rectIntersection, useDroppable } from '@dnd-kit/core'
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { refresh } from '../api/cache'
import { call, type Filter, type Page, type Rec } from '../api/call'
import { useApp } from '../api/context'
import { formatDate } from '../i18n/format'
import { locale, t } from '../i18n/translate'
import { at, editable, type Leaf, linked, newLabel, plural, projection, type Resource, reaches, titleOf } from '../schema/schema'
import { colourOf } from '../ui/colours'
import { Button, Icon, useNarrow } from '../ui/components'
import { Link, root } from '../ui/route'
import { writeList } from './address'
import { Carrying, useCarried } from './carrying'
import { useEditing, whatWentWrong } from './edit'
import { useKinds } from './kinds'
import { daysLate, localDay } from './late'
import type { Given } from './making'
import { beginOf, dayAfter, firstDay, monthAfter, onDay, weeksOf } from './month'
import { pathTo } from './shown'
import './calendar.css'

// mostShown is how many records stand on a day of the month, and mostListed on one of the list of a phone.
const mostShown = 3
const mostListed = 20
// mostAsked is how many records a search finds at most; where there are more in a month, how many is told for each day.
const mostAsked = 100

type Props = {
  res: Resource
  by: Leaf
  // tinted is the field whose colour a record has.
  tinted?: Leaf
  filters: Filter[]
  q: string
  month?: string
  onMonth: (month?: string) => void
  onNew?: (given: Given) => void
}

// Days begin here where the clock of whoever looks does, and not where that of the business does.
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone

const spoken = (day: string, how: Intl.DateTimeFormatOptions) => new Date(`${day}T00:00:00`).toLocaleDateString(locale(), how)
const dayLabel = (day: string) => spoken(day, { weekday: 'long', day: 'numeric', month: 'long' })

export default function Calendar(props: Props) {
  const { res, by, tinted, filters, q, onMonth, onNew } = props
  const { schema, me } = useApp()
  const kind = useKinds()[res.name]
  const client = useQueryClient()
  const narrow = useNarrow()
  const { save } = useEditing()
  const today = localDay(new Date())
  const month = props.month ?? today.slice(0, 7)
  const weeks = weeksOf(month, firstDay(locale()))
  const days = weeks.flat()
  const moment = by.kind === 'datetime'
  const bound = (day: string) => (moment ? beginOf(day) : day)
  const within = (from: string, after: string): Filter[] => [
    { field: by.path, operator: 'gte', value: bound(from) },
    { field: by.path, operator: 'lt', value: bound(after) },
  ]
  const narrowed = {
    filters: [...filters, ...within(days[0], dayAfter(days.at(-1)!, 1))],
    ...(q.trim() ? { search_text: q.trim() } : {}),
  }
  const asks = [by, ...(tinted ? [tinted] : [])]
  const body = JSON.stringify({
    ...narrowed,
    fields: projection(res, asks, schema.resources),
    limit: mostAsked,
    ...(by.sortable ? { order_by: by.path, sort_direction: 'asc' } : {}),
  })
  const list = useInfiniteQuery({
    queryKey: ['list', res.name, 'calendar', body],
    initialPageParam: '',
    queryFn: () => call<Page>('POST', res.path + '/search', JSON.parse(body)),
    getNextPageParam: () => undefined,
    placeholderData: (before) => before,
  })
  const found = list.data?.pages.flatMap((p) => p.data) ?? []
  const more = !!list.data?.pages.at(-1)?.meta.cursor.next
  const counting = JSON.stringify({ ...narrowed, group_by: [`${by.path}:day`], metrics: ['count'], ...(moment ? { timezone: zone } : {}) })
  const counts = useQuery({
    queryKey: ['figures', res.name, 'calendar', counting],
    enabled: more,
    queryFn: async () => (await call<{ data: Record<string, unknown>[] }>('POST', res.path + '/aggregate', JSON.parse(counting))).data,
  })
  const dayOf = (record: Rec) => {
    const value = at(record, by.path) as string | null | undefined
    return value ? (moment ? localDay(value) : value) : undefined
  }
  const on = new Map<string, Rec[]>()
  for (const record of found) {
    const day = dayOf(record)
    if (day) on.set(day, [...(on.get(day) ?? []), record])
  }
  const countOf = (day: string) =>
    Math.max(on.get(day)?.length ?? 0, more ? Number(counts.data?.find((r) => r[`${by.path}:day`] === day)?.count ?? 0) : 0)

  const able = editable(res, by)
  const mayMove = (record: Rec) => able && reaches(res, res.permissions.write, record, me.user.id)
  const move = async (record: Rec, day: string) => {
    const value = at(record, by.path) as string
    if (dayOf(record) === day) return
    const saying = t('movedTo', { name: titleOf(res, record), column: formatDate(day) })
    await save({ res, record, leaf: by, value: moment ? onDay(value, day) : day }, { saying })
    void refresh(client, res.name)
  }
  // What begins on a day of which only the day is known begins in the morning.
  const begin = onNew && able ? (day: string) => onNew({ [by.path]: { value: moment ? beginOf(day, 9) : day } }) : undefined
  const look = (record: Rec) => {
    const option = tinted?.kind === 'select' ? tinted.options?.find((o) => o.value === at(record, tinted.path))?.colour : undefined
    const colour = option ?? (tinted?.kind === 'reference' ? linked(tinted, record, schema.resources)?.colour : undefined)
    const due = kind?.due?.by === by.path ? kind.due : undefined
    const done = !!due && !!res.states && !due.open.includes(String(at(record, res.states.field)))
    return {
      style: { '--bar': `var(--${colourOf(colour)})` } as object,
      className: `entry${done ? ' settled' : ''}${daysLate(res, due, record) > 0 ? ' late' : ''}`,
    }
  }
  const allOf = (day: string) =>
    `${root}/${plural(res)}${writeList({ q, filters: [...filters, ...within(day, dayAfter(day, 1))], layout: 'table' })}`
  const parts: Parts = { res, by, on, today, month, dayOf, countOf, mayMove, look, allOf, begin }
  return (
    <div className="calendar-frame">
      <header className="calendar-head">
        <h2 aria-live="polite">{spoken(`${month}-01`, { month: 'long', year: 'numeric' })}</h2>
        <Button look="quiet" icon="left" label={t('monthBefore')} onPress={() => onMonth(monthAfter(month, -1))} />
        <Button look="quiet" icon="right" label={t('monthAfter')} onPress={() => onMonth(monthAfter(month, 1))} />
        <Button isDisabled={month === today.slice(0, 7)} onPress={() => onMonth()}>
          {t('today')}
        </Button>
        {list.isError && <span className="note-bad">{whatWentWrong(list.error, res)}</span>}
      </header>
      {narrow ? (
        <Agenda {...parts} days={days.filter((d) => d.startsWith(month))} pending={list.isPending} />
      ) : (
        <Month {...parts} weeks={weeks} onMove={(r, day) => void move(r, day)} onMonth={onMonth} />
      )}
    </div>
  )
}

type Parts = {
  res: Resource
  by: Leaf
  on: Map<string, Rec[]>
  today: string
  month: string
  dayOf: (record: Rec) => string | undefined
  countOf: (day: string) => number
  mayMove: (record: Rec) => boolean
  look: (record: Rec) => { style: object; className: string }
  allOf: (day: string) => string
  begin?: (day: string) => void
}

function Month({
  weeks,
  onMove,
  onMonth,
  ...parts
}: Parts & { weeks: string[][]; onMove: (r: Rec, day: string) => void; onMonth: Props['onMonth'] }) {
  const { res, today, month } = parts
  const days = weeks.flat()
  const table = useRef<HTMLTableElement>(null)
  // Of the days one has the focus; the arrow keys go to the others.
  const [wanted, setWanted] = useState(today)
  const active = days.includes(wanted) ? wanted : `${month}-01`
  const onKeyDown = (e: KeyboardEvent, day: string) => {
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 }[e.key]
    const page = { PageUp: -1, PageDown: 1 }[e.key]
    if (!step && !page) return
    e.preventDefault()
    const next = step ? dayAfter(day, step) : `${monthAfter(day.slice(0, 7), page!)}-01`
    setWanted(next)
    if (!days.includes(next) || page) onMonth(next.slice(0, 7))
    requestAnimationFrame(() => table.current?.querySelector<HTMLElement>(`[data-new="${next}"]`)?.focus())
  }
  return (
    <Carrying
      res={res}
      help={t('dayDragHelp')}
      toNext={toNextDay}
      nameOf={dayLabel}
      nowhere={t('overNoDay')}
      collision={(args) => (args.pointerCoordinates ? pointerWithin(args) : rectIntersection(args))}
      onDrop={onMove}
      picture={(lifted) => (
        <span {...parts.look(lifted)}>
          <bdi>{titleOf(res, lifted)}</bdi>
        </span>
      )}
    >
      {(lifted) => (
        <div className="calendar-scroll">
          <table ref={table} className="calendar">
            <thead>
              <tr>
                {weeks[0].map((d) => (
                  <th key={d} scope="col">
                    <abbr title={spoken(d, { weekday: 'long' })}>{spoken(d, { weekday: 'short' })}</abbr>
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {weeks.map((week) => (
                <tr key={week[0]}>
                  {week.map((d) => (
                    <Day key={d} {...parts} day={d} lifted={lifted?.id} active={d === active} onFocus={setWanted} onKeyDown={onKeyDown} />
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Carrying>
  )
}

// toNextDay moves what is lifted by keys from day to day.
const toNextDay: KeyboardCoordinateGetter = (event, { context }) => {
  const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 }[event.code]
  if (!step) return undefined
  event.preventDefault()
  const here = context.over?.id ?? context.active?.data.current?.place
  const next = context.droppableRects.get(dayAfter(String(here), step))
  return next && { x: next.left + 4, y: next.top + 4 }
}

type DayProps = Parts & {
  day: string
  lifted?: string
  active: boolean
  onFocus: (day: string) => void
  onKeyDown: (e: KeyboardEvent, day: string) => void
}

function Day({ day, lifted, active, onFocus, onKeyDown, ...parts }: DayProps) {
  const { res, on, today, month, countOf, allOf, begin } = parts
  const { setNodeRef, isOver } = useDroppable({ id: day })
  const records = on.get(day) ?? []
  // What is carried by keys stays in the page, or the keys would be lost with it.
  const shown = records.filter((r, i) => i < mostShown || r.id === lifted)
  const rest = countOf(day) - shown.length
  const number = <span className="day-number">{Number(day.slice(8))}</span>
  return (
    <td
      ref={setNodeRef}
      className={`day${day.startsWith(month) ? '' : ' beyond'}${isOver ? ' over' : ''}`}
      aria-current={day === today ? 'date' : undefined}
    >
      {begin ? (
        <button
          type="button"
          className="day-head"
          data-new={day}
          tabIndex={active ? 0 : -1}
          aria-label={`${dayLabel(day)}: ${newLabel(res)}`}
          onFocus={() => onFocus(day)}
          onKeyDown={(e) => onKeyDown(e, day)}
          onClick={() => begin(day)}
        >
          {number}
          <Icon name="plus" size={14} />
        </button>
      ) : (
        <span className="day-head">{number}</span>
      )}
      {shown.length > 0 && (
        <ul aria-label={dayLabel(day)}>
          {shown.map((r) => (
            <Entry key={r.id} {...parts} record={r} day={day} />
          ))}
        </ul>
      )}
      {rest > 0 && (
        <Link to={allOf(day)} className="day-more" aria-label={`${dayLabel(day)}: ${t('moreOnDay', { count: rest })}`}>
          {t('moreOnDay', { count: rest })}
        </Link>
      )}
    </td>
  )
}

const timeOf = (moment: string) => new Date(moment).toLocaleTimeString(locale(), { hour: 'numeric', minute: '2-digit' })

function Entry({ res, by, record, day, mayMove, look }: Parts & { record: Rec; day: string }) {
  const able = mayMove(record)
  const { attributes, listeners, setNodeRef, isDragging } = useCarried(record, day, able)
  const { style, className } = look(record)
  return (
    <li>
      <span ref={setNodeRef} {...(able ? listeners : {})} className="entry-frame">
        <Link
          to={pathTo(res, record.id)}
          draggable={false}
          className={`${className}${isDragging ? ' away' : ''}`}
          style={style}
          title={titleOf(res, record)}
          aria-describedby={able ? attributes['aria-describedby'] : undefined}
        >
          {by.kind === 'datetime' && <time className="entry-time">{timeOf(at(record, by.path) as string)}</time>}
          <bdi>{titleOf(res, record)}</bdi>
        </Link>
      </span>
    </li>
  )
}

// Agenda has the days on which there is something below each other, and today.
function Agenda({ days, pending, ...parts }: Parts & { days: string[]; pending: boolean }) {
  const { res, by, on, today, countOf, look, allOf, begin } = parts
  const here = useRef<HTMLElement>(null)
  useEffect(() => {
    if (!pending) here.current?.scrollIntoView({ block: 'start' })
  }, [pending])
  if (pending) return <span className="bone" />
  const shown = days.filter((d) => countOf(d) > 0 || d === today)
  return (
    <div className="agenda">
      {shown.length === 0 && <p className="none soft">{t('emptyMonth')}</p>}
      {shown.map((day) => {
        const records = (on.get(day) ?? []).slice(0, mostListed)
        const rest = countOf(day) - records.length
        return (
          <section
            key={day}
            ref={day === today ? here : undefined}
            aria-label={dayLabel(day)}
            aria-current={day === today ? 'date' : undefined}
          >
            <header>
              <h3>{spoken(day, { weekday: 'short', day: 'numeric', month: 'short' })}</h3>
              {begin && <Button look="quiet" icon="plus" label={`${dayLabel(day)}: ${newLabel(res)}`} onPress={() => begin(day)} />}
            </header>
            <ul>
              {records.map((r) => (
                <li key={r.id}>
                  <Link to={pathTo(res, r.id)} {...look(r)}>
                    {by.kind === 'datetime' && <time className="entry-time">{timeOf(at(r, by.path) as string)}</time>}
                    <bdi>{titleOf(res, r)}</bdi>
                  </Link>
                </li>
              ))}
            </ul>
            {rest > 0 && (
              <Link to={allOf(day)} className="day-more">
                {t('moreOnDay', { count: rest })}
              </Link>
            )}
          </section>
        )
      })}
    </div>
  )
}
