// Who works here, and what each role allows.

import { useQuery } from '@tanstack/react-query'
import { Fragment, useState } from 'react'
import { ago } from '../format'
import { pluralLabel } from '../list'
import { labelOf, leaf, plural, type Reach, type Resource } from '../model'
import { Link, root } from '../route'
import { Avatar, Icon } from '../ui'
import { Badge } from '../fields'
import { everything, useResource, useWorld } from '../world'
import { said, t } from '../words'
import { Page } from './you'

function useAll(name: string, body: Record<string, unknown>) {
  const res = useResource(name)
  return useQuery({ queryKey: ['figures', name, 'settings'], enabled: !!res && res.permissions.read !== 'none', queryFn: () => everything(res!.path, body) }).data
}

export function People() {
  const { me } = useWorld()
  const users = useResource('user')!
  const all = useAll('user', { fields: ['id', 'version', 'name', 'email', 'status', 'role.name', 'last_active_at', 'second_factor_at'], order_by: 'name', sort_direction: 'asc' })
  const status = leaf(users, 'status')!
  return (
    <>
      <p className="soft">{t('peopleMore')}</p>
      {me.features.includes('manage_users') && <p className="row"><Page to="/account/people">{t('invitePeople')}</Page></p>}
      <div className="scroll" tabIndex={0} role="region" aria-label={`${t('people')}: ${t('table')}`}>
        <table className="plain-table">
          <thead><tr><th scope="col">{t('name')}</th><th scope="col">{t('role')}</th><th scope="col">{labelOf(status)}</th><th scope="col">{t('lastSeen')}</th><th scope="col">{t('secondFactor')}</th></tr></thead>
          <tbody>
            {all?.map((u) => (
              <tr key={u.id}>
                <th scope="row"><Link to={`${root}/${plural(users)}/${u.id}`} className="reference"><Avatar name={u.name} id={u.id} /><span><bdi>{u.name}</bdi><br /><span className="soft"><bdi>{u.email}</bdi></span></span></Link></th>
                <td><bdi>{u.role?.name}</bdi></td>
                <td><Badge leaf={status} value={u.status} /></td>
                <td className="soft">{u.last_active_at ? ago(u.last_active_at) : t('never')}</td>
                <td>{u.second_factor_at ? <span className="yes"><Icon name="check" />{t('yes')}</span> : <span className="soft">{t('no')}</span>}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}

const verbs = ['read', 'write', 'delete'] as const

// Roles is a matrix: for each thing, and each of reading, writing and deleting, how far a role reaches. One role can be looked at as whoever has it sees the app.
export function Roles() {
  const { schema, me } = useWorld()
  const roles = useAll('role', { order_by: 'name', sort_direction: 'asc' })
  const [as, setAs] = useState('')
  if (!roles) return <span className="bone" />
  const role = roles.find((r) => r.id === as)
  const reach = (r: any, res: Resource, verb: string): Reach => r.permissions?.[res.name]?.[verb] ?? 'none'
  const features = leaf(schema.resources.find((r) => r.name === 'role')!, 'features')?.options?.map((o) => o.value) ?? []
  const shown = role ? [role] : roles
  return (
    <>
      <p className="soft">{t('rolesMore', { role: me.role })}</p>
      <div className="row">
        <label className="field short">
          <span className="field-label">{t('seeAs')}</span>
          <select className="input" value={as} onChange={(e) => setAs(e.target.value)}>
            <option value="">{t('allRoles')}</option>
            {roles.map((r) => <option key={r.id} value={r.id}>{r.name}</option>)}
          </select>
        </label>
        {me.features.includes('manage_roles') && <Page to="/account/roles">{t('rolesInWords')}</Page>}
      </div>
      {role && <AsRole role={role} />}
      <div className="scroll" tabIndex={0} role="region" aria-label={`${t('roles')}: ${t('table')}`}>
        <table className="plain-table matrix">
          <thead>
            <tr><th rowSpan={2} scope="col">{t('thing')}</th>{shown.map((r) => <th key={r.id} colSpan={3} scope="colgroup"><bdi>{r.name}</bdi></th>)}</tr>
            <tr>{shown.map((r) => <Fragment key={r.id}>{verbs.map((v) => <th key={v} scope="col">{t(`verb.${v}`)}</th>)}</Fragment>)}</tr>
          </thead>
          <tbody>
            {schema.resources.map((res) => (
              <tr key={res.name}>
                <th scope="row">{pluralLabel(res)}</th>
                {shown.map((r) => <Fragment key={r.id}>{verbs.map((v) => <td key={v} className={`reach-${reach(r, res, v)}`}>{t(`reach.${reach(r, res, v)}`)}</td>)}</Fragment>)}
              </tr>
            ))}
            {features.map((f) => (
              <tr key={f}>
                <th scope="row">{said(`feature.${f}`, f.replaceAll('_', ' '))}</th>
                {shown.map((r) => <td key={r.id} colSpan={3} className={`reach-${r.features?.includes(f) ? 'all' : 'none'}`}>{r.features?.includes(f) ? t('yes') : t('no')}</td>)}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}

// AsRole tells in sentences what somebody with a role sees and can do.
function AsRole({ role }: { role: any }) {
  const { schema } = useWorld()
  const of = (verb: string, reach: Reach) => schema.resources.filter((r) => !r.feature && (role.permissions?.[r.name]?.[verb] ?? 'none') === reach).map(pluralLabel)
  const lines = verbs.flatMap((verb) => (['all', 'own', 'none'] as Reach[]).flatMap((reach) => (of(verb, reach).length ? [{ key: verb + reach, text: t(`as.${verb}.${reach}`, { things: of(verb, reach).join(', ') }) }] : [])))
  return (
    <section className="panel" aria-label={role.name}>
      <ul className="stack tight">{lines.map((l) => <li key={l.key}>{l.text}</li>)}</ul>
    </section>
  )
}
