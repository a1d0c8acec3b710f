// Where one can go: the lists with the views of each, and what was opened lately.

import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useRef, useState } from 'react'
import { call } from './api/call'
import { useApp } from './api/context'
import type { View } from './api/records'
import { locale, t } from './i18n/translate'
import { Unread, useInbox } from './inbox/unread'
import { useEditing } from './records/edit'
import { useKinds } from './records/kinds'
import { useRecent } from './records/recent'
import { pathTo } from './records/shown'
import { useViewCounts } from './records/view-counts'
import { reordered } from './records/view-order'
import { useAllViews } from './records/views'
import { mainResources, plural, pluralLabel, type Resource, settingResources } from './schema/schema'
import { Icon, useNotice } from './ui/components'
import { useFold } from './ui/folds'
import { Link, root, useAddress } from './ui/route'

export function Places() {
  const { schema } = useApp()
  const kinds = useKinds()
  const inbox = useInbox()
  const { views } = useAllViews()
  const counts = useViewCounts(views)
  const [first] = useAddress()
    .pathname.slice(root.length + 1)
    .split('/')
  const all = mainResources(schema).filter((r) => !kinds[r.name]?.unlisted)
  const aside = all.filter((r) => kinds[r.name]?.aside)
  const inside = aside.some((r) => plural(r) === first)
  const entry = (r: Resource) => <Entry key={r.name} res={r} views={views.filter((v) => v.resource === r.name)} counts={counts} />
  return (
    <div className="side-scroll">
      <ul>
        <li>
          <Link to={root} aria-current={!first ? 'page' : undefined}>
            <Icon name="home" />
            {t('today')}
          </Link>
        </li>
        {inbox && (
          <li>
            <Link to={`${root}/inbox`} aria-current={first === 'inbox' ? 'page' : undefined}>
              <Icon name="bell" />
              {t('inbox')}
              <Unread />
            </Link>
          </li>
        )}
        <li>
          <Link to={`${root}/reports`} aria-current={first === 'reports' ? 'page' : undefined}>
            <Icon name="reports" />
            {t('reports')}
          </Link>
        </li>
        {all.filter((r) => !aside.includes(r)).map(entry)}
      </ul>
      {aside.length > 0 && (
        <Folded name="more" title={t('more')} usually={false} open={inside}>
          {aside.map(entry)}
        </Folded>
      )}
      <Recent />
      <ul className="side-last">
        <li>
          <Link
            to={`${root}/settings`}
            aria-current={
              first === 'settings' || (first !== 'reports' && settingResources(schema).some((r) => plural(r) === first))
                ? 'page'
                : undefined
            }
          >
            <Icon name="settings" />
            {t('settings')}
          </Link>
        </li>
      </ul>
    </div>
  )
}

// A part with a heading that opens it. Where one is in it, it is open.
function Folded({ name, title, usually, open: inside, children }: FoldedProps) {
  const [open, toggle] = useFold(name, usually)
  const shown = open || inside
  return (
    <div>
      <button type="button" className="side-head" aria-expanded={shown} onClick={toggle}>
        <Icon name={shown ? 'down' : 'right'} size={12} />
        {title}
      </button>
      {shown && <ul>{children}</ul>}
    </div>
  )
}
type FoldedProps = { name: string; title: string; usually: boolean; open?: boolean; children: ReactNode }

function Recent() {
  return (
    <Folded name="recent" title={t('recent')} usually={false}>
      <RecentOnes />
    </Folded>
  )
}

function RecentOnes() {
  const { pathname } = useAddress()
  return (
    <>
      {useRecent(5).map((r) => (
        <li key={r.id}>
          <Link to={pathTo(r.res, r.id)} className="side-view" aria-current={pathname === pathTo(r.res, r.id) ? 'page' : undefined}>
            <Icon name={r.res.name} size={14} />
            <bdi>{r.name}</bdi>
          </Link>
        </li>
      ))}
    </>
  )
}

function Entry({ res, views, counts }: { res: Resource; views: View[]; counts: Map<string, number> }) {
  const address = useAddress()
  const [open, toggle] = useFold(res.name, true)
  const here = address.pathname.split('/')[2] === plural(res)
  const viewed = here && address.searchParams.get('view')
  const label = pluralLabel(res)
  return (
    <li>
      <div className="side-entry">
        <Link to={`${root}/${plural(res)}`} aria-current={here && !viewed ? 'page' : undefined}>
          <Icon name={res.name} />
          {label}
        </Link>
        {views.length > 0 && (
          <button type="button" className="side-fold" aria-label={t('under', { label })} aria-expanded={open} onClick={toggle}>
            <Icon name={open ? 'down' : 'right'} size={12} />
          </button>
        )}
      </div>
      {open && (
        <>
          <Views
            res={res}
            counts={counts}
            views={views.filter((v) => !v.shared)}
            viewed={viewed || undefined}
            label={t('viewsOf', { label })}
          />
          <Views
            res={res}
            counts={counts}
            views={views.filter((v) => v.shared)}
            viewed={viewed || undefined}
            label={t('sharedViewsOf', { label })}
          />
        </>
      )}
    </li>
  )
}

