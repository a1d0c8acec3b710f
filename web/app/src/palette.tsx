// The palette: one box that finds records, goes anywhere and begins anything.

import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useDeferredValue, useEffect, useId, useState } from 'react'
import { Dialog as AriaDialog, Modal, ModalOverlay } from 'react-aria-components'
import { call, type Hit, type Rec } from './api/call'
import { byPlural, useApp } from './api/context'
import { formatPlain } from './i18n/format'
import './i18n/messages/more'
import { t } from './i18n/translate'
import { CreateDialog, creatable } from './records/form'
import type { Given } from './records/making'
import { useUsers } from './records/names'
import { useRecent } from './records/recent'
import { pathTo } from './records/shown'
import { useAllViews } from './records/views'
import { at, leaf as leafOf, newLabel, plural, pluralLabel, type Resource, titleOf, withNames } from './schema/schema'
import { sectionsOf } from './settings/sections'
import { commandsHere } from './ui/commands'
import { Icon } from './ui/components'
import { go, root, useAddress } from './ui/route'

const begins = (r: Resource) => r.permissions.write !== 'none' && r.operations.includes('create') && !r.feature

// useHere is the record whose page is open, as soon as that knows it.
function useHere() {
  const { schema } = useApp()
  const client = useQueryClient()
  const [first, id] = useAddress()
    .pathname.slice(root.length + 1)
    .split('/')
  const res = first ? byPlural(schema, first) : undefined
  const record = res && id ? client.getQueryData<Rec>(['record', res.name, id]) : undefined
  return res && record && !record.deleted_at ? { res, id, name: titleOf(res, record) } : null
}

type Item = { key: string; icon: string; text: string; also?: string; more: string; run: () => void; group: string }

