// What is one's own: name and address, password, where one is logged in, and how the app looks and speaks.

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call, Problem } from '../api/call'
import { useApp, useResource } from '../api/context'
import { ago, formatDate } from '../i18n/format'
import { language, languages, t } from '../i18n/translate'
import { useEditing } from '../records/edit'
import { Labelled } from '../records/fields'
import { leaf } from '../schema/schema'
import { Avatar, Button, Chip, useNotice } from '../ui/components'
import { Link, root } from '../ui/route'
import { setTheme, type Theme, theme } from '../ui/theme'
import { browserOf } from './browsers'
import { Told } from './told'

export function You({ onLanguage }: { onLanguage: (code: string) => void }) {
  const { me } = useApp()
  const [chosen, setChosen] = useState<Theme>(theme)
  return (
    <>
      <Profile />
      <section className="panel" aria-labelledby="set-look">
        <h2 id="set-look">{t('look')}</h2>
        <div className="segments" role="group" aria-labelledby="set-look">
          {(['system', 'light', 'dark'] as Theme[]).map((x) => (
            <button
              key={x}
              type="button"
              aria-pressed={chosen === x}
              onClick={() => {
                setTheme(x)
                setChosen(x)
              }}
            >
              {t(x === 'system' ? 'lookSystem' : x === 'light' ? 'lookLight' : 'lookDark')}
            </button>
          ))}
        </div>
        <label className="field short">
          <span className="field-label">{t('language')}</span>
          <select className="input" value={language()} onChange={(e) => onLanguage(e.target.value)}>
            {languages.map((l) => (
              <option key={l.code} value={l.code}>
                {l.name}
              </option>
            ))}
          </select>
        </label>
      </section>
      <Told />
      <Password />
      <section className="panel" aria-labelledby="set-factor">
        <h2 id="set-factor">{t('secondFactor')}</h2>
        <p className="soft">
          {me.user.second_factor_at ? t('factorSince', { when: formatDate(me.user.second_factor_at.slice(0, 10)) }) : t('factorNone')}
        </p>
        <p className="row">
          <Link to={`${root}/settings/security`} className="button plain">
            {me.user.second_factor_at ? t('factorManage') : t('factorSetUp')}
          </Link>
        </p>
      </section>
      <Sessions />
    </>
  )
}

function Profile() {
  const { me } = useApp()
  const users = useResource('user')!
  const client = useQueryClient()
  const notice = useNotice()
  const { explain } = useEditing()
  const [given, setGiven] = useState<Record<string, unknown>>({})
  const [wrong, setWrong] = useState<Record<string, string>>({})
  const save = async () => {
    setWrong({})
    try {
      // The address that one has already would take back a change that waits to be confirmed, so only what differs is sent.
      const body = Object.fromEntries(Object.entries(given).filter(([k, v]) => v !== (me.user as Record<string, unknown>)[k]))
      const saved = await call<{ pending_email: string | null }>('PATCH', '/v1/me', body)
      notice({ text: body.email && saved.pending_email ? t('confirmAddress', { email: saved.pending_email }) : t('profileSaved') })
      setGiven({})
      void client.invalidateQueries({ queryKey: ['me'] })
      void client.invalidateQueries({ queryKey: ['users'] })
    } catch (error) {
      if (error instanceof Problem && error.errors.length) setWrong(Object.fromEntries(error.errors.map((e) => [e.field, e.message])))
      else explain(error)
    }
  }
  return (
    <form
      className="panel stack"
      onSubmit={(e) => {
        e.preventDefault()
        void save()
      }}
      noValidate
    >
      <div className="person">
        <Avatar name={me.user.name} id={me.user.id} />
        <div>
          <p className="strong">
            <bdi>{me.user.name}</bdi>
          </p>
          <p className="soft">
            <bdi>{me.user.email}</bdi> · <bdi>{me.role}</bdi>
          </p>
        </div>
      </div>
      <div className="form-grid">
        {['name', 'email', 'timezone', 'locale'].map((name) => {
          const l = leaf(users, name)!
          return (
            <Labelled
              key={name}
              leaf={{
                ...l,
                help:
                  name === 'email' && me.user.pending_email
                    ? t('addressPending', { email: me.user.pending_email })
                    : l.help && name !== 'name'
                      ? l.help
                      : undefined,
              }}
              value={name in given ? given[name] : (me.user as Record<string, unknown>)[name]}
              error={wrong[name] && `${l.label} ${wrong[name]}`}
              onChange={(v) => setGiven((g) => ({ ...g, [name]: v }))}
            />
          )
        })}
      </div>
      <footer className="dialog-foot">
        <Button look="primary" type="submit" isDisabled={Object.keys(given).length === 0}>
          {t('save')}
        </Button>
      </footer>
    </form>
  )
}

