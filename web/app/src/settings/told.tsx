// Of what one is told, and whether that is mailed, too.

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call, Problem } from '../api/call'
import { useApp, useResource } from '../api/context'
import { t } from '../i18n/translate'
import { askPush, canPush, switchOff, switchOn } from '../inbox/push'
import { useEditing } from '../records/edit'
import { useNotice } from '../ui/components'

// What one may be told of, in the order of how much it matters; of reminders one is told in any case, as one made them.
const kinds = ['mention', 'assigned', 'due', 'reminder', 'followed', 'job', 'webhook'] as const
const mails = ['daily', 'now', 'never'] as const
type Chosen = { muted_notifications: string[]; notifications_mailed_at_once: string[]; notifications_not_mailed: string[] }

export function Told() {
  const { me } = useApp()
  const client = useQueryClient()
  const { explain } = useEditing()
  const webhooks = useResource('webhook')
  const [chosen, setChosen] = useState<Chosen>(me.user)
  const set = async (kind: string, given: Partial<Record<keyof Chosen, boolean>>) => {
    const now = { ...chosen }
    for (const [name, is] of Object.entries(given) as [keyof Chosen, boolean][]) {
      now[name] = [...now[name].filter((k) => k !== kind), ...(is ? [kind] : [])]
    }
    setChosen(now)
    try {
      await call('PATCH', '/v1/me', Object.fromEntries(Object.keys(given).map((name) => [name, now[name as keyof Chosen]])))
    } catch (error) {
      setChosen(chosen)
      explain(error)
    }
    await client.invalidateQueries({ queryKey: ['me'] })
  }
  const mailed = (kind: string) =>
    chosen.notifications_not_mailed.includes(kind) ? 'never' : chosen.notifications_mailed_at_once.includes(kind) ? 'now' : 'daily'
  return (
    <section className="panel" aria-labelledby="set-told">
      <h2 id="set-told">{t('notifications')}</h2>
      <table className="plain-table matrix tells" aria-labelledby="set-told">
        <thead>
          <tr>
            <th scope="col">{t('tell')}</th>
            <th scope="col">{t('tellApp')}</th>
            {me.sends_mail && <th scope="col">{t('tellMail')}</th>}
          </tr>
        </thead>
        <tbody>
          {kinds
            .filter((kind) => kind !== 'webhook' || (webhooks && webhooks.permissions.read !== 'none'))
            .map((kind) => {
              const muted = chosen.muted_notifications.includes(kind)
              return (
                <tr key={kind}>
                  <th scope="row">{t(`tell.${kind}`)}</th>
                  <td>
                    <input
                      type="checkbox"
                      aria-label={`${t(`tell.${kind}`)}: ${t('tellApp')}`}
                      disabled={kind === 'reminder'}
                      checked={!muted}
                      onChange={(e) => void set(kind, { muted_notifications: !e.target.checked })}
                    />
                  </td>
                  {me.sends_mail && (
                    <td>
                      <select
                        className="input"
                        aria-label={`${t(`tell.${kind}`)}: ${t('tellMail')}`}
                        disabled={muted}
                        value={muted ? 'never' : mailed(kind)}
                        onChange={(e) =>
                          void set(kind, {
                            notifications_mailed_at_once: e.target.value === 'now',
                            notifications_not_mailed: e.target.value === 'never',
                          })
                        }
                      >
                        {mails.map((m) => (
                          <option key={m} value={m}>
                            {t(`tellMail.${m}`)}
                          </option>
                        ))}
                      </select>
                    </td>
                  )}
                </tr>
              )
            })}
        </tbody>
      </table>
      {canPush() && <ThisDevice />}
    </section>
  )
}

// ThisDevice has notifications shown by the system, also while the app is closed.
function ThisDevice() {
  const { me } = useApp()
  const client = useQueryClient()
  const notice = useNotice()
  const { explain } = useEditing()
  const [busy, setBusy] = useState(false)
  const push = useQuery({ queryKey: ['push'], queryFn: askPush })
  const set = async (on: boolean) => {
    setBusy(true)
    try {
      if (!on) await switchOff()
      else if (!(await switchOn(me.user.email))) notice({ text: t('pushDenied'), bad: true })
    } catch (error) {
      if (error instanceof Problem) explain(error)
      else notice({ text: t('pushFailed'), bad: true })
    }
    await client.invalidateQueries({ queryKey: ['push'] })
    setBusy(false)
  }
  return (
    <label className="check">
      <input
        type="checkbox"
        disabled={busy || !push.data}
        checked={push.data?.subscribed ?? false}
        onChange={(e) => void set(e.target.checked)}
      />
      <span>
        {t('pushHere')}
        <span className="soft"> {t('pushMore')}</span>
      </span>
    </label>
  )
}
