// Saved views: a search with its columns under a name, for oneself or for all.

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Header, MenuSection, Separator } from 'react-aria-components'
import { readAll } from '../api/cache'
import { call, type Search } from '../api/call'
import { useApp, useResource } from '../api/context'
import type * as records from '../api/records'
import { t } from '../i18n/translate'
import type { Resource } from '../schema/schema'
import { Button, Dialog, Menu, MenuItem, useNarrow, useNotice } from '../ui/components'
import { type ListState, layoutOf, searchOf } from './address'
import { useEditing } from './edit'

export type View = { id: string; version: number; name: string; shared: boolean; owner_id: string | null; state: Omit<ListState, 'view'> }

export function stateOf(search: Search | null, columns: string[], layout: string, group?: string | null): Omit<ListState, 'view'> {
  return {
    q: search?.search_text ?? '',
    filters: search?.filters ?? [],
    sort: search?.order_by ? { by: search.order_by, down: search.sort_direction !== 'asc' } : undefined,
    columns: columns.length ? columns.map((path) => ({ path })) : undefined,
    layout: layoutOf(layout) ?? 'table',
    group: group ?? undefined,
  }
}

// They stay the same while they are drawn anew, so that what shows them is not.
const none: View[] = []
const viewsOf = (all: records.View[]) =>
  all.map(
    (v): View => ({
      id: v.id,
      version: v.version,
      name: v.name,
      shared: v.shared,
      owner_id: v.owner_id,
      state: stateOf(v.search as Search | null, v.columns, v.layout, v.group_by),
    }),
  )

export function useViews(res: Resource): View[] {
  const kind = useResource('view')
  const { data } = useQuery({
    queryKey: ['views', res.name],
    enabled: !!kind && kind.permissions.read !== 'none',
    staleTime: 30_000,
    queryFn: () =>
      readAll<records.View>('/v1/views', {
        filters: [{ field: 'resource', operator: 'eq', value: res.name }],
        order_by: 'position',
        sort_direction: 'asc',
      }),
    select: viewsOf,
  })
  return data ?? none
}

// useAllViews are the views of every list, by their places, as the sidebar and the palette have them; put shows others for now.
export function useAllViews() {
  const kind = useResource('view')
  const client = useQueryClient()
  const queryKey = ['views', 'of all']
  const { data } = useQuery({
    queryKey,
    enabled: !!kind && kind.permissions.read !== 'none',
    staleTime: 30_000,
    queryFn: () =>
      readAll<records.View>('/v1/views', {
        fields: ['id', 'name', 'resource', 'position', 'shared', 'owner_id', 'search', 'missing'],
        order_by: 'position',
        sort_direction: 'asc',
      }),
  })
  const put = (changed: records.View[]) =>
    client.setQueryData<records.View[]>(queryKey, (all) =>
      all?.map((v) => changed.find((c) => c.id === v.id) ?? v).sort((a, b) => a.position - b.position),
    )
  return { views: data ?? [], put, kind }
}

function bodyOf(state: ListState) {
  return {
    search: { search_text: null, filters: null, order_by: null, sort_direction: null, ...searchOf(state) },
    columns: state.columns?.map((c) => c.path) ?? [],
    layout: state.layout,
    group_by: state.group ?? null,
  }
}

