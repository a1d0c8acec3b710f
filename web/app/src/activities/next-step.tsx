// What is to be done next about a record: its soonest open task, and where there is none, what somebody wrote down.

import { formatTime, shortDate } from '../i18n/format'
import { t } from '../i18n/translate'
import type { AsideProps } from '../records/kinds'
import { localDay } from '../records/late'
import { useUsers } from '../records/names'
import { pathTo } from '../records/shown'
import { plural, titleOf } from '../schema/schema'
import { Link, root } from '../ui/route'
import { Circle } from './circle'

export function NextStep({ res, of, record, rows, total, pending, add }: AsideProps) {
  const users = useUsers()
  const written = record.next_step as string | null | undefined
  return (
    <section className="related" aria-label={t('nextStep')}>
      <header className="related-head">
        <h2>{t('nextStep')}</h2>
        {add}
      </header>
      {written && (
        <p className="next-step">
          <bdi className="strong">{written}</bdi>
          {!pending && total === 0 && <span className="soft">{t('noTaskYet')}</span>}
        </p>
      )}
      {pending ? (
        <span className="bone" />
      ) : rows.length === 0 && !written ? (
        <p className="soft none">{t('noNextTask')}</p>
      ) : (
        <ul className="minis">
          {rows.map((task, i) => {
            const due = task.due_at as string | null
            const late = !!due && new Date(due).getTime() < Date.now()
            const who = users.get(String(task.assignee_id))
            return (
              <li key={task.id} className={`mini todo-mini${i === 0 && !written ? ' next-step' : ''}`}>
                <Circle res={res} record={task} />
                <span className="todo-text">
                  <Link to={pathTo(res, task.id)} className={i === 0 ? 'strong' : undefined}>
                    <bdi>{titleOf(res, task)}</bdi>
                  </Link>
                  <span className="mini-more">
                    {due && (
                      <time className={late ? 'late' : undefined} dateTime={due} title={formatTime(due)}>
                        {t(late ? 'lateSince' : 'dueOn', { date: shortDate(localDay(due)) })}
                      </time>
                    )}
                    {who && <bdi>{who}</bdi>}
                  </span>
                </span>
              </li>
            )
          })}
        </ul>
      )}
      {total > rows.length && (
        <Link className="all" to={`${root}/${plural(res)}?f=${encodeURIComponent(`${of.name}_id~eq~${record.id}`)}`}>
          {t('showAllOf', { count: total })}
        </Link>
      )}
    </section>
  )
}
