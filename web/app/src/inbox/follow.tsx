// The button by which one follows a record, to be told what becomes of it.

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call, type Page, type Rec } from '../api/call'
import { useResource } from '../api/context'
import { t } from '../i18n/translate'
import { useEditing } from '../records/edit'
import { leaf } from '../schema/schema'
import { Button } from '../ui/components'

export function FollowButton({ record }: { record: Rec }) {
  const follow = useResource('follow')
  const client = useQueryClient()
  const { explain } = useEditing()
  const [busy, setBusy] = useState(false)
  const able =
    !!follow &&
    follow.permissions.write !== 'none' &&
    !record.deleted_at &&
    !!leaf(follow, 'about_id')?.targets?.some((target) => record.id.startsWith(`${target}_`))
  const key = ['figures', 'follow', record.id]
  const { data } = useQuery({
    queryKey: key,
    enabled: able,
    queryFn: async () =>
      (
        await call<Page>('POST', '/v1/follows/search', {
          filters: [{ field: 'about_id', operator: 'eq', value: record.id }],
          fields: ['id'],
          limit: 1,
        })
      ).data[0] ?? null,
  })
  if (!able || data === undefined) return null
  const toggle = async () => {
    setBusy(true)
    try {
      if (data) await call('DELETE', `/v1/follows/${data.id}`)
      const made = data ? null : await call<Rec>('POST', '/v1/follows', { about_id: record.id })
      client.setQueryData(key, made)
    } catch (error) {
      explain(error)
      void client.invalidateQueries({ queryKey: key })
    }
    setBusy(false)
  }
  return (
    <Button icon={data ? 'check' : 'bell'} aria-pressed={!!data} isDisabled={busy} onPress={() => void toggle()}>
      {t(data ? 'following' : 'follow')}
    </Button>
  )
}