// Where nothing in particular is shown, what is made new is chosen here.
export default function Palette({ beginning, onClose }: { beginning?: boolean; onClose: () => void }) {
  const { schema, me } = useApp()
  const [text, setText] = useState('')
  const [place, setPlace] = useState(0)
  const [creating, setCreating] = useState<{ res: Resource; preset?: Given } | null>(null)
  const id = useId()
  const wanted = useDeferredValue(text.trim())
  const { data, isFetching } = useQuery({
    queryKey: ['across', wanted],
    enabled: wanted.length > 1,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => call<{ data: Hit[] }>('POST', '/v1/search', { search_text: wanted, limit: 12 }, { signal }),
  })
  const recent = useRecent()
  const users = useUsers()
  const { views } = useAllViews()
  const readable = schema.resources.filter((r) => r.permissions.read !== 'none')
  const fits = (s: string) => s.toLowerCase().includes(text.trim().toLowerCase())
  const visit = (to: string) => () => {
    onClose()
    go(to)
  }
  const here = useHere()
  const commands: Item[] = [
    ...commandsHere().flatMap(({ text, also, about, icon = '', run }, i) =>
      text
        ? [
            {
              key: `here-${i}`,
              icon,
              text,
              also,
              more: about ?? '',
              run: () => {
                onClose()
                run()
              },
              group: t('here'),
            },
          ]
        : [],
    ),
    ...(here
      ? readable.flatMap((r) => {
          const via = creatable(r).find((l) => l.target === here.res.name && l.followed_as && l.path !== 'owner_id')
          const preset = via && { [via.path]: { value: here.id, picked: { id: here.id, name: here.name } } }
          return preset && begins(r)
            ? [
                {
                  key: 'for-' + r.name,
                  icon: 'plus',
                  text: t('newFor', { what: newLabel(r), name: here.name }),
                  more: '',
                  run: () => setCreating({ res: r, preset }),
                  group: t('here'),
                },
              ]
            : []
        })
      : []),
  ].filter((i: Item) => fits(i.text) || fits(i.also ?? ''))
  const found: Item[] = [
    ...commands,
    ...(wanted.length > 1 ? (data?.data ?? []) : []).flatMap((hit): Item[] => {
      const res = readable.find((r) => r.name === hit.resource)
      const telling = res?.telling.find((p) => typeof at(hit.record, p) === 'string' && at(hit.record, p))
      const more = telling ? formatPlain(leafOf(res!, telling), at(hit.record, telling)) : ''
      return res
        ? [
            {
              key: hit.record.id,
              icon: res.name,
              text: withNames((hit.record.name as string | undefined) ?? res.label, users),
              more: `${res.label}${more ? ` · ${more}` : ''}`,
              run: visit(pathTo(res, hit.record.id)),
              group: t('records'),
            },
          ]
        : []
    }),
    // What was opened lately is known before the search has answered.
    ...recent
      .filter((r) => fits(r.name) && !(wanted.length > 1 && data?.data.some((hit) => hit.record.id === r.id)))
      .map(
        (r): Item => ({
          key: 'recent-' + r.id,
          icon: r.res.name,
          text: r.name,
          more: r.res.label,
          run: visit(pathTo(r.res, r.id)),
          group: t('recent'),
        }),
      ),
    ...views.flatMap((v): Item[] => {
      const res = readable.find((r) => r.name === v.resource)
      return res && fits(v.name)
        ? [
            {
              key: v.id,
              icon: 'views',
              text: v.name,
              more: pluralLabel(res),
              run: visit(`${root}/${plural(res)}?view=${v.id}`),
              group: t('views'),
            },
          ]
        : []
    }),
    ...[
      { key: 'today', icon: 'home', text: t('today'), more: '', run: visit(root), group: t('goTo') },
      { key: 'reports', icon: 'reports', text: t('reports'), more: '', run: visit(`${root}/reports`), group: t('goTo') },
      { key: 'import', icon: 'import', text: t('importFile'), more: '', run: visit(`${root}/import`), group: t('goTo') },
      ...sectionsOf(me, schema).map((s) => ({
        key: 'settings-' + s.name,
        icon: 'settings',
        text: s.title,
        more: t('settings'),
        run: visit(`${root}/settings/${s.name}`),
        group: t('goTo'),
      })),
      ...readable.map((r) => ({
        key: 'go-' + r.name,
        icon: r.name,
        text: pluralLabel(r),
        more: '',
        run: visit(`${root}/${plural(r)}`),
        group: t('goTo'),
      })),
    ].filter((i) => fits(i.text) || (i.more && fits(i.more))),
    ...readable
      .filter(begins)
      .map((r) => ({
        key: 'new-' + r.name,
        icon: 'plus',
        text: newLabel(r),
        more: '',
        run: () => setCreating({ res: r }),
        group: t('begin'),
      }))
      .filter((i) => fits(i.text)),
  ]
  const able = beginning ? found.filter((i) => i.group === t('begin')) : found
  // Who types the beginning of where they want to go means that, also where records have the word in them.
  const begun = (s = '') => s.toLowerCase().startsWith(wanted.toLowerCase())
  const meant = (item: Item) => item.group !== t('records') && wanted.length > 1 && (begun(item.text) || begun(item.also))
  const items = [...able.filter(meant), ...able.filter((i) => !meant(i))]
  // biome-ignore lint/correctness/useExhaustiveDependencies: other words find others, of which the first is meant.
  useEffect(() => setPlace(0), [wanted, text])
  const chosen = Math.min(place, items.length - 1)
  useEffect(() => {
    document.getElementById(`${id}-${chosen}`)?.scrollIntoView({ block: 'nearest' })
  }, [chosen, id])
  if (creating) return <CreateDialog {...creating} onClose={onClose} />
  return (
    <ModalOverlay className="veil high" isOpen isDismissable onOpenChange={(open) => !open && onClose()}>
      <Modal className="sheet palette">
        <AriaDialog aria-label={t('searchEverything')} className="dialog">
          <div className="palette-box">
            <Icon name="search" />
            <input
              role="combobox"
              aria-expanded="true"
              aria-controls={`${id}-list`}
              aria-activedescendant={items.length ? `${id}-${chosen}` : undefined}
              aria-autocomplete="list"
              aria-label={t('searchEverything')}
              autoFocus
              placeholder={t('paletteHint')}
              value={text}
              onChange={(e) => setText(e.target.value)}
              onKeyDown={(e) => {
                if (e.key === 'ArrowDown') setPlace((chosen + 1) % Math.max(1, items.length))
                else if (e.key === 'ArrowUp') setPlace((chosen - 1 + items.length) % Math.max(1, items.length))
                else if (e.key === 'Enter') items[chosen]?.run()
                else return
                e.preventDefault()
              }}
            />
          </div>
          <div className="palette-list" role="listbox" id={`${id}-list`} aria-label={t('results')} aria-busy={isFetching}>
            {items.map((item, i) => (
              <div
                key={item.key}
                role="option"
                id={`${id}-${i}`}
                aria-selected={i === chosen}
                className="menu-item"
                onClick={item.run}
                onPointerMove={() => setPlace(i)}
              >
                <Icon name={item.icon} />
                <span className="palette-text">
                  <bdi>{item.text}</bdi>
                  {item.more && <bdi className="soft">{item.more}</bdi>}
                </span>
                {item.group !== t('records') && <span className="soft">{item.group}</span>}
              </div>
            ))}
          </div>
          {items.length === 0 && (
            <p className="hint pad" role="status">
              {isFetching ? t('loading') : t('nothingFound')}
            </p>
          )}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  )
}
