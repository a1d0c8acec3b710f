// Sample data for whoever wants to look around first: it is loaded, told of, and taken away again.

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { refresh } from '../api/cache'
import { byPlural, useApp, useResource } from '../api/context'
import { t } from '../i18n/translate'
import { useEditing } from '../records/edit'
import { Button, useNotice } from '../ui/components'
import { hasSample, loadSample, removeSample, sampled } from './sample-data'

export function useSample() {
  const { schema } = useApp()
  const client = useQueryClient()
  const notice = useNotice()
  const { explain } = useEditing()
  const [busy, setBusy] = useState(false)
  const run = async (work: () => Promise<void>, doing: string, done: string) => {
    setBusy(true)
    const card = notice({ text: doing, progress: { done: 0, total: 0 } })
    try {
      await work()
      notice({ text: done })
    } catch (error) {
      explain(error)
    }
    card.close()
    setBusy(false)
    await refresh(client)
  }
  return {
    able: sampled.every((name) => byPlural(schema, name)?.permissions.write === 'all'),
    busy,
    load: () => run(loadSample, t('loadingSample'), t('sampleLoaded')),
    remove: () => run(removeSample, t('removingSample'), t('sampleRemoved')),
  }
}

// SampleNote stands above the day's work for as long as there is sample data, for those who can take it away.
export function SampleNote() {
  const contacts = useResource('contact')
  const { data } = useQuery({
    queryKey: ['figures', 'contact', 'sample'],
    enabled: contacts?.permissions.delete === 'all',
    staleTime: 60_000,
    queryFn: hasSample,
  })
  const { busy, remove } = useSample()
  if (!data) return null
  return (
    <p className="sample-note" role="status">
      <span>{t('sampleNote')}</span>
      <Button isDisabled={busy} onPress={() => void remove()}>
        {t('removeSample')}
      </Button>
    </p>
  )
}
