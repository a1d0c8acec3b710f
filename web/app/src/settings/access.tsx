// What acts for a person beside themselves: tokens of their scripts, apps and agents that they connected, and apps that the business made.

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { readAll } from '../api/cache'
import { call } from '../api/call'
import { useApp, useResource } from '../api/context'
import type { App, NewApp, NewToken, Token } from '../api/records'
import { ago, formatDate, formatTime } from '../i18n/format'
import { said, t } from '../i18n/translate'
import { DraftBack } from '../records/draft-back'
import { useDraft } from '../records/drafts'
import { useEditing } from '../records/edit'
import { Input } from '../records/fields'
import { leaf, leaves, pluralLabel, type Resource } from '../schema/schema'
import { Button, Chip, Dialog, Empty, useNotice } from '../ui/components'
import { useRefused } from './refused'
import { type Bundle, bundled, bundleOf, parts, rows } from './scopes'
import { Copied, type Secret, SecretDialog } from './secret-dialog'

// AccessChoice is the part of a form that chooses scopes.
function AccessChoice({ scopes, wrong, onChange }: { scopes: string[]; wrong: ReactNode; onChange: (scopes: string[]) => void }) {
  const { me, schema } = useApp()
  const all = me.scopes
  const [bundle, setBundle] = useState<Bundle>(() => bundleOf(scopes, all, schema.resources))
  const table = rows(all, schema.resources)
  const ticked = parts(scopes, all)
  const named = (name: string) => {
    const r = schema.resources.find((x) => x.name === name)
    return r ? pluralLabel(r) : said(`scopes.${name}`, name.charAt(0).toUpperCase() + name.slice(1))
  }
  const choose = (b: Bundle) => {
    setBundle(b)
    onChange(b === 'some' ? ticked : bundled(b, all, schema.resources))
  }
  return (
    <fieldset className="checks">
      <legend className="field-label">{t('mayDo')}</legend>
      {(['read', 'work', 'all', 'some'] as Bundle[]).map((b) => (
        <label key={b}>
          <input type="radio" name="access" checked={bundle === b} onChange={() => choose(b)} />
          <span>
            {t(`access.${b}`)}
            {b === 'all' && (
              <>
                {' '}
                <Chip color="yellow">{t('powerful')}</Chip>
              </>
            )}
          </span>
        </label>
      ))}
      {bundle === 'some' && (
        <div className="scroll tall" tabIndex={0} role="region" aria-label={t('mayDo')}>
          <table className="plain-table matrix">
            <thead>
              <tr>
                <th scope="col">{t('thing')}</th>
                {(['read', 'write', 'delete'] as const).map((v) => (
                  <th key={v} scope="col">
                    {t(`verb.${v}`)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {table.map((row) => (
                <tr key={row.name}>
                  <th scope="row">
                    {named(row.name)}
                    {row.power && (
                      <>
                        {' '}
                        <span title={row.power}>
                          <Chip color="yellow">{t('powerful')}</Chip>
                        </span>
                      </>
                    )}
                  </th>
                  {row.cells.map((scope, i) => (
                    <td key={i}>
                      {scope && (
                        <input
                          type="checkbox"
                          aria-label={`${t(`verb.${(['read', 'write', 'delete'] as const)[i]}`)}: ${named(row.name)}`}
                          checked={ticked.includes(scope)}
                          onChange={(e) => onChange(e.target.checked ? [...ticked, scope] : ticked.filter((s) => s !== scope))}
                        />
                      )}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {wrong}
    </fieldset>
  )
}

const summed = (scopes: string[]) => (scopes.length > 3 ? t('scopeCount', { count: scopes.length }) : scopes.join(', '))

export function Tokens() {
  const { me } = useApp()
  const res = useResource('token')!
  const client = useQueryClient()
  const notice = useNotice()
  const { explain } = useEditing()
  const [asking, setAsking] = useState<Token | null>(null)
  const [making, setMaking] = useState(false)
  const [once, setOnce] = useState<Secret | null>(null)
  const { data: tokens, isPending } = useQuery({
    queryKey: ['figures', 'token', 'own'],
    queryFn: () => readAll<Token>('/v1/tokens', { filters: [{ field: 'user_id', operator: 'eq', value: me.user.id }] }),
  })
  const reread = () => client.invalidateQueries({ queryKey: ['figures', 'token'] })
  const revoke = async (token: Token) => {
    setAsking(null)
    try {
      await call('DELETE', `${res.path}/${token.id}`)
      notice({ text: t('tokenRevoked', { name: token.name }) })
    } catch (error) {
      explain(error)
    }
    void reread()
  }
  return (
    <>
      <p className="soft">{t('tokensMore')}</p>
      {res.permissions.write !== 'none' && (
        <p className="row">
          <Button look="primary" icon="plus" onPress={() => setMaking(true)}>
            {t('newToken')}
          </Button>
        </p>
      )}
      {isPending ? (
        <span className="bone" />
      ) : tokens?.length === 0 ? (
        <Empty icon="settings" title={t('noTokens')} />
      ) : (
        <ul className="rows cards-rows" aria-label={t('tokens')}>
          {tokens?.map((token) => (
            <li key={token.id}>
              <span className="what">
                <span>
                  <bdi className="strong">{token.name}</bdi> <code className="soft">{token.hint}…</code>
                </span>
                <span className="soft">
                  {summed(token.scopes)} · {token.last_used_at ? t('lastUsed', { when: ago(token.last_used_at) }) : t('neverUsed')}
                  {token.expires_at ? ` · ${t('expires', { when: formatTime(token.expires_at) })}` : ''}
                </span>
              </span>
              {res.permissions.delete !== 'none' && (
                <Button look="danger" onPress={() => setAsking(token)} aria-label={t('revokeOf', { name: token.name })}>
                  {t('revoke')}
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
      {making && (
        <TokenDialog
          res={res}
          onClose={() => setMaking(false)}
          onMade={(made) => {
            setMaking(false)
            void reread()
            setOnce({
              title: t('tokenMade', { name: made.name }),
              about: t('onceToken'),
              values: [{ label: t('token'), value: made.token ?? '' }],
            })
          }}
        />
      )}
      {once && <SecretDialog secret={once} onClose={() => setOnce(null)} />}
      {asking && (
        <ConfirmDialog
          title={t('revokeOf', { name: asking.name })}
          more={t('revokeMore')}
          action={t('revoke')}
          onClose={() => setAsking(null)}
          onSure={() => void revoke(asking)}
        />
      )}
    </>
  )
}

// ConfirmDialog asks before something that cannot be taken back.
export function ConfirmDialog({
  title,
  more,
  action,
  onClose,
  onSure,
}: {
  title: string
  more: string
  action: string
  onClose: () => void
  onSure: () => void
}) {
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{more}</p>
      <footer className="dialog-foot">
        <Button onPress={onClose}>{t('cancel')}</Button>
        <Button look="danger" autoFocus onPress={onSure}>
          {action}
        </Button>
      </footer>
    </Dialog>
  )
}

function TokenDialog({ res, onClose, onMade }: { res: Resource; onClose: () => void; onMade: (token: NewToken) => void }) {
  const { me, schema } = useApp()
  const [name, setName] = useState('')
  const [days, setDays] = useState('90')
  const [scopes, setScopes] = useState(() => bundled('read', me.scopes, schema.resources))
  const [busy, setBusy] = useState(false)
  const wrong = useRefused(
    leaves(res).filter((l) => ['name', 'scopes', 'expires_at'].includes(l.path)),
    { name: t('name'), scopes: t('mayDo'), expires_at: t('ends') },
  )
  const make = async () => {
    setBusy(true)
    wrong.clear()
    try {
      onMade(
        await call<NewToken>('POST', res.path, {
          name: name.trim(),
          scopes,
          ...(days ? { expires_at: new Date(Date.now() + Number(days) * 86_400_000).toISOString() } : {}),
        }),
      )
    } catch (error) {
      wrong.fail(error)
    }
    setBusy(false)
  }
  return (
    <Dialog title={t('newToken')} onClose={onClose} wide>
      <form
        className="stack"
        onSubmit={(e) => {
          e.preventDefault()
          void make()
        }}
        noValidate
      >
        {wrong.above}
        <div className={wrong.field('name')}>
          <label className="field">
            <span className="field-label">{t('name')}</span>
            <input
              className="input"
              autoFocus
              required
              maxLength={255}
              placeholder={t('tokenExample')}
              value={name}
              onChange={(e) => setName(e.target.value)}
              {...wrong.control('name')}
            />
          </label>
          {wrong.sentence('name')}
        </div>
        <AccessChoice scopes={scopes} onChange={setScopes} wrong={wrong.sentence('scopes')} />
        <div className={wrong.field('expires_at')}>
          <label className="field short">
            <span className="field-label">{t('ends')}</span>
            <select className="input" value={days} onChange={(e) => setDays(e.target.value)} {...wrong.control('expires_at')}>
              {['30', '90', '365'].map((d) => (
                <option key={d} value={d}>
                  {t('inDays', { count: Number(d) })}
                </option>
              ))}
              <option value="">{t('never')}</option>
            </select>
          </label>
          {wrong.sentence('expires_at')}
        </div>
        <footer className="dialog-foot">
          <Button onPress={onClose}>{t('cancel')}</Button>
          <Button look="primary" type="submit" isDisabled={busy || !name.trim() || scopes.length === 0}>
            {t('newToken')}
          </Button>
        </footer>
      </form>
    </Dialog>
  )
}

type Grant = { id: string; client_id: string; client_name: string; scopes: string[]; created_at: string; used_at: string | null }

export function Connected() {
  const { me } = useApp()
  const client = useQueryClient()
  const notice = useNotice()
  const { explain } = useEditing()
  const [asking, setAsking] = useState<Grant | null>(null)
  const apps = useResource('app')
  const grants = useQuery({ queryKey: ['grants'], queryFn: () => call<{ data: Grant[] }>('GET', '/v1/me/grants') })
  const disconnect = async (grant: Grant) => {
    setAsking(null)
    try {
      await call('DELETE', `/v1/me/grants/${grant.id}`)
      notice({ text: t('disconnected', { name: grant.client_name }) })
    } catch (error) {
      explain(error)
    }
    void client.invalidateQueries({ queryKey: ['grants'] })
  }
  return (
    <>
      <section className="panel" aria-labelledby="set-connected">
        <h2 id="set-connected">
          {t('connectedApps')} {grants.data && <span className="count">{grants.data.data.length}</span>}
        </h2>
        {grants.isPending ? (
          <span className="bone" />
        ) : grants.data?.data.length === 0 ? (
          <p className="soft">{t('noConnected')}</p>
        ) : (
          <ul className="rows cards-rows" aria-labelledby="set-connected">
            {grants.data?.data.map((g) => (
              <li key={g.id}>
                <span className="what">
                  <bdi className="strong">{g.client_name}</bdi>
                  <span className="soft">
                    {summed(g.scopes)} · {t('since', { when: formatDate(g.created_at.slice(0, 10)) })} ·{' '}
                    {g.used_at ? t('lastUsed', { when: ago(g.used_at) }) : t('neverUsed')}
                  </span>
                </span>
                <Button look="danger" aria-label={t('disconnectOf', { name: g.client_name })} onPress={() => setAsking(g)}>
                  {t('disconnect')}
                </Button>
              </li>
            ))}
          </ul>
        )}
      </section>
      <section className="panel" aria-labelledby="set-agents">
        <h2 id="set-agents">{t('agents')}</h2>
        <p className="soft">{t('agentsMore')}</p>
        <Copied label={t('agentsAddress')} value={`${location.origin}/mcp`} />
      </section>
      {apps && apps.permissions.read !== 'none' && (
        <OwnApps res={apps} able={me.features.includes('manage_apps') && apps.permissions.write !== 'none'} />
      )}
      {asking && (
        <ConfirmDialog
          title={t('disconnectOf', { name: asking.client_name })}
          more={t('disconnectMore')}
          action={t('disconnect')}
          onClose={() => setAsking(null)}
          onSure={() => void disconnect(asking)}
        />
      )}
    </>
  )
}

function OwnApps({ res, able }: { res: Resource; able: boolean }) {
  const client = useQueryClient()
  const notice = useNotice()
  const { explain } = useEditing()
  const [editing, setEditing] = useState<App | 'new' | null>(null)
  const [once, setOnce] = useState<Secret | null>(null)
  const [asking, setAsking] = useState<{ app: App; what: 'rotate' | 'delete' } | null>(null)
  const { data: own } = useQuery({
    queryKey: ['figures', 'app', 'all'],
    queryFn: () =>
      readAll<App>('/v1/apps', {
        order_by: 'name',
        sort_direction: 'asc',
        fields: ['id', 'version', 'name', 'client_id', 'redirect_uris', 'grant_types', 'scopes', 'user_id', 'user.name'],
      }),
  })
  const reread = () => client.invalidateQueries({ queryKey: ['figures', 'app'] })
  const show = (app: NewApp, title: string) =>
    setOnce({
      title,
      about: t('onceApp'),
      values: [
        { label: t('clientSecret'), value: app.client_secret ?? '' },
        { label: t('clientId'), value: app.client_id ?? '' },
      ],
    })
  const act = async ({ app, what }: { app: App; what: 'rotate' | 'delete' }) => {
    setAsking(null)
    try {
      if (what === 'delete') {
        await call('DELETE', `${res.path}/${app.id}`)
        notice({ text: t('appDeleted', { name: app.name }) })
      } else show(await call<NewApp>('POST', `${res.path}/${app.id}/rotate_secret`, {}), t('newSecretOf', { name: app.name }))
    } catch (error) {
      explain(error)
    }
    void reread()
  }
  return (
    <section className="panel" aria-labelledby="set-apps">
      <h2 id="set-apps">
        {t('ownApps')} {own && <span className="count">{own.length}</span>}
      </h2>
      <p className="soft">{t('ownAppsMore')}</p>
      {!!own?.length && (
        <ul className="rows cards-rows" aria-labelledby="set-apps">
          {own.map((app) => (
            <li key={app.id}>
              <span className="what">
                <bdi className="strong">{app.name}</bdi>
                <span className="soft">
                  {app.redirect_uris?.length ? t('appForPeople') : t('appAlone', { name: app.user?.name ?? '' })} · {summed(app.scopes)}
                </span>
                <code className="soft">{app.client_id}</code>
              </span>
              {able && (
                <span className="row">
                  <Button look="quiet" aria-label={t('editField', { field: app.name })} onPress={() => setEditing(app)}>
                    {t('edit')}
                  </Button>
                  <Button
                    look="quiet"
                    aria-label={t('newSecretFor', { name: app.name })}
                    onPress={() => setAsking({ app, what: 'rotate' })}
                  >
                    {t('newSecret')}
                  </Button>
                  <Button look="danger" aria-label={t('deleteOf', { name: app.name })} onPress={() => setAsking({ app, what: 'delete' })}>
                    {t('delete')}
                  </Button>
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
      {able && (
        <p className="row">
          <Button icon="plus" onPress={() => setEditing('new')}>
            {t('newApp')}
          </Button>
        </p>
      )}
      {editing && (
        <AppDialog
          res={res}
          app={editing === 'new' ? null : editing}
          onClose={() => setEditing(null)}
          onSaved={(app) => {
            setEditing(null)
            void reread()
            app.client_secret ? show(app, t('appMade', { name: app.name })) : notice({ text: t('saved', { field: app.name }) })
          }}
        />
      )}
      {asking && (
        <ConfirmDialog
          title={asking.what === 'delete' ? t('deleteOf', { name: asking.app.name }) : t('newSecretFor', { name: asking.app.name })}
          more={asking.what === 'delete' ? t('deleteAppMore') : t('rotateMore')}
          action={asking.what === 'delete' ? t('delete') : t('newSecret')}
          onClose={() => setAsking(null)}
          onSure={() => void act(asking)}
        />
      )}
      {once && <SecretDialog secret={once} onClose={() => setOnce(null)} />}
    </section>
  )
}

function AppDialog({
  res,
  app,
  onClose,
  onSaved,
}: {
  res: Resource
  app: App | null
  onClose: () => void
  onSaved: (app: NewApp) => void
}) {
  const { me, schema } = useApp()
  const [{ name, people, uris, user, scopes }, change, forget, restored] = useDraft(app ? `app.${app.id}.${app.version}` : 'app', {
    name: app?.name ?? '',
    people: !!app?.redirect_uris?.length,
    uris: (app?.redirect_uris ?? []).join('\n'),
    user: app?.user_id ?? me.user.id,
    scopes: app?.scopes ?? bundled('read', me.scopes, schema.resources),
  })
  const set = (part: Partial<{ name: string; people: boolean; uris: string; user: string; scopes: string[] }>) =>
    change((now) => ({ ...now, ...part }))
  const [busy, setBusy] = useState(false)
  const wrong = useRefused(
    leaves(res).filter((l) => ['name', 'scopes', people ? 'redirect_uris' : 'user_id'].includes(l.path)),
    { name: t('name'), scopes: t('mayDo') },
  )
  const save = async () => {
    setBusy(true)
    wrong.clear()
    const given: Record<string, unknown> = {
      name: name.trim(),
      scopes,
      ...(people ? { redirect_uris: uris.split(/\s+/).filter(Boolean) } : { user_id: user }),
    }
    // Only what differs is sent: other scopes end the tokens of the app.
    const body = app
      ? Object.fromEntries(Object.entries(given).filter(([k, v]) => JSON.stringify(v) !== JSON.stringify(app[k as keyof App])))
      : given
    try {
      const saved = app
        ? await call<NewApp>('PATCH', `${res.path}/${app.id}`, body, { match: app.version })
        : await call<NewApp>('POST', res.path, body)
      forget()
      onSaved(saved)
    } catch (error) {
      wrong.fail(error)
    }
    setBusy(false)
  }
  return (
    <Dialog title={app ? t('editField', { field: app.name }) : t('newApp')} onClose={onClose} wide>
      <form
        className="stack"
        onSubmit={(e) => {
          e.preventDefault()
          void save()
        }}
        noValidate
      >
        {restored && <DraftBack onDiscard={forget} />}
        {wrong.above}
        <div className={wrong.field('name')}>
          <label className="field">
            <span className="field-label">{t('name')}</span>
            <input
              className="input"
              autoFocus
              required
              maxLength={255}
              value={name}
              onChange={(e) => set({ name: e.target.value })}
              {...wrong.control('name')}
            />
          </label>
          {wrong.sentence('name')}
        </div>
        {!app && (
          <fieldset className="checks">
            <legend className="field-label">{t('howItWorks')}</legend>
            <label>
              <input type="radio" name="how" checked={!people} onChange={() => set({ people: false })} />
              <span>{t('appIsAlone')}</span>
            </label>
            <label>
              <input type="radio" name="how" checked={people} onChange={() => set({ people: true })} />
              <span>{t('appIsForPeople')}</span>
            </label>
          </fieldset>
        )}
        {people ? (
          <div className={wrong.field('redirect_uris')}>
            <label className="field">
              <span className="field-label">{leaf(res, 'redirect_uris')?.label}</span>
              <textarea
                className="input"
                rows={2}
                spellCheck={false}
                placeholder="https://"
                value={uris}
                onChange={(e) => set({ uris: e.target.value })}
                {...wrong.control('redirect_uris')}
              />
              <span className="hint">{t('redirectsMore')}</span>
            </label>
            {wrong.sentence('redirect_uris')}
          </div>
        ) : (
          <div className={wrong.field('user_id')}>
            <span className="field-label" aria-hidden="true">
              {leaf(res, 'user_id')?.label}
            </span>
            <Input
              leaf={leaf(res, 'user_id')!}
              value={user}
              label={leaf(res, 'user_id')!.label}
              shownAs={app?.user?.name ?? me.user.name}
              onChange={(v) => v && set({ user: v as string })}
            />
            {wrong.sentence('user_id')}
          </div>
        )}
        <AccessChoice scopes={scopes} onChange={(scopes) => set({ scopes })} wrong={wrong.sentence('scopes')} />
        <footer className="dialog-foot">
          <Button onPress={onClose}>{t('cancel')}</Button>
          <Button look="primary" type="submit" isDisabled={busy || !name.trim() || scopes.length === 0}>
            {app ? t('save') : t('newApp')}
          </Button>
        </footer>
      </form>
    </Dialog>
  )
}
