// How much one has not read yet: beside the inbox in the sidebar.

import { useQuery } from '@tanstack/react-query'
import { call, type Filter, type Page } from '../api/call'
import { useResource } from '../api/context'
import { t } from '../i18n/translate'

// What is snoozed comes back without anything being written, so it is looked for now and again.
export const lookEvery = 60_000
const mostCounted = 100

export const unread: Filter[] = [
  { field: 'read_at', operator: 'is_not_set' },
  { field: 'at', operator: 'lte', value: '@now' },
]

export function useInbox() {
  const res = useResource('notification')
  return res && res.permissions.read !== 'none' ? res : undefined
}

// Unread is the count; what one may not see any more is not in it.
export function Unread() {
  const { data } = useQuery({
    queryKey: ['figures', 'notification', 'unread'],
    refetchInterval: lookEvery,
    queryFn: () => call<Page>('POST', '/v1/notifications/search', { filters: unread, fields: ['id', 'about_id'], limit: mostCounted }),
  })
  const count = data?.data.length ?? 0
  if (count === 0) return null
  return (
    <span className="unread-count" title={t('unreadCount', { count })}>
      <span aria-hidden="true">{count < mostCounted ? count : `${mostCounted - 1}+`}</span>
      <span className="unseen">{t('unreadCount', { count })}</span>
    </span>
  )
}
