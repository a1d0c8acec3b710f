// Who works here: inviting them, what they are called and may do, and ending their access.

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { readAll } from '../api/cache'
import { call } from '../api/call'
import { useApp, useResource } from '../api/context'
import type { Role, User } from '../api/records'
import { ago } from '../i18n/format'
import { t } from '../i18n/translate'
import { useEditing } from '../records/edit'
import { Labelled } from '../records/fields'
import { Badge } from '../records/shown'
import { labelOf, leaf, leaves, type Resource } from '../schema/schema'
import { Avatar, Button, Chip, Dialog, Icon, useNotice } from '../ui/components'
import { ConfirmDialog } from './access'
import { useRefused } from './refused'
import { type Secret, SecretDialog } from './secret-dialog'

export function useAll<R>(name: string, body: Record<string, unknown>) {
  const res = useResource(name)
  return useQuery({
    queryKey: ['figures', name, 'settings'],
    enabled: !!res && res.permissions.read !== 'none',
    queryFn: () => readAll<R>(res!.path, body),
  }).data
}

type Asking = { user: User; what: 'suspend' | 'delete' | 'factor' }

export function People() {
  const { me } = useApp()
  const users = useResource('user')!
  const client = useQueryClient()
  const notice = useNotice()
  const { explain } = useEditing()
  const [editing, setEditing] = useState<User | 'new' | null>(null)
  const [asking, setAsking] = useState<Asking | null>(null)
  const [once, setOnce] = useState<Secret | null>(null)
  const able = me.features.includes('manage_users') && users.permissions.write !== 'none'
  const all = useAll<User>('user', {
    fields: [
      'id',
      'version',
      'name',
      'email',
      'pending_email',
      'status',
      'role_id',
      'role.name',
      'timezone',
      'locale',
      'last_active_at',
      'second_factor_at',
    ],
    order_by: 'name',
    sort_direction: 'asc',
  })
  const status = leaf(users, 'status')!
  const reread = () => {
    void client.invalidateQueries({ queryKey: ['users'] })
    return client.invalidateQueries({ queryKey: ['figures', 'user'] })
  }
  const act = async (work: () => Promise<unknown>, text: string) => {
    try {
      await work()
      notice({ text })
    } catch (error) {
      explain(error)
    }
    await reread()
  }
  // link gives somebody a way in: by mail, or shown here to be handed on.
  const link = async (user: User) => {
    try {
      const made = await call<{ email: string; link: string | null }>('POST', `${users.path}/${user.id}/link`, {})
      if (made.link)
        setOnce({
          title: t('handOn', { email: made.email }),
          about: t(user.status === 'invited' ? 'handOnInvite' : 'handOnReset'),
          values: [{ label: t('link'), value: location.origin + made.link }],
        })
      else notice({ text: t('linkSent', { email: made.email }) })
    } catch (error) {
      explain(error)
    }
  }
  const saved = async (user: User, fresh: boolean) => {
    setEditing(null)
    await reread()
    if (!fresh) notice({ text: user.pending_email ? t('addressAsked', { email: user.pending_email }) : t('saved', { field: user.name }) })
    else if (me.sends_mail) notice({ text: t('invited', { name: user.email }) })
    else await link(user)
  }
  return (
    <>
      <p className="soft">{t('peopleMore')}</p>
      {able && (
        <p className="row">
          <Button look="primary" icon="plus" onPress={() => setEditing('new')}>
            {t('invite')}
          </Button>
        </p>
      )}
      <div className="scroll" tabIndex={0} role="region" aria-label={`${t('people')}: ${t('table')}`}>
        <table className="plain-table">
          <thead>
            <tr>
              <th scope="col">{t('name')}</th>
              <th scope="col">{t('role')}</th>
              <th scope="col">{labelOf(status)}</th>
              <th scope="col">{t('lastSeen')}</th>
              <th scope="col">{t('secondFactor')}</th>
              {able && (
                <th scope="col">
                  <span className="unseen">{t('more')}</span>
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {all?.map((u) => (
              <tr key={u.id}>
                <th scope="row">
                  <span className="reference">
                    <Avatar name={u.name} id={u.id} />
                    <span>
                      <bdi>{u.name}</bdi>
                      {u.id === me.user.id && (
                        <>
                          {' '}
                          <Chip color="gray">{t('thatIsYou')}</Chip>
                        </>
                      )}
                      <br />
                      <span className="soft">
                        <bdi>{u.email}</bdi>
                      </span>
                    </span>
                  </span>
                </th>
                <td>
                  <bdi>{u.role?.name}</bdi>
                </td>
                <td>
                  <Badge leaf={status} value={u.status} />
                </td>
                <td className="soft">{u.last_active_at ? ago(u.last_active_at) : t('never')}</td>
                <td>
                  {u.second_factor_at ? (
                    <span className="yes">
                      <Icon name="check" />
                      {t('yes')}
                    </span>
                  ) : (
                    <span className="soft">{t('no')}</span>
                  )}
                </td>
                {able && (
                  <td>
                    <Button look="quiet" aria-label={t('editField', { field: u.name })} onPress={() => setEditing(u)}>
                      {t('edit')}
                    </Button>
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {editing && (
        <PersonDialog
          key={editing === 'new' ? 'new' : editing.id}
          res={users}
          user={editing === 'new' ? null : editing}
          onClose={() => setEditing(null)}
          onSaved={(u, fresh) => void saved(u, fresh)}
          onLink={(u) => {
            setEditing(null)
            void link(u)
          }}
          onActivate={(u) => {
            setEditing(null)
            void act(() => call('PATCH', `${users.path}/${u.id}`, { status: 'active' }), t('activated', { name: u.name }))
          }}
          onAsk={(a) => {
            setEditing(null)
            setAsking(a)
          }}
        />
      )}
      {asking && (
        <ConfirmDialog
          title={t(`${asking.what}Of`, { name: asking.user.name })}
          more={t(`${asking.what}More`)}
          action={t(asking.what === 'delete' ? 'delete' : asking.what === 'suspend' ? 'suspend' : 'takeAway')}
          onClose={() => setAsking(null)}
          onSure={() => {
            const { user, what } = asking
            setAsking(null)
            const at = `${users.path}/${user.id}`
            void act(
              () =>
                what === 'delete'
                  ? call('DELETE', at)
                  : what === 'suspend'
                    ? call('PATCH', at, { status: 'suspended' })
                    : call('POST', `${at}/take_second_factor`, {}),
              t(what === 'delete' ? 'deletedOne' : what === 'suspend' ? 'suspended' : 'factorTaken', { name: user.name }),
            )
          }}
        />
      )}
      {once && <SecretDialog secret={once} onClose={() => setOnce(null)} />}
    </>
  )
}

function PersonDialog({
  res,
  user,
  onClose,
  onSaved,
  onLink,
  onActivate,
  onAsk,
}: {
  res: Resource
  user: User | null
  onClose: () => void
  onSaved: (user: User, fresh: boolean) => void
  onLink: (user: User) => void
  onActivate: (user: User) => void
  onAsk: (asking: Asking) => void
}) {
  const { me } = useApp()
  const roles = useAll<Role>('role', { order_by: 'name', sort_direction: 'asc' })
  const [given, setGiven] = useState<Record<string, unknown>>({})
  const wrong = useRefused(
    leaves(res).filter((l) => ['email', 'name', 'role_id', ...(user ? ['timezone', 'locale'] : [])].includes(l.path)),
    { role_id: t('role') },
  )
  const [busy, setBusy] = useState(false)
  const role = (given.role_id as string | undefined) ?? user?.role_id ?? roles?.find((r) => r.name === 'member')?.id ?? ''
  const save = async () => {
    setBusy(true)
    wrong.clear()
    try {
      // The address that somebody has already would take back a change that waits to be confirmed, so only what differs is sent.
      const body = user
        ? Object.fromEntries(Object.entries(given).filter(([k, v]) => v !== user[k as keyof User]))
        : { ...given, ...(role ? { role_id: role } : {}), status: 'invited' }
      onSaved(
        user
          ? await call<User>('PATCH', `${res.path}/${user.id}`, body, { match: user.version })
          : await call<User>('POST', res.path, body),
        !user,
      )
    } catch (error) {
      wrong.fail(error)
    }
    setBusy(false)
  }
  const field = (name: string, focus = false) => {
    const l = leaf(res, name)!
    return (
      <Labelled
        key={name}
        leaf={{
          ...l,
          required: name === 'email',
          help:
            name === 'email' && user?.pending_email
              ? t('addressPending', { email: user.pending_email })
              : name === 'timezone' || name === 'locale'
                ? l.help
                : undefined,
        }}
        value={name in given ? given[name] : (user?.[name as keyof User] ?? null)}
        error={wrong.at(name)}
        autoFocus={focus}
        onChange={(v) => setGiven((g) => ({ ...g, [name]: v }))}
      />
    )
  }
  const other = user && user.id !== me.user.id
  return (
    <Dialog title={user ? user.name : t('invite')} onClose={onClose} wide>
      <form
        className="stack"
        onSubmit={(e) => {
          e.preventDefault()
          void save()
        }}
        noValidate
      >
        {wrong.above}
        <div className="form-grid">
          {field('email', !user)}
          {field('name')}
          <div className={wrong.field('role_id')}>
            <label className="field-label" htmlFor="person-role">
              {t('role')}
            </label>
            <select
              className="input"
              id="person-role"
              value={role}
              {...wrong.control('role_id')}
              onChange={(e) => setGiven((g) => ({ ...g, role_id: e.target.value }))}
            >
              {!roles?.some((r) => r.id === role) && <option value={role}>{user?.role?.name ?? ''}</option>}
              {roles?.map((r) => (
                <option key={r.id} value={r.id}>
                  {r.name}
                </option>
              ))}
            </select>
            {wrong.sentence('role_id')}
          </div>
          {user && field('timezone')}
          {user && field('locale')}
        </div>
        {other && (
          <ul className="rows cards-rows" aria-label={t('access')}>
            {user.status === 'suspended' ? (
              <li>
                <span className="what">
                  <span className="strong">{t('isSuspended')}</span>
                  <span className="soft">{t('isSuspendedMore')}</span>
                </span>
                <Button onPress={() => onActivate(user)}>{t('activate')}</Button>
              </li>
            ) : (
              <>
                <li>
                  <span className="what">
                    <span className="strong">{t(user.status === 'invited' ? 'invitation' : 'password')}</span>
                    <span className="soft">{t('newLinkMore')}</span>
                  </span>
                  <Button onPress={() => onLink(user)}>{t('newLink')}</Button>
                </li>
                {user.second_factor_at && (
                  <li>
                    <span className="what">
                      <span className="strong">{t('secondFactor')}</span>
                      <span className="soft">{t('factorMore')}</span>
                    </span>
                    <Button look="danger" onPress={() => onAsk({ user, what: 'factor' })}>
                      {t('takeAway')}
                    </Button>
                  </li>
                )}
                <li>
                  <span className="what">
                    <span className="strong">{t('suspend')}</span>
                    <span className="soft">{t('suspendMore')}</span>
                  </span>
                  <Button look="danger" onPress={() => onAsk({ user, what: 'suspend' })}>
                    {t('suspend')}
                  </Button>
                </li>
              </>
            )}
            {res.permissions.delete !== 'none' && (
              <li>
                <span className="what">
                  <span className="strong">{t('delete')}</span>
                  <span className="soft">{t('deleteMore')}</span>
                </span>
                <Button look="danger" onPress={() => onAsk({ user, what: 'delete' })}>
                  {t('delete')}
                </Button>
              </li>
            )}
          </ul>
        )}
        <footer className="dialog-foot">
          <Button onPress={onClose}>{t('cancel')}</Button>
          <Button look="primary" type="submit" isDisabled={busy || (user ? Object.keys(given).length === 0 : !given.email)}>
            {user ? t('save') : t('invite')}
          </Button>
        </footer>
      </form>
    </Dialog>
  )
}
