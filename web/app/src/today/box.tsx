// A panel beside what is to be done: how many records there are of a sort, and the first of them. Those are late whose day has passed.

import { t } from '../i18n/translate'
import { writeFilter } from '../records/address'
import { localDay } from '../records/late'
import { pathTo, Shown } from '../records/shown'
import { at, leaf, plural, titleOf } from '../schema/schema'
import { Link, root } from '../ui/route'
import type { PanelProps } from './panel'

export function Box({
  res,
  title,
  none,
  list,
  filters,
  shown,
  due,
  all,
}: Omit<PanelProps, 'everybody'> & { title: string; none: string; shown: string[]; due?: string; all?: string }) {
  const rows = list.data?.data ?? []
  const total = list.data?.meta.total ?? rows.length
  const today = localDay(new Date())
  const query = filters.map((f) => 'f=' + encodeURIComponent(writeFilter(f))).join('&')
  return (
    <section className="panel" aria-label={title}>
      <header className="panel-head">
        <h2>
          {title} {list.data && <span className="count">{total}</span>}
        </h2>
      </header>
      {list.isPending ? (
        <span className="bone" />
      ) : rows.length === 0 ? (
        <p className="soft">{none}</p>
      ) : (
        <ul className="rows two-lined">
          {rows.map((r) => (
            <li key={r.id}>
              <Link to={pathTo(res, r.id)}>
                <bdi>{titleOf(res, r)}</bdi>
              </Link>
              <span className="row-more">
                {shown.flatMap((path) => {
                  const l = leaf(res, path)
                  const late = path === due && String(at(r, path)).slice(0, 10) < today
                  return l ? (
                    <span key={path} className={late ? 'late' : undefined}>
                      {late && `${t('late')} · `}
                      <Shown leaf={l} record={r} />
                    </span>
                  ) : (
                    []
                  )
                })}
              </span>
            </li>
          ))}
        </ul>
      )}
      {total > rows.length && (
        <Link className="all" to={`${root}/${plural(res)}?${query}`}>
          {all ?? t('showAllOf', { count: total })}
        </Link>
      )}
    </section>
  )
}