// Views are set in order by dragging, or by the arrow keys while Alt is held: one's own each by themselves, those of the team by
// who may change them all.
type ViewsProps = { res: Resource; views: View[]; counts: Map<string, number>; viewed?: string; label: string }
function Views({ res, views, counts, viewed, label }: ViewsProps) {
  const { me } = useApp()
  const { put, kind } = useAllViews()
  const client = useQueryClient()
  const notice = useNotice()
  const { explain } = useEditing()
  const list = useRef<HTMLUListElement>(null)
  const [dragged, setDragged] = useState<string | null>(null)
  const [over, setOver] = useState<string | null>(null)
  if (views.length === 0) return null
  const able = views.length > 1 && views.every((v) => v.owner_id === me.user.id || kind?.permissions.write === 'all')
  // place writes the positions of some views, and tells where the one that was moved stands then.
  const place = async (changed: { view: View; position: number }[], moved: View, at: number, back?: () => void) => {
    put(changed.map(({ view, position }) => ({ ...view, position })))
    try {
      await call('POST', '/v1/views/batch', {
        operations: changed.map(({ view, position }) => ({ op: 'update', id: view.id, data: { position } })),
      })
      notice({ text: t('viewMoved', { name: moved.name, place: at + 1, count: views.length }), undo: back })
    } catch (error) {
      explain(error)
    }
    void client.invalidateQueries({ queryKey: ['views'] })
  }
  const move = (id: string, to: number) => {
    const from = views.findIndex((v) => v.id === id)
    if (!able || from < 0 || to < 0 || to >= views.length || from === to) return
    const changed = reordered(views, from, to).filter(({ view, position }) => view.position !== position)
    const before = changed.map(({ view }) => ({ view, position: view.position }))
    void place(changed, views[from], to, () => void place(before, views[from], from))
    // What moves in the page loses the focus.
    requestAnimationFrame(() => list.current?.querySelector<HTMLElement>(`[data-view="${id}"]`)?.focus())
  }
  return (
    <ul ref={list} aria-label={label}>
      {views.map((v, i) => (
        <li
          key={v.id}
          className={counts.has(v.id) ? 'counted' : undefined}
          style={{ '--digits': written(counts.get(v.id) ?? 0).length } as object}
        >
          <Link
            to={`${root}/${plural(res)}?view=${v.id}`}
            className={`side-view${over === v.id && dragged !== v.id ? ' over' : ''}`}
            aria-current={viewed === v.id ? 'page' : undefined}
            aria-keyshortcuts={able ? 'Alt+ArrowUp Alt+ArrowDown' : undefined}
            data-view={v.id}
            draggable={able}
            onDragStart={(e) => {
              e.dataTransfer.effectAllowed = 'move'
              e.dataTransfer.setData('text/plain', v.name)
              setDragged(v.id)
            }}
            onDragEnd={() => {
              setDragged(null)
              setOver(null)
            }}
            onDragOver={(e) => {
              if (!dragged) return
              e.preventDefault()
              setOver(v.id)
            }}
            onDrop={(e) => {
              e.preventDefault()
              if (dragged) move(dragged, i)
            }}
            onKeyDown={(e) => {
              if (!e.altKey || (e.key !== 'ArrowUp' && e.key !== 'ArrowDown')) return
              e.preventDefault()
              move(v.id, i + (e.key === 'ArrowDown' ? 1 : -1))
            }}
          >
            <bdi>{v.name}</bdi>
            {v.shared && <Icon name="people" size={14} />}
          </Link>
          {counts.has(v.id) && <Count of={counts.get(v.id)!} />}
        </li>
      ))}
    </ul>
  )
}

const written = (count: number) => count.toLocaleString(locale())

// Count stands beside the link, which is named as its view alone.
function Count({ of: count }: { of: number }) {
  return (
    <span className="side-count">
      <span aria-hidden="true">{written(count)}</span>
      <span className="unseen">{t('recordCount', { count })}</span>
    </span>
  )
}
