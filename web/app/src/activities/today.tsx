// What tasks have on the first page: those that are to be done, by when they are due.

import { useQueryClient } from '@tanstack/react-query'
import { type KeyboardEvent, useRef } from 'react'
import { changeCached, refresh } from '../api/cache'
import { tell } from '../api/call'
import { useApp } from '../api/context'
import type { Task as TaskRecord } from '../api/records'
import { dueIn, formatTime } from '../i18n/format'
import { t } from '../i18n/translate'
import { useEditing } from '../records/edit'
import { useUndo } from '../records/jobs'
import { pathTo, Shown } from '../records/shown'
import { leaf, type Resource, reaches, titleOf } from '../schema/schema'
import type { KindToday, PanelProps } from '../today/panel'
import { Avatar, Button, Empty, Icon, Menu, MenuItem, useNotice } from '../ui/components'
import { later } from '../ui/later'
import { Link } from '../ui/route'
import { undone } from './kind'

type Bundle = 'late' | 'today' | 'soon' | 'some'

// bundle says under which heading a task stands.
function bundle(due: string | null, now: Date): Bundle {
  if (!due) return 'some'
  const at = new Date(due)
  const start = new Date(now.getFullYear(), now.getMonth(), now.getDate())
  const end = new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1)
  return at < start ? 'late' : at < end ? 'today' : 'soon'
}

function Todo({ res, list, everybody }: PanelProps) {
  const rows = (list.data?.data ?? []) as TaskRecord[]
  const now = new Date()
  const order: Bundle[] = ['late', 'today', 'soon', 'some']
  return (
    <div className="panel todo">
      <header className="panel-head">
        <h2>{everybody ? t('allTasks') : t('myTasks')}</h2>
        {res.permissions.write !== 'none' && <p className="hint">{t('completeHint')}</p>}
      </header>
      {list.isPending && (
        <div className="stack">
          {[1, 2, 3, 4].map((i) => (
            <span key={i} className="bone" />
          ))}
        </div>
      )}
      {list.data && rows.length === 0 && (
        <Empty icon="task" title={t('allDone')}>
          <p>{t('allDoneMore')}</p>
        </Empty>
      )}
      {order.map((b) => {
        const some = rows.filter((r) => bundle(r.due_at, now) === b)
        return some.length === 0 ? null : (
          <section key={b} aria-label={t(`due.${b}`)}>
            <h3 className={`is-${b}`}>
              {t(`due.${b}`)} <span className="count">{some.length}</span>
            </h3>
            <ul className="tasks">
              {some.map((r) => (
                <Task key={r.id} res={res} task={r} late={b === 'late'} everybody={everybody} />
              ))}
            </ul>
          </section>
        )
      })}
    </div>
  )
}

function Task({ res, task, late, everybody }: { res: Resource; task: TaskRecord; late: boolean; everybody: boolean }) {
  const client = useQueryClient()
  const notice = useNotice()
  const { save, explain } = useEditing()
  const undo = useUndo()
  const row = useRef<HTMLLIElement>(null)
  const { me, schema } = useApp()
  const able = reaches(res, res.permissions.write, task, me.user.id)
  const about = (['contact', 'company', 'deal'] as const).find((k) => task[k]?.name)
  const of = schema.resources.find((r) => r.name === about)
  const due = leaf(res, 'due_at')!
  const postpone = (key: string) => {
    const { at } = later().find((l) => l.key === key)!
    const day = formatTime(at.toISOString())
    void save({ res, record: task, leaf: due, value: at.toISOString() }, { saying: t('postponed', { name: titleOf(res, task), day }) })
  }
  const complete = async () => {
    const next =
      row.current?.nextElementSibling?.querySelector<HTMLElement>('button') ??
      row.current?.previousElementSibling?.querySelector<HTMLElement>('button')
    changeCached(client, res.name, task.id, () => null)
    next?.focus()
    try {
      const { request } = await tell('POST', `${res.path}/${task.id}/complete`)
      notice({ text: t('taskDone', { name: titleOf(res, task) }), undo: () => undo(request, t('taskBack', { name: titleOf(res, task) })) })
    } catch (error) {
      explain(error)
    }
    void refresh(client, res.name)
  }
  const onKey = (e: KeyboardEvent) => {
    if (able && e.key === 'c' && !e.ctrlKey && !e.metaKey && !e.altKey) {
      e.preventDefault()
      void complete()
    }
    const to = e.key === 'ArrowDown' ? row.current?.nextElementSibling : e.key === 'ArrowUp' ? row.current?.previousElementSibling : null
    if (to) {
      e.preventDefault()
      to.querySelector<HTMLElement>('button, a')?.focus()
    }
  }
  const priority = leaf(res, 'priority')
  return (
    <li ref={row} onKeyDown={onKey}>
      {able ? (
        <button
          type="button"
          className="done"
          aria-label={t('completeTask', { name: titleOf(res, task) })}
          aria-keyshortcuts="c"
          onClick={() => void complete()}
        >
          <Icon name="check" size={12} />
        </button>
      ) : (
        <span className="undone" aria-hidden="true" />
      )}
      <span className="task-text">
        <Link to={pathTo(res, task.id)}>
          <bdi>{titleOf(res, task)}</bdi>
        </Link>
        {about && of && (
          <Link to={pathTo(of, task[`${about}_id`]!)} className="soft">
            <bdi>{task[about]?.name}</bdi>
          </Link>
        )}
      </span>
      {priority && ['high', 'urgent'].includes(task.priority!) && <Shown leaf={priority} record={task} />}
      {everybody && task.assignee?.name && (
        <span title={task.assignee.name}>
          <Avatar name={task.assignee.name} id={task.assignee_id ?? undefined} />
          <span className="unseen">{task.assignee.name}</span>
        </span>
      )}
      {task.due_at && (
        <time className={late ? 'late' : 'soft'} dateTime={task.due_at} title={formatTime(task.due_at)}>
          {dueIn(task.due_at)}
        </time>
      )}
      {able && (
        <Menu
          label={t('postponeTask', { name: titleOf(res, task) })}
          trigger={<Button look="quiet" icon="clock" label={t('postponeTask', { name: titleOf(res, task) })} />}
          onAction={postpone}
        >
          {later().map((l) => (
            <MenuItem key={l.key} id={l.key}>
              {l.label}
            </MenuItem>
          ))}
        </Menu>
      )}
    </li>
  )
}

export const taskToday: KindToday = {
  mine: { field: 'assignee_id', operator: 'eq', value: '@me' },
  open: undone,
  panels: [
    {
      name: 'tasks',
      filters: [undone],
      order: 'due_at',
      shown: ['due_at', 'priority', 'contact_id', 'company_id', 'deal_id', 'assignee_id'],
      limit: 100,
      View: Todo,
    },
  ],
}
