// What each role allows.

import { Fragment, useState } from 'react'
import { useApp } from '../api/context'
import type { Role } from '../api/records'
import { said, t } from '../i18n/translate'
import { leaf, pluralLabel, type Reach, type Resource } from '../schema/schema'
import { useAll } from './people'

const verbs = ['read', 'write', 'delete'] as const

const reachOf = (role: Role, res: Resource, verb: string): Reach =>
  (role.permissions as Record<string, Record<string, Reach>> | null)?.[res.name]?.[verb] ?? 'none'

// Roles is a matrix: for each thing, and each of reading, writing and deleting, how far a role reaches. One role can be looked at as whoever has it sees the app.
export function Roles() {
  const { schema, me } = useApp()
  const roles = useAll<Role>('role', { order_by: 'name', sort_direction: 'asc' })
  const [as, setAs] = useState('')
  if (!roles) return <span className="bone" />
  const role = roles.find((r) => r.id === as)
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
            {roles.map((r) => (
              <option key={r.id} value={r.id}>
                {r.name}
              </option>
            ))}
          </select>
        </label>
      </div>
      {role && <AsRole role={role} />}
      <div className="scroll" tabIndex={0} role="region" aria-label={`${t('roles')}: ${t('table')}`}>
        <table className="plain-table matrix">
          <thead>
            <tr>
              <th rowSpan={2} scope="col">
                {t('thing')}
              </th>
              {shown.map((r) => (
                <th key={r.id} colSpan={3} scope="colgroup">
                  <bdi>{r.name}</bdi>
                </th>
              ))}
            </tr>
            <tr>
              {shown.map((r) => (
                <Fragment key={r.id}>
                  {verbs.map((v) => (
                    <th key={v} scope="col">
                      {t(`verb.${v}`)}
                    </th>
                  ))}
                </Fragment>
              ))}
            </tr>
          </thead>
          <tbody>
            {schema.resources.map((res) => (
              <tr key={res.name}>
                <th scope="row">{pluralLabel(res)}</th>
                {shown.map((r) => (
                  <Fragment key={r.id}>
                    {verbs.map((v) => (
                      <td key={v} className={`reach-${reachOf(r, res, v)}`}>
                        {t(`reach.${reachOf(r, res, v)}`)}
                      </td>
                    ))}
                  </Fragment>
                ))}
              </tr>
            ))}
            {features.map((f) => (
              <tr key={f}>
                <th scope="row">{said(`feature.${f}`, f.replaceAll('_', ' '))}</th>
                {shown.map((r) => (
                  <td key={r.id} colSpan={3} className={`reach-${(r.features as string[]).includes(f) ? 'all' : 'none'}`}>
                    {(r.features as string[]).includes(f) ? t('yes') : t('no')}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}

// AsRole tells in sentences what somebody with a role sees and can do.
function AsRole({ role }: { role: Role }) {
  const { schema } = useApp()
  const of = (verb: string, reach: Reach) => schema.resources.filter((r) => !r.feature && reachOf(role, r, verb) === reach).map(pluralLabel)
  const lines = verbs.flatMap((verb) =>
    (['all', 'own', 'none'] as Reach[]).flatMap((reach) =>
      of(verb, reach).length ? [{ key: verb + reach, text: t(`as.${verb}.${reach}`, { things: of(verb, reach).join(', ') }) }] : [],
    ),
  )
  return (
    <section className="panel" aria-label={role.name}>
      <ul className="stack tight">
        {lines.map((l) => (
          <li key={l.key}>{l.text}</li>
        ))}
      </ul>
    </section>
  )
}
