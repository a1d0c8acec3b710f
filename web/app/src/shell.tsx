// The frame of the app: where one can go, who one is, and the screen that the address names.

import { useQueryClient } from '@tanstack/react-query'
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react'
import { Header, MenuSection, Separator } from 'react-aria-components'
import { confirmBy } from './api/call'
import { byPlural, useApp } from './api/context'
import { useLive } from './api/live'
import { seenAs, stopSeeing } from './api/see-as'
import { BottomMenu } from './bottom-menu'
import { language, languages, said, t } from './i18n/translate'
import { useInbox } from './inbox/unread'
import { useKinds } from './records/kinds'
import { MakingContext } from './records/making'
import { mainResources, plural, pluralLabel, type Schema } from './schema/schema'
import type { Place } from './shortcuts'
import { Places } from './sidebar'
import { perform } from './ui/commands'
import { Avatar, Button, Empty, Icon, Mark, Menu, MenuItem, Skeleton, useNarrow } from './ui/components'
import { actOf, forItself, lettersOf } from './ui/keys'
import { go, Link, root, useAddress } from './ui/route'
import { setTheme, type Theme, theme } from './ui/theme'

const Today = lazy(() => import('./today/today'))
const list = () => import('./records/list')
const ListScreen = lazy(async () => ({ default: (await list()).ListScreen }))
const RecordScreen = lazy(async () => ({ default: (await import('./records/record')).RecordScreen }))
const palette = () => import('./palette')
const Palette = lazy(palette)
const Shortcuts = lazy(() => import('./shortcuts'))
const CreateDialog = lazy(async () => ({ default: (await import('./records/form')).CreateDialog }))
const Inbox = lazy(() => import('./inbox/inbox'))
const Reports = lazy(() => import('./reports/reports'))
const Confirm = lazy(() => import('./settings/confirm'))
const Importing = lazy(() => import('./imports/import'))
const Settings = lazy(() => import('./settings/screen'))

// placesOf are the places in the sidebar, with the letters that lead there.
function placesOf(schema: Schema): Place[] {
  const places: Place[] = [
    { name: t('today'), to: root },
    { name: t('inbox'), to: `${root}/inbox` },
    { name: t('reports'), to: `${root}/reports` },
    { name: t('settings'), to: `${root}/settings` },
    ...mainResources(schema).map((r) => ({ name: pluralLabel(r), to: `${root}/${plural(r)}` })),
  ]
  const letters = lettersOf(places.map((p) => p.name))
  return places.map((p, i) => ({ ...p, letter: letters[i] }))
}

