// Of what one is told.

import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/call'
import { useApp, useResource } from '../api/context'
import { t } from '../i18n/translate'
import { useEditing } from '../records/edit'

// What one may be told of, in the order of how much it matters; of reminders one is told in any case, as one made them.
const kinds = ['mention', 'assigned', 'due', 'followed', 'webhook'] as const

export function Told() {
  const { me } = useApp()
  const client = useQueryClient()
  const { explain } = useEditing()
  const webhooks = useResource('webhook')
  const [muted, setMuted] = useState(me.user.muted_notifications)
  const set = async (kind: string, told: boolean) => {
    const now = told ? muted.filter((k) => k !== kind) : [...muted, kind]
    setMuted(now)
    try {
      await call('PATCH', '/v1/me', { muted_notifications: now })
    } catch (error) {
      setMuted(muted)
      explain(error)
    }
    await client.invalidateQueries({ queryKey: ['me'] })
  }
  return (
    <section className="panel" aria-labelledby="set-told">
      <h2 id="set-told">{t('notifications')}</h2>
      <p className="soft">{t('notificationsMore')}</p>
      <ul className="rows" aria-labelledby="set-told">
        {kinds
          .filter((kind) => kind !== 'webhook' || (webhooks && webhooks.permissions.read !== 'none'))
          .map((kind) => (
            <li key={kind}>
              <label className="check">
                <input type="checkbox" checked={!muted.includes(kind)} onChange={(e) => void set(kind, e.target.checked)} />
                {t(`tell.${kind}`)}
              </label>
            </li>
          ))}
      </ul>
    </section>
  )
}