function Password() {
  const { me } = useApp()
  const client = useQueryClient()
  const notice = useNotice()
  const { explain } = useEditing()
  const [old, setOld] = useState('')
  const [fresh, setFresh] = useState('')
  const [wrong, setWrong] = useState<Record<string, string>>({})
  const change = async () => {
    setWrong({})
    try {
      await call('POST', '/v1/me/password', { old_password: old, password: fresh })
      setOld('')
      setFresh('')
      notice({ text: t('passwordChanged') })
      void client.invalidateQueries({ queryKey: ['sessions'] })
    } catch (error) {
      if (error instanceof Problem && error.errors.length) setWrong(Object.fromEntries(error.errors.map((e) => [e.field, e.message])))
      else explain(error)
    }
  }
  const field = (name: string, label: string, kind: string, value: string, set: (v: string) => void, hint?: string) => (
    <div className={`field${wrong[name] ? ' wrong' : ''}`}>
      <label className="field-label" htmlFor={`set-${name}`}>
        {label}
      </label>
      <input
        className="input"
        id={`set-${name}`}
        type="password"
        autoComplete={kind}
        aria-invalid={!!wrong[name] || undefined}
        aria-describedby={wrong[name] || hint ? `set-${name}-more` : undefined}
        value={value}
        onChange={(e) => set(e.target.value)}
      />
      {wrong[name] ? (
        <p className="error" id={`set-${name}-more`}>
          {label} {name === 'old_password' ? t('isWrong') : wrong[name]}
        </p>
      ) : (
        hint && (
          <p className="hint" id={`set-${name}-more`}>
            {hint}
          </p>
        )
      )}
    </div>
  )
  return (
    <form
      className="panel stack"
      aria-labelledby="set-password-title"
      onSubmit={(e) => {
        e.preventDefault()
        void change()
      }}
      noValidate
    >
      <h2 id="set-password-title">{t('password')}</h2>
      <input type="hidden" autoComplete="username" value={me.user.email} readOnly />
      <div className="form-grid">
        {field('old_password', t('oldPassword'), 'current-password', old, setOld)}
        {field('password', t('newPassword'), 'new-password', fresh, setFresh, t('passwordMore'))}
      </div>
      <footer className="dialog-foot">
        <Button type="submit" isDisabled={!old || !fresh}>
          {t('changePassword')}
        </Button>
      </footer>
    </form>
  )
}

type Session = { id: string; agent: string; address: string; created_at: string; seen_at: string; current: boolean }

function Sessions() {
  const client = useQueryClient()
  const notice = useNotice()
  const { explain } = useEditing()
  const { data } = useQuery({
    queryKey: ['sessions'],
    queryFn: async () => (await call<{ data: Session[] }>('GET', '/v1/me/sessions')).data,
  })
  const all = [...(data ?? [])].sort((a, b) => Number(b.current) - Number(a.current))
  const end = async (work: () => Promise<unknown>, text: string) => {
    try {
      await work()
      notice({ text })
    } catch (error) {
      explain(error)
    }
    void client.invalidateQueries({ queryKey: ['sessions'] })
  }
  return (
    <section className="panel" aria-labelledby="set-sessions">
      <h2 id="set-sessions">
        {t('sessions')} {data && <span className="count">{data.length}</span>}
      </h2>
      {!data ? (
        <span className="bone" />
      ) : (
        <ul className="rows cards-rows" aria-labelledby="set-sessions">
          {all.map((s) => (
            <li key={s.id}>
              <span className="what">
                <span title={s.agent}>
                  <span className="strong">{browserOf(s.agent)}</span>
                  {s.current && (
                    <>
                      {' '}
                      <Chip color="green">{t('thisOne')}</Chip>
                    </>
                  )}
                </span>
                <span className="soft">
                  {s.address && `${s.address} · `}
                  {t('seen', { when: ago(s.seen_at) })} · {t('since', { when: formatDate(s.created_at.slice(0, 10)) })}
                </span>
              </span>
              {!s.current && (
                <Button
                  look="quiet"
                  aria-label={t('endSessionOf', { name: browserOf(s.agent) })}
                  onPress={() => void end(() => call('DELETE', `/v1/me/sessions/${s.id}`), t('sessionEnded'))}
                >
                  {t('endSession')}
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
      {all.length > 1 && (
        <p className="row">
          <Button look="danger" onPress={() => void end(() => call('POST', '/v1/me/sessions/end_others', {}), t('sessionsEnded'))}>
            {t('endOthers')}
          </Button>
        </p>
      )}
    </section>
  )
}