export function Shell({ onLanguage }: { onLanguage: (code: string) => void }) {
  const address = useAddress()
  const { me, schema } = useApp()
  const inbox = useInbox()
  const narrow = useNarrow()
  const [open, setOpen] = useState(false)
  const [searching, setSearching] = useState<'all' | 'new' | null>(null)
  const [creating, setCreating] = useState(false)
  const [help, setHelp] = useState(false)
  const [asked, setAsked] = useState<((confirmed: boolean) => void) | null>(null)
  useEffect(() => {
    confirmBy(() => new Promise((answer) => setAsked(() => answer)))
    return () => confirmBy(null)
  }, [])
  const kinds = useKinds()
  const client = useQueryClient()
  const { offline } = useLive(schema, (resource) => kinds[resource]?.keptAs ?? [])
  const [first, id] = address.pathname
    .slice(root.length + 1)
    .split('/')
    .filter(Boolean)
  const res = first ? byPlural(schema, first) : undefined
  const places = placesOf(schema)
  const nearby = useRef({ places, begin: () => {} })
  useEffect(() => {
    const able = res && res.permissions.write !== 'none' && res.operations.includes('create') && !res.power
    nearby.current = { places, begin: () => (able ? setCreating(true) : setSearching('new')) }
  })
  // What was switched on for this device goes on, or ends, once the first screen has begun.
  useEffect(() => {
    if (localStorage.getItem('kith.push')) void import('./inbox/push').then(({ resume }) => resume(me.user.email)).catch(() => {})
  }, [me.user.email])
  // Lists come next: they are fetched once the first screen is there and has had what it asks for, also on a slow machine.
  useEffect(() => {
    let timer = 0
    const look = (rested: boolean) => {
      timer = window.setTimeout(() => {
        const rests = !client.isFetching() && !!document.querySelector('#main h1')
        if (rests && rested) void list().catch(() => {})
        else look(rests)
      }, 500)
    }
    look(false)
    return () => clearTimeout(timer)
  }, [client])
  // biome-ignore lint/correctness/useExhaustiveDependencies: who has gone elsewhere needs the menu no more.
  useEffect(() => setOpen(false), [address.pathname])
  useEffect(() => {
    if (!id && !['settings', 'import', 'inbox'].includes(first))
      document.title = `${res ? pluralLabel(res) : first === 'reports' ? t('reports') : t('today')} · kith`
  }, [res, id, first])
  useEffect(() => {
    let going = 0 // until when the next letter is a place
    const onKey = (e: KeyboardEvent) => {
      // Who is about to open the palette types right on: it is fetched by then.
      if (e.key === 'Control' || e.key === 'Meta') void palette().catch(() => {})
      const act = actOf(e)
      if (act === 'palette') {
        e.preventDefault()
        setSearching((now) => (now ? null : 'all'))
      }
      if (act === 'palette' || e.defaultPrevented || forItself(e.target as Element)) return
      const place = e.timeStamp < going && nearby.current.places.find((p) => p.letter === e.key.toUpperCase())
      going = act === 'go' ? e.timeStamp + 1_500 : 0
      if (place) go(place.to)
      else if (act === 'help') setHelp(true)
      else if (act === 'new') {
        if (!perform('new')) nearby.current.begin()
      } else if (!act || act === 'go' || !perform(act)) return
      e.preventDefault()
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [])

  let screen: ReactNode
  if (!first)
    screen = (
      <Suspense
        fallback={
          <section className="screen">
            <Skeleton />
          </section>
        }
      >
        <Today />
      </Suspense>
    )
  else if (first === 'reports')
    screen = (
      <Suspense
        fallback={
          <section className="screen">
            <Skeleton />
          </section>
        }
      >
        <Reports />
      </Suspense>
    )
  else if (first === 'inbox' && inbox)
    screen = (
      <Suspense
        fallback={
          <section className="screen">
            <Skeleton />
          </section>
        }
      >
        <Inbox />
      </Suspense>
    )
  else if (first === 'import')
    screen = (
      <Suspense
        fallback={
          <section className="screen">
            <Skeleton />
          </section>
        }
      >
        <Importing id={id} />
      </Suspense>
    )
  else if (first === 'settings')
    screen = (
      <Suspense
        fallback={
          <section className="screen">
            <Skeleton />
          </section>
        }
      >
        <Settings at={id} onLanguage={onLanguage} />
      </Suspense>
    )
  else if (!res || res.permissions.read === 'none')
    screen = (
      <section className="screen">
        <Empty first icon="search" title={t('noScreen')}>
          <p>{t('noScreenMore')}</p>
          <Button onPress={() => go(root)}>{t('toStart')}</Button>
        </Empty>
      </section>
    )
  else if (id)
    screen = (
      <Suspense
        fallback={
          <section className="screen">
            <Skeleton />
          </section>
        }
      >
        <RecordScreen key={id} res={res} id={id} />
      </Suspense>
    )
  else
    screen = (
      <Suspense
        fallback={
          <section className="screen">
            <Skeleton />
          </section>
        }
      >
        <ListScreen key={res.name} res={res} />
      </Suspense>
    )

  return (
    <div className={`shell${open ? ' nav-open' : ''}`}>
      {/* biome-ignore lint/a11y/useValidAnchor: it leads to a place on this page. */}
      <a
        className="skip"
        href="#main"
        onClick={(e) => {
          e.preventDefault()
          document.getElementById('main')?.focus()
        }}
      >
        {t('skip')}
      </a>
      {seenAs && <SeenAs />}
      <header className="topbar">
        <Button
          look="quiet"
          className="top-menu"
          icon={open ? 'close' : 'menu'}
          label={t('menu')}
          aria-expanded={open}
          onPress={() => setOpen(!open)}
        />
        <Link to={root} className="wordmark">
          <Mark />
          <span>kith</span>
        </Link>
        <Button look="quiet" icon="search" label={t('searchEverything')} onPress={() => setSearching('all')} />
      </header>
      <nav className="side" aria-label={t('mainMenu')}>
        <Link to={root} className="wordmark">
          <Mark />
          <span>kith</span>
        </Link>
        <button type="button" className="find" aria-keyshortcuts="Control+K Meta+K" onClick={() => setSearching('all')}>
          <Icon name="search" />
          <span>{t('search')}</span>
          <kbd>{navigator.platform.startsWith('Mac') ? '⌘K' : `${said('key.Ctrl', 'Ctrl')} K`}</kbd>
        </button>
        <Places />
        <Who onLanguage={onLanguage} onHelp={() => setHelp(true)} />
      </nav>
      {open && <div className="nav-veil" onClick={() => setOpen(false)} />}
      <main id="main" tabIndex={-1}>
        <MakingContext value={CreateDialog}>{screen}</MakingContext>
      </main>
      {narrow && <BottomMenu open={open} onMenu={() => setOpen(!open)} />}
      {offline && (
        <p className="offline" role="status">
          {t('offlineNow')}
        </p>
      )}
      {help && (
        <Suspense>
          <Shortcuts places={places} onClose={() => setHelp(false)} />
        </Suspense>
      )}
      {creating && res && (
        <Suspense>
          <CreateDialog res={res} onClose={() => setCreating(false)} />
        </Suspense>
      )}
      {asked && (
        <Suspense>
          <Confirm
            onDone={(confirmed) => {
              setAsked(null)
              asked(confirmed)
            }}
          />
        </Suspense>
      )}
      {searching && (
        <Suspense>
          <Palette beginning={searching === 'new'} onClose={() => setSearching(null)} />
        </Suspense>
      )}
    </div>
  )
}

// SeenAs stands above every screen for as long as one sees it as a role.
function SeenAs() {
  const { me } = useApp()
  return (
    <section className="seen-as" aria-label={t('seenAs', { role: me.role })}>
      <p>
        <b>{t('seenAs', { role: me.role })}</b> {t('seenAsMore')}
      </p>
      <Button onPress={() => stopSeeing()}>{t('stopSeeing')}</Button>
    </section>
  )
}

function Who({ onLanguage, onHelp }: { onLanguage: (code: string) => void; onHelp: () => void }) {
  const { me } = useApp()
  const [chosen, setChosen] = useState<Theme>(theme)
  return (
    <Menu
      label={t('yourAccount')}
      trigger={
        <Button look="quiet" className="who">
          <span className="unseen">{t('yourAccount')}: </span>
          <Avatar name={me.user.name} id={me.user.id} />
          <span className="who-text">
            <bdi className="strong">{me.user.name}</bdi>
            <bdi className="soft">{me.business.name}</bdi>
          </span>
        </Button>
      }
      onAction={(key) => {
        if (key === 'keys') onHelp()
        else if (key.startsWith(root)) go(key)
        else if (key.startsWith('/')) stopSeeing(key)
        else if (key.startsWith('theme-')) {
          setTheme(key.slice(6) as Theme)
          setChosen(key.slice(6) as Theme)
        } else onLanguage(key)
      }}
    >
      <MenuItem id={`${root}/settings`}>{t('settings')}</MenuItem>
      <MenuItem id="/account/switch">{t('switchBusiness')}</MenuItem>
      <Separator />
      <MenuSection>
        <Header className="menu-label">{t('look')}</Header>
        <MenuItem id="theme-system" icon={chosen === 'system' ? 'check' : 'blank'}>
          {t('lookSystem')}
        </MenuItem>
        <MenuItem id="theme-light" icon={chosen === 'light' ? 'check' : 'blank'}>
          {t('lookLight')}
        </MenuItem>
        <MenuItem id="theme-dark" icon={chosen === 'dark' ? 'check' : 'blank'}>
          {t('lookDark')}
        </MenuItem>
      </MenuSection>
      <MenuSection>
        <Header className="menu-label">{t('language')}</Header>
        {languages.map((l) => (
          <MenuItem key={l.code} id={l.code} icon={language() === l.code ? 'check' : 'blank'}>
            {l.name}
          </MenuItem>
        ))}
      </MenuSection>
      <Separator />
      <MenuItem id="keys" icon="keyboard">
        {t('shortcuts')}
      </MenuItem>
      <MenuItem id="/logout">{t('logOut')}</MenuItem>
    </Menu>
  )
}
