// Settings: what a person, and what the business has set. What hands out access asks for the password again where it was given long ago, see confirm.tsx.

import { lazy, type ReactNode, Suspense, useEffect } from 'react'
import { useApp } from '../api/context'
import { t } from '../i18n/translate'
import { plural, pluralLabel, settingResources } from '../schema/schema'
import { Empty, Icon, Skeleton } from '../ui/components'
import { Link, root } from '../ui/route'
import { Connected, Tokens } from './access'
import { Business } from './business'
import { Jobs } from './jobs'
import { People } from './people'
import { Roles } from './roles'
import { type Section, sectionsOf } from './sections'
import { You } from './you'

const Audit = lazy(() => import('./audit'))
const Bin = lazy(() => import('./bin'))
const Fields = lazy(() => import('./fields'))
const Security = lazy(() => import('./security'))
const Pipelines = lazy(() => import('./pipelines'))
const Webhooks = lazy(() => import('./webhooks'))

export default function Settings({ at, onLanguage }: { at?: string; onLanguage: (code: string) => void }) {
  const { me, schema } = useApp()
  const all = sectionsOf(me, schema)
  const here = at ? all.find((s) => s.name === at) : all[0]
  useEffect(() => {
    document.title = `${here?.title ?? t('settings')} · kith`
  }, [here?.title])
  const screens: Record<Section, () => ReactNode> = {
    you: () => <You onLanguage={onLanguage} />,
    security: () => <Security />,
    access: () => <Tokens />,
    connected: () => <Connected />,
    business: () => <Business />,
    people: () => <People />,
    'who-may-what': () => <Roles />,
    sales: () => <Pipelines />,
    'own-fields': () => <Fields />,
    webhooks: () => <Webhooks />,
    audit: () => <Audit />,
    work: () => <Jobs />,
    bin: () => <Bin />,
  }
  // Reports have a page of their own.
  const listed = settingResources(schema).filter((r) => plural(r) !== 'reports')
  return (
    <section className={`screen settings${at ? ' chosen' : ''}`} aria-labelledby="screen-title">
      <nav className="settings-nav" aria-label={t('settings')}>
        {[true, false].map((own) => (
          <div key={String(own)}>
            <p className="menu-label" id={`settings-${own}`}>
              <bdi>{own ? t('forYou') : me.business.name}</bdi>
            </p>
            <ul aria-labelledby={`settings-${own}`}>
              {all
                .filter((s) => s.own === own)
                .map((s) => (
                  <li key={s.name}>
                    <Link to={`${root}/settings/${s.name}`} aria-current={s === here ? 'page' : undefined}>
                      {s.title}
                    </Link>
                  </li>
                ))}
            </ul>
          </div>
        ))}
        <details>
          <summary className="menu-label" id="settings-lists">
            {t('asLists')}
          </summary>
          <ul aria-labelledby="settings-lists">
            {listed.map((r) => (
              <li key={r.name}>
                <Link to={`${root}/${plural(r)}`}>
                  {pluralLabel(r)}
                  <Icon name="right" size={12} />
                </Link>
              </li>
            ))}
          </ul>
        </details>
      </nav>
      <div className="settings-body">
        {here ? (
          <>
            <Link to={`${root}/settings`} className="back settings-back">
              <Icon name="left" size={14} />
              {t('settings')}
            </Link>
            <h1 id="screen-title">{here.title}</h1>
            <Suspense fallback={<Skeleton />}>{screens[here.name]()}</Suspense>
          </>
        ) : (
          <Empty first icon="search" title={t('noScreen')}>
            <p>{t('noScreenMore')}</p>
          </Empty>
        )}
      </div>
    </section>
  )
}
