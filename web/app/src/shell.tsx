// The frame of the app: where one can go, who one is, and the screen that the address names.

import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react'
import { Header, MenuSection, Separator } from 'react-aria-components'
import { confirmBy } from './api/call'
import { byPlural, useApp } from './api/context'
import { useLive } from './api/live'
import { language, languages, t } from './i18n/translate'
import { useKinds } from './records/kinds'
import { ListScreen } from './records/list'
import { mainResources, plural, pluralLabel, settingResources } from './schema/schema'
import { Avatar, Button, Dialog, Empty, Icon, Mark, Menu, MenuItem, Skeleton } from './ui/components'
import { go, Link, root, useAddress } from './ui/route'
import { setTheme, type Theme, theme } from './ui/theme'

const Today = lazy(() => import('./today/today'))
const RecordScreen = lazy(async () => ({ default: (await import('./records/record')).RecordScreen }))
const palette = () => import('./palette')
const Palette = lazy(palette)
const Reports = lazy(() => import('./reports/reports'))
const Confirm = lazy(() => import('./settings/confirm'))
const Importing = lazy(() => import('./imports/import'))
const Settings = lazy(() => import('./settings/screen'))

export function Shell({ onLanguage }: { onLanguage: (code: string) => void }) {
  const address = useAddress()
  const { schema } = useApp()
  const [open, setOpen] = useState(false)
  const [searching, setSearching] = useState(false)
  const [help, setHelp] = useState(false)
  const [asked, setAsked] = useState<((confirmed: boolean) => void) | null>(null)
  useEffect(() => {
    confirmBy(() => new Promise((answer) => setAsked(() => answer)))
    return () => confirmBy(null)
  }, [])
  const kinds = useKinds()
  const { offline } = useLive(schema, (resource) => kinds[resource]?.keptAs ?? [])
  const [first, id] = address.pathname
    .slice(root.length + 1)
    .split('/')
    .filter(Boolean)
  const res = first ? byPlural(schema, first) : undefined
  // biome-ignore lint/correctness/useExhaustiveDependencies: who has gone elsewhere needs the menu no more.
  useEffect(() => setOpen(false), [address.pathname])
  useEffect(() => {
    if (!id && first !== 'settings' && first !== 'import')
      document.title = `${res ? pluralLabel(res) : first === 'reports' ? t('reports') : t('today')} · kith`
  }, [res, id, first])
  useEffect(() => {
    const onKey = (e: KeyboardEvent) => {
      // Who is about to open the palette types right on: it is fetched by then.
      if (e.key === 'Control' || e.key === 'Meta') void palette().catch(() => {})
      if ((e.ctrlKey || e.metaKey) && e.key.toLowerCase() === 'k') {
        e.preventDefault()
        setSearching((now) => !now)
      }
      const typing = (e.target as HTMLElement).closest('input, textarea, select, [contenteditable]')
      if (e.key === '?' && !typing && !e.ctrlKey && !e.metaKey && !e.altKey) setHelp(true)
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
  else screen = <ListScreen key={res.name} res={res} />

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
      <header className="topbar">
        <Button look="quiet" icon={open ? 'close' : 'menu'} label={t('menu')} aria-expanded={open} onPress={() => setOpen(!open)} />
        <Link to={root} className="wordmark">
          <Mark />
          <span>kith</span>
        </Link>
        <Button look="quiet" icon="search" label={t('searchEverything')} onPress={() => setSearching(true)} />
      </header>
      <nav className="side" aria-label={t('mainMenu')}>
        <Link to={root} className="wordmark">
          <Mark />
          <span>kith</span>
        </Link>
        <button type="button" className="find" aria-keyshortcuts="Control+K Meta+K" onClick={() => setSearching(true)}>
          <Icon name="search" />
          <span>{t('search')}</span>
          <kbd>{navigator.platform.startsWith('Mac') ? '⌘K' : 'Ctrl K'}</kbd>
        </button>
        <div className="side-scroll">
          <ul>
            <li>
              <Link to={root} aria-current={!first ? 'page' : undefined}>
                <Icon name="home" />
                {t('today')}
              </Link>
            </li>
            <li>
              <Link to={`${root}/reports`} aria-current={first === 'reports' ? 'page' : undefined}>
                <Icon name="reports" />
                {t('reports')}
              </Link>
            </li>
            {mainResources(schema).map((r) => (
              <li key={r.name}>
                <Link to={`${root}/${plural(r)}`} aria-current={first === plural(r) ? 'page' : undefined}>
                  <Icon name={r.name} />
                  {pluralLabel(r)}
                </Link>
              </li>
            ))}
          </ul>
          <ul className="side-last">
            <li>
              <Link
                to={`${root}/settings`}
                aria-current={first === 'settings' || settingResources(schema).some((r) => plural(r) === first) ? 'page' : undefined}
              >
                <Icon name="settings" />
                {t('settings')}
              </Link>
            </li>
          </ul>
        </div>
        <Who onLanguage={onLanguage} onHelp={() => setHelp(true)} />
      </nav>
      {open && <div className="nav-veil" onClick={() => setOpen(false)} />}
      <main id="main" tabIndex={-1}>
        {screen}
      </main>
      {offline && (
        <p className="offline" role="status">
          {t('offlineNow')}
        </p>
      )}
      {help && <Shortcuts onClose={() => setHelp(false)} />}
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
          <Palette onClose={() => setSearching(false)} />
        </Suspense>
      )}
    </div>
  )
}

// Shortcuts lists what the keyboard does.
function Shortcuts({ onClose }: { onClose: () => void }) {
  const keys: [Parameters<typeof t>[0], string[]][] = [
    ['keyPalette', ['Ctrl', 'K']],
    ['keyHelp', ['?']],
    ['keyMove', ['←', '↑', '↓', '→']],
    ['keyEnds', ['Ctrl', 'Home', 'End']],
    ['keyOpen', ['Enter']],
    ['keyEdit', ['F2']],
    ['keySelect', ['Space']],
    ['keyCancel', ['Esc']],
    ['keyResize', ['Shift', '←', '→']],
    ['keyComplete', ['C']],
    ['keyLift', ['Space', '←', '→']],
    ['keySend', ['Ctrl', 'Enter']],
  ]
  return (
    <Dialog title={t('shortcuts')} onClose={onClose}>
      <dl className="keys">
        {keys.map(([what, all]) => (
          <div key={what}>
            <dt>{t(what)}</dt>
            <dd>
              {all.map((k) => (
                <kbd key={k}>{k}</kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
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
        else if (key.startsWith('/')) location.assign(key)
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
        <MenuItem id="theme-system" icon={chosen === 'system' ? 'check' : undefined}>
          {t('lookSystem')}
        </MenuItem>
        <MenuItem id="theme-light" icon={chosen === 'light' ? 'check' : undefined}>
          {t('lookLight')}
        </MenuItem>
        <MenuItem id="theme-dark" icon={chosen === 'dark' ? 'check' : undefined}>
          {t('lookDark')}
        </MenuItem>
      </MenuSection>
      <MenuSection>
        <Header className="menu-label">{t('language')}</Header>
        {languages.map((l) => (
          <MenuItem key={l.code} id={l.code} icon={language() === l.code ? 'check' : undefined}>
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
