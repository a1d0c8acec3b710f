// The first page of a business that has nothing yet: what one can begin with.

import { type ReactNode, useState } from 'react'
import { useApp } from '../api/context'
import type { Messages } from '../i18n/messages/all'
import { t } from '../i18n/translate'
import { CreateDialog } from '../records/form'
import { useSample } from '../samples/samples'
import { newLabel, type Resource } from '../schema/schema'
import { Button, Icon } from '../ui/components'
import { go, root } from '../ui/route'

// A first record that is offered to be made.
type First = { res: Resource; title: keyof Messages; more: keyof Messages }

export default function Start({ firsts }: { firsts: First[] }) {
  const { me } = useApp()
  const { able, busy, load } = useSample()
  const [creating, setCreating] = useState<Resource | null>(null)
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
          {firsts.length > 0 && (
            <Card icon="import" title={t('importFirst')} text={t('importFirstMore')}>
              <Button onPress={() => go(`${root}/import`)}>{t('importFile')}</Button>
            </Card>
          )}
          {firsts.map(({ res, title, more }) => (
            <Card key={res.name} icon={res.name} title={t(title)} text={t(more)}>
              <Button icon="plus" onPress={() => setCreating(res)}>
                {newLabel(res)}
              </Button>
            </Card>
          ))}
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
      {creating && <CreateDialog res={creating} onClose={() => setCreating(null)} />}
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
