// What each role allows.

import { useQueryClient } from '@tanstack/react-query'
import { Fragment, useState } from 'react'
import { call } from '../api/call'
import { useApp } from '../api/context'
import type { Role } from '../api/records'
import { seeAs } from '../api/see-as'
import { said, t } from '../i18n/translate'
import { useEditing } from '../records/edit'
import { leaf, pluralLabel, type Reach, type Resource } from '../schema/schema'
import { Button, Dialog, useNarrow, useNotice } from '../ui/components'
import { root } from '../ui/route'
import { useAll } from './people'

const verbs = ['read', 'write', 'delete'] as const

const reachOf = (role: Role, res: Resource, verb: string): Reach =>
  (role.permissions as Record<string, Record<string, Reach>> | null)?.[res.name]?.[verb] ?? 'none'

// A draft is what is being made of one role, until it is saved.
type Draft = { permissions: Record<string, Record<string, Reach>>; features: Role['features'] }

const draftOf = (role: Role): Draft => ({
  permissions: (role.permissions ?? {}) as Draft['permissions'],
  features: role.features,
})

// Roles is a matrix: for each thing, and each of reading, writing and deleting, how far a role reaches.
// One role can be looked at alone, and changed.
export function Roles() {
  const { schema, me } = useApp()
  const roles = useAll<Role>('role', { order_by: 'name', sort_direction: 'asc' })
  const [as, setAs] = useState('')
  const [draft, setDraft] = useState<Draft | null>(null)
  const [naming, setNaming] = useState(false)
  const client = useQueryClient()
  const notice = useNotice()
  const { explain } = useEditing()
  const narrow = useNarrow()
  if (!roles) return <span className="bone" />
  // On a phone there is room for one beside the names.
  const role = roles.find((r) => r.id === as) ?? (narrow ? (roles.find((r) => r.name === me.role) ?? roles[0]) : undefined)
  const features =
    leaf(schema.resources.find((r) => r.name === 'role')!, 'features')?.options?.map((o) => o.value as Role['features'][number]) ?? []
  const shown = role ? [draft ? { ...role, ...draft } : role] : roles
  const own = schema.resources.find((r) => r.name === 'role')!
  const able = own.permissions.write !== 'none'
  const save = async () => {
    try {
      await call('PATCH', `${own.path}/${role!.id}`, draft, { match: role!.version })
      notice({ text: t('roleSaved', { name: role!.name }) })
      setDraft(null)
    } catch (error) {
      explain(error)
    }
    for (const key of [['figures', 'role'], ['schema'], ['me']]) await client.invalidateQueries({ queryKey: key })
  }
  const reaching = (res: Resource, verb: string, reach: Reach) =>
    setDraft((d) => d && { ...d, permissions: { ...d.permissions, [res.name]: { ...d.permissions[res.name], [verb]: reach } } })
  const allowing = (feature: Role['features'][number], on: boolean) =>
    setDraft((d) => d && { ...d, features: on ? [...d.features, feature] : d.features.filter((f) => f !== feature) })
  return (
    <>
      <p className="soft">{t('rolesMore', { role: me.role })}</p>
      <div className="row">
        <label className="field short">
          <span className="field-label">{t('oneRole')}</span>
          <select className="input" value={role?.id ?? ''} disabled={!!draft} onChange={(e) => setAs(e.target.value)}>
            {!narrow && <option value="">{t('allRoles')}</option>}
            {roles.map((r) => (
              <option key={r.id} value={r.id}>
                {r.name}
              </option>
            ))}
          </select>
        </label>
        <span className="grow" />
        {able && role && role.name !== me.role && !draft && <Button onPress={() => seeAs(role.id, root)}>{t('seeAs')}</Button>}
        {able && role && !draft && (
          <Button icon="edit" onPress={() => setDraft(draftOf(role))}>
            {t('editRole')}
          </Button>
        )}
        {able && !draft && (
          <Button icon="plus" onPress={() => setNaming(true)}>
            {t('newRole')}
          </Button>
        )}
        {draft && (
          <>
            <Button onPress={() => setDraft(null)}>{t('cancel')}</Button>
            <Button look="primary" onPress={() => void save()}>
              {t('save')}
            </Button>
          </>
        )}
      </div>
      {naming && (
        <NewRole
          res={own}
          roles={roles}
          like={role}
          onClose={() => setNaming(false)}
          onMade={async (made) => {
            setNaming(false)
            await client.invalidateQueries({ queryKey: ['figures', 'role'] })
            setAs(made.id)
            setDraft(draftOf(made))
          }}
        />
      )}
      {role && !draft && <AsRole role={role} />}
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
                        {draft ? (
                          <select
                            className="input"
                            aria-label={`${pluralLabel(res)}: ${t(`verb.${v}`)}`}
                            value={reachOf(r, res, v)}
                            onChange={(e) => reaching(res, v, e.target.value as Reach)}
                          >
                            {(['none', 'own', 'all'] as const).map((reach) => (
                              <option key={reach} value={reach}>
                                {reach === 'none' ? t('nothing') : t(`reach.${reach}`)}
                              </option>
                            ))}
                          </select>
                        ) : (
                          t(`reach.${reachOf(r, res, v)}`)
                        )}
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
                  <td key={r.id} colSpan={3} className={`reach-${r.features.includes(f) ? 'all' : 'none'}`}>
                    {draft ? (
                      <input
                        type="checkbox"
                        aria-label={said(`feature.${f}`, f.replaceAll('_', ' '))}
                        checked={draft.features.includes(f)}
                        onChange={(e) => allowing(f, e.target.checked)}
                      />
                    ) : r.features.includes(f) ? (
                      t('yes')
                    ) : (
                      t('no')
                    )}
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

// NewRole asks what a role is to be called, and which other one it begins like: where one is looked at, like that one.
function NewRole({
  res,
  roles,
  like,
  onClose,
  onMade,
}: {
  res: Resource
  roles: Role[]
  like?: Role
  onClose: () => void
  onMade: (made: Role) => Promise<void>
}) {
  const [name, setName] = useState('')
  const [from, setFrom] = useState(like?.id ?? '')
  const { explain } = useEditing()
  const make = async () => {
    const model = roles.find((r) => r.id === from)
    try {
      await onMade(await call<Role>('POST', res.path, { name: name.trim(), ...(model ? draftOf(model) : {}) }))
    } catch (error) {
      explain(error)
    }
  }
  return (
    <Dialog title={t('newRole')} onClose={onClose}>
      <form
        noValidate
        className="stack"
        onSubmit={(e) => {
          e.preventDefault()
          void make()
        }}
      >
        <label className="field">
          <span className="field-label">{t('name')}</span>
          <input className="input" autoFocus value={name} maxLength={255} onChange={(e) => setName(e.target.value)} />
        </label>
        <label className="field">
          <span className="field-label">{t('roleFrom')}</span>
          <select className="input" value={from} onChange={(e) => setFrom(e.target.value)}>
            <option value="">{t('roleFromNothing')}</option>
            {roles.map((r) => (
              <option key={r.id} value={r.id}>
                {r.name}
              </option>
            ))}
          </select>
        </label>
        <footer className="dialog-foot">
          <Button onPress={onClose}>{t('cancel')}</Button>
          <Button look="primary" type="submit" isDisabled={!name.trim()}>
            {t('create')}
          </Button>
        </footer>
      </form>
    </Dialog>
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
