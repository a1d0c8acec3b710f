// How people of the business log in with their company's own log-in, by OpenID Connect.

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { readAll } from '../api/cache'
import { call, Problem } from '../api/call'
import { useApp } from '../api/context'
import type * as records from '../api/records'
import '../i18n/messages/more'
import { t } from '../i18n/translate'
import { Button, useNotice } from '../ui/components'
import { useRefused } from './refused'
import { Copied } from './secret-dialog'

type Name = keyof records.Business & `login_${string}`

export default function CompanyLogin({ business }: { business: records.Business }) {
  const client = useQueryClient()
  const notice = useNotice()
  const [given, setGiven] = useState<Partial<Record<Name, unknown>>>({})
  const { schema } = useApp()
  const names: Partial<Record<Name, string>> = {
    login_issuer: t('companyIssuer'),
    login_domains: t('companyDomains'),
    login_client_id: t('clientId'),
    login_client_secret: t('clientSecret'),
    login_role_id: t('companyRole'),
  }
  const wrong = useRefused(
    (schema.business?.fields ?? []).filter((f) => f.name in names).map((f) => ({ ...f, path: f.name })),
    names,
  )
  const { data: roles } = useQuery({
    queryKey: ['figures', 'role', 'names'],
    queryFn: () => readAll<records.Role>('/v1/roles', { fields: ['id', 'name'], order_by: 'name', sort_direction: 'asc' }),
  })
  const value = (name: Name) => (name in given ? given[name] : business[name])
  const set = (name: Name, v: unknown) => setGiven((g) => ({ ...g, [name]: v }))
  const send = async (body: Record<string, unknown>, text: string) => {
    wrong.clear()
    try {
      client.setQueryData(['business'], await call<records.Business>('PATCH', '/v1/business', body, { match: business.version }))
      setGiven({})
      notice({ text })
    } catch (error) {
      wrong.fail(error)
      if (error instanceof Problem && error.status === 412) void client.invalidateQueries({ queryKey: ['business'] })
    }
  }
  const save = () => {
    const body: Record<string, unknown> = { ...given }
    if (typeof body.login_domains === 'string') body.login_domains = body.login_domains.split(/[\s,]+/).filter(Boolean)
    for (const name in body) if (body[name] === '') body[name] = null
    if (!body.login_client_secret) delete body.login_client_secret // an empty one keeps what is there
    return send(body, t('companySaved'))
  }
  const field = (name: Name, hint?: string, type = 'text') => {
    const shown =
      name === 'login_client_secret'
        ? (given[name] ?? '')
        : name === 'login_domains' && Array.isArray(value(name))
          ? (value(name) as string[]).join(' ')
          : (value(name) ?? '')
    return (
      <div className={wrong.field(name)}>
        <label className="field-label" htmlFor={`co-${name}`}>
          {names[name]}
        </label>
        <input
          className="input"
          id={`co-${name}`}
          type={type}
          autoComplete="off"
          spellCheck={false}
          aria-describedby={hint ? `co-${name}-more` : undefined}
          {...wrong.control(name)}
          value={shown as string}
          onChange={(e) => set(name, e.target.value)}
        />
        {wrong.sentence(name) ||
          (hint && (
            <p className="hint" id={`co-${name}-more`}>
              {hint}
            </p>
          ))}
      </div>
    )
  }
  const tick = (name: Name, label: string) => (
    <label>
      <input type="checkbox" checked={!!value(name)} onChange={(e) => set(name, e.target.checked)} />
      <span>{label}</span>
    </label>
  )
  return (
    <form
      className="panel stack"
      aria-labelledby="set-company"
      onSubmit={(e) => {
        e.preventDefault()
        void save()
      }}
      noValidate
    >
      <h2 id="set-company">{t('companyLogin')}</h2>
      <p className="soft">{t('companyLoginMore')}</p>
      <Copied label={t('companyRedirect')} value={`${location.origin}/login/company/${business.id}`} />
      {wrong.above}
      <div className="form-grid">
        {field('login_issuer', t('companyIssuerMore'))}
        {field('login_domains', t('companyDomainsMore'))}
        {field('login_client_id')}
        {field('login_client_secret', business.login_client_secret ? t('companySecretKept') : undefined, 'password')}
        <div className={wrong.field('login_role_id')}>
          <label className="field-label" htmlFor="co-role">
            {t('companyRole')}
          </label>
          <select
            className="input"
            id="co-role"
            {...wrong.control('login_role_id')}
            value={(value('login_role_id') ?? '') as string}
            onChange={(e) => set('login_role_id', e.target.value)}
          >
            <option value="">{t('companyNobodyNew')}</option>
            {roles?.map((r) => (
              <option key={r.id} value={r.id}>
                {r.name}
              </option>
            ))}
          </select>
          {wrong.sentence('login_role_id')}
        </div>
      </div>
      <fieldset className="checks">
        <legend className="unseen">{t('companyLogin')}</legend>
        {tick('login_required', t('companyRequired'))}
        {tick('login_trusted', t('companyTrusted'))}
      </fieldset>
      <footer className="dialog-foot">
        {business.login_issuer && (
          <Button
            look="danger"
            aria-label={t('removeOf', { name: t('companyLogin') })}
            onPress={() => void send({ login_issuer: null }, t('companyRemoved'))}
          >
            {t('remove')}
          </Button>
        )}
        <Button look="primary" type="submit" isDisabled={Object.keys(given).length === 0}>
          {t('save')}
        </Button>
      </footer>
    </form>
  )
}
