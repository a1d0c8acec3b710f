// The button by which one follows a record, to be told what becomes of it.

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call, type Page, type Rec } from '../api/call'
import { useResource } from '../api/context'
import { t } from '../i18n/translate'
import { useEditing } from '../records/edit'
import { leaf } from '../schema/schema'
import { Button } from '../ui/components'
import { keyOf, searchOf } from './followed'

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
  const key = keyOf(record.id)
  const { data } = useQuery({
    queryKey: key,
    enabled: able,
    staleTime: 60_000,
    queryFn: async () => (await call<Page>('POST', '/v1/follows/search', searchOf(record.id))).data[0] ?? null,
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
    <Button
      icon={data ? 'check' : 'bell'}
      label={t(data ? 'following' : 'follow')}
      aria-pressed={!!data}
      isDisabled={busy}
      onPress={() => void toggle()}
    />
  )
}