export function ViewBar({
  res,
  views,
  view,
  state,
  changed,
  narrowed,
  onOpen,
}: {
  res: Resource
  views: View[]
  view?: View
  state: ListState
  changed: boolean
  // narrowed tells that somebody chose what is shown.
  narrowed: boolean
  onOpen: (view?: View) => void
}) {
  const { me } = useApp()
  const kind = useResource('view')
  const client = useQueryClient()
  const notice = useNotice()
  const { explain } = useEditing()
  const narrow = useNarrow()
  const [naming, setNaming] = useState(false)
  const refresh = () => client.invalidateQueries({ queryKey: ['views'] })
  const mine = !!view && (view.owner_id === me.user.id || kind?.permissions.write === 'all')
  const patch = async (body: unknown, text: string) => {
    try {
      await call('PATCH', `/v1/views/${view!.id}`, body, { match: view!.version })
      await refresh()
      notice({ text })
      onOpen(view)
    } catch (error) {
      explain(error)
    }
  }
  const act = async (key: string) => {
    const opened = views.find((v) => v.id === key)
    if (opened) return onOpen(opened)
    if (key === 'all') return onOpen()
    if (key === 'new') return setNaming(true)
    if (key === 'keep') return patch(bodyOf(state), t('viewKept', { name: view!.name }))
    if (key === 'share') return patch({ shared: !view!.shared }, view!.shared ? t('viewUnshared') : t('viewShared'))
    if (key === 'delete') {
      try {
        await call('DELETE', `/v1/views/${view!.id}`)
        onOpen()
        await refresh()
        const gone = view!
        notice({
          text: t('viewDeleted', { name: gone.name }),
          undo: () => void call('POST', `/v1/views/${gone.id}/restore`).then(refresh, explain),
        })
      } catch (error) {
        explain(error)
      }
    }
  }
  if (!kind || kind.permissions.read === 'none') return null
  return (
    <>
      {changed && mine && (
        <Button look="quiet" onPress={() => void act('keep')}>
          {t('keepView')}
        </Button>
      )}
      {!view && narrowed && !narrow && (
        <Button look="quiet" onPress={() => setNaming(true)}>
          {t('saveAsView')}
        </Button>
      )}
      <Menu label={t('views')} onAction={(key) => void act(key)} trigger={<Button icon="views">{t('views')}</Button>}>
        <MenuItem id="all" icon={view ? undefined : 'check'}>
          {t('everything')}
        </MenuItem>
        <MenuSection>
          {views.length > 0 && <Header className="menu-label">{t('savedViews')}</Header>}
          {views.map((v) => (
            <MenuItem key={v.id} id={v.id} icon={v.id === view?.id ? 'check' : 'blank'}>
              {v.name + (v.shared ? ` · ${t('sharedMark')}` : '')}
            </MenuItem>
          ))}
        </MenuSection>
        <Separator />
        <MenuItem id="new" icon="plus">
          {t('saveAsView')}
        </MenuItem>
        {view && mine ? <MenuItem id="share">{view.shared ? t('unshare') : t('share')}</MenuItem> : null}
        {view && mine ? (
          <MenuItem id="delete" icon="bin">
            {t('deleteView')}
          </MenuItem>
        ) : null}
      </Menu>
      {naming && (
        <NameDialog
          res={res}
          state={state}
          onClose={() => setNaming(false)}
          onMade={async (v) => {
            await refresh()
            onOpen(v)
          }}
        />
      )}
    </>
  )
}

function NameDialog({
  res,
  state,
  onClose,
  onMade,
}: {
  res: Resource
  state: ListState
  onClose: () => void
  onMade: (view: View) => void
}) {
  const [name, setName] = useState('')
  const [shared, setShared] = useState(false)
  const { explain } = useEditing()
  const notice = useNotice()
  const save = async () => {
    try {
      const { search, ...rest } = bodyOf(state)
      const made = await call<records.View>('POST', '/v1/views', {
        name,
        shared,
        resource: res.name,
        ...rest,
        search: Object.fromEntries(Object.entries(search).filter(([, v]) => v !== null)),
      })
      notice({ text: t('viewKept', { name }) })
      onMade(made as unknown as View)
      onClose()
    } catch (error) {
      explain(error)
    }
  }
  return (
    <Dialog title={t('saveAsView')} onClose={onClose}>
      <form
        noValidate
        className="stack"
        onSubmit={(e) => {
          e.preventDefault()
          void save()
        }}
      >
        <label className="field">
          <span className="field-label">{t('name')}</span>
          <input className="input" autoFocus aria-required maxLength={255} value={name} onChange={(e) => setName(e.target.value)} />
        </label>
        <label className="switch">
          <input type="checkbox" checked={shared} onChange={(e) => setShared(e.target.checked)} />
          <span>{t('shareWithAll')}</span>
        </label>
        <footer className="dialog-foot">
          <Button onPress={onClose}>{t('cancel')}</Button>
          <Button look="primary" type="submit" isDisabled={!name.trim()}>
            {t('save')}
          </Button>
        </footer>
      </form>
    </Dialog>
  )
}
