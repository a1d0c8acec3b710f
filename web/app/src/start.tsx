// The first page of a business that has nothing yet: what one can begin with.

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { refresh } from './api/cache'
import { useApp, useResource } from './api/context'
import { t } from './i18n/translate'
import { useEditing } from './records/edit'
import { CreateDialog } from './records/form'
import { hasSample, loadSample, removeSample } from './sample-data'
import { newLabel } from './schema/schema'
import { Button, Icon, useNotice } from './ui/components'
import { go, root } from './ui/route'

export function useSample() {
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

export default function Start() {
  const { me, schema } = useApp()
  const { busy, load } = useSample()
  const [creating, setCreating] = useState(false)
  const contacts = useResource('contact')!
  const canWrite = (name: string) => schema.resources.find((r) => r.name === name)?.permissions.write === 'all'
  const able = ['company', 'contact', 'deal', 'task', 'note', 'activity', 'product'].every(canWrite)
  return (
    <section className="screen start" aria-labelledby="screen-title">
      <div className="start-body">
        <header>
          <p className="soft">{t('welcome', { name: me.user.name.split(' ')[0] })}</p>
          <h1 id="screen-title">{t('startTitle', { business: me.business.name })}</h1>
          <p className="soft">{t('startMore')}</p>
        </header>
        <ul className="start-cards">
          {able && (
            <Card icon="board" title={t('trySample')} text={t('trySampleMore')}>
              <Button look="primary" isDisabled={busy} onPress={() => void load()}>
                {t('loadSample')}
              </Button>
            </Card>
          )}
          {contacts.permissions.write !== 'none' && (
            <Card icon="import" title={t('importFirst')} text={t('importFirstMore')}>
              <Button onPress={() => go(`${root}/import`)}>{t('importFile')}</Button>
            </Card>
          )}
          {contacts.permissions.write !== 'none' && (
            <Card icon="contact" title={t('addFirst')} text={t('addFirstMore')}>
              <Button icon="plus" onPress={() => setCreating(true)}>
                {newLabel(contacts)}
              </Button>
            </Card>
          )}
          {me.features.includes('manage_users') && (
            <Card icon="user" title={t('inviteTeam')} text={t('inviteTeamMore')}>
              <Button onPress={() => go(`${root}/settings/people`)}>{t('invite')}</Button>
            </Card>
          )}
          <Card icon="link" title={t('connectAgent')} text={t('connectAgentMore')}>
            <Button onPress={() => go(`${root}/settings/connected`)}>{t('howToConnect')}</Button>
          </Card>
        </ul>
      </div>
      {creating && <CreateDialog res={contacts} onClose={() => setCreating(false)} />}
    </section>
  )
}

function Card({ icon, title, text, children }: { icon: string; title: string; text: string; children: ReactNode }) {
  return (
    <li className="panel">
      <span className="sign">
        <Icon name={icon} />
      </span>
      <h2>{title}</h2>
      <p className="soft">{text}</p>
      <p>{children}</p>
    </li>
  )
}
