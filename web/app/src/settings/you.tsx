// What is one's own: how the app looks and speaks, tokens, and what is connected.

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call, type Rec } from '../api'
import { useEditing } from '../edit'
import { ago, formatTime } from '../format'
import { setTheme, theme, type Theme } from '../theme'
import { Avatar, Button, Dialog, Empty, Icon, useNotice } from '../ui'
import { everything, useResource, useWorld } from '../world'
import { language, languages, t } from '../words'

// Page leads to a page of the server, which asks for the password where it hands out access.
export function Page({ to, children }: { to: string; children: string }) {
  return <a className="button plain" href={to}>{children}<Icon name="link" size={14} /></a>
}

export function You({ onLanguage }: { onLanguage: (code: string) => void }) {
  const { me } = useWorld()
  const [chosen, setChosen] = useState<Theme>(theme)
  return (
    <>
      <section className="panel">
        <div className="person">
          <Avatar name={me.user.name} id={me.user.id} />
          <div><p className="strong"><bdi>{me.user.name}</bdi></p><p className="soft"><bdi>{me.user.email}</bdi> · <bdi>{me.role}</bdi></p></div>
        </div>
        <p className="soft">{t('youMore')}</p>
        <p className="row"><Page to="/account">{t('nameAndPassword')}</Page><Page to="/account/security">{t('secondFactor')}</Page></p>
      </section>
      <section className="panel" aria-labelledby="set-look">
        <h2 id="set-look">{t('look')}</h2>
        <div className="segments" role="group" aria-labelledby="set-look">
          {(['system', 'light', 'dark'] as Theme[]).map((x) => <button key={x} type="button" aria-pressed={chosen === x} onClick={() => (setTheme(x), setChosen(x))}>{t(x === 'system' ? 'lookSystem' : x === 'light' ? 'lookLight' : 'lookDark')}</button>)}
        </div>
        <label className="field short">
          <span className="field-label">{t('language')}</span>
          <select className="input" value={language()} onChange={(e) => onLanguage(e.target.value)}>
            {languages.map((l) => <option key={l.code} value={l.code}>{l.name}</option>)}
          </select>
        </label>
      </section>
    </>
  )
}

export function Tokens() {
  const { me } = useWorld()
  const res = useResource('token')!
  const client = useQueryClient()
  const notice = useNotice()
  const { explain } = useEditing()
  const [asking, setAsking] = useState<Rec | null>(null)
  const { data, isPending } = useQuery({
    queryKey: ['list', 'token', 'own'],
    queryFn: async () => ({ pages: [{ data: await everything('/v1/tokens', { filters: [{ field: 'user_id', operator: 'eq', value: me.user.id }] }), meta: { cursor: { next: null, has_more: false } } }], pageParams: [''] }),
  })
  const tokens = data?.pages[0].data ?? []
  const revoke = async (token: Rec) => {
    setAsking(null)
    try {
      await call('DELETE', `${res.path}/${token.id}`)
      notice({ text: t('tokenRevoked', { name: token.name }) })
    } catch (error) {
      explain(error)
    }
    void client.invalidateQueries({ queryKey: ['list', 'token'] })
  }
  return (
    <>
      <p className="soft">{t('tokensMore')}</p>
      <p className="row"><Page to="/account/tokens">{t('newToken')}</Page></p>
      {isPending ? <span className="bone" /> : tokens.length === 0 ? <Empty icon="settings" title={t('noTokens')} /> : (
        <ul className="rows cards-rows">
          {tokens.map((token) => (
            <li key={token.id}>
              <span className="what">
                <bdi className="strong">{token.name}</bdi> <code className="soft">{token.hint}…</code>
                <span className="soft">{token.scopes.length > 3 ? t('scopeCount', { count: token.scopes.length }) : token.scopes.join(', ')} · {token.last_used_at ? t('lastUsed', { when: ago(token.last_used_at) }) : t('neverUsed')}{token.expires_at ? ` · ${t('expires', { when: formatTime(token.expires_at) })}` : ''}</span>
              </span>
              {res.permissions.delete !== 'none' && <Button look="danger" onPress={() => setAsking(token)} aria-label={t('revokeOf', { name: token.name })}>{t('revoke')}</Button>}
            </li>
          ))}
        </ul>
      )}
      {asking && (
        <Dialog title={t('revokeOf', { name: asking.name })} onClose={() => setAsking(null)}>
          <p>{t('revokeMore')}</p>
          <footer className="dialog-foot">
            <Button onPress={() => setAsking(null)}>{t('cancel')}</Button>
            <Button look="danger" autoFocus onPress={() => void revoke(asking)}>{t('revoke')}</Button>
          </footer>
        </Dialog>
      )}
    </>
  )
}

export function Apps() {
  const { me } = useWorld()
  const apps = useResource('app')
  const { data } = useQuery({ queryKey: ['list', 'app', 'all'], enabled: !!apps && apps.permissions.read !== 'none', queryFn: async () => ({ pages: [{ data: await everything('/v1/apps', {}), meta: { cursor: { next: null, has_more: false } } }], pageParams: [''] }) })
  const own = data?.pages[0].data ?? []
  return (
    <>
      <section className="panel" aria-labelledby="set-agents">
        <h2 id="set-agents">{t('agents')}</h2>
        <p className="soft">{t('agentsMore')}</p>
        <p><code className="address">{location.origin}/mcp</code></p>
        <p className="row"><Page to="/account/connected-apps">{t('connectedApps')}</Page></p>
      </section>
      {apps && apps.permissions.read !== 'none' && (
        <section className="panel" aria-labelledby="set-apps">
          <h2 id="set-apps">{t('ownApps')} {data && <span className="count">{own.length}</span>}</h2>
          <p className="soft">{t('ownAppsMore')}</p>
          {own.length > 0 && (
            <ul className="rows">
              {own.map((app) => <li key={app.id}><span className="what"><bdi className="strong">{app.name}</bdi><span className="soft">{app.redirect_uris?.length ? t('appForPeople') : t('appAlone')} · {t('scopeCount', { count: app.scopes.length })}</span></span></li>)}
            </ul>
          )}
          {me.features.includes('manage_apps') && <p className="row"><Page to="/account/apps">{t('manageApps')}</Page></p>}
        </section>
      )}
    </>
  )
}
