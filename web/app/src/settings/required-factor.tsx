// Whose role requires a second factor sets one up before anything else, and then goes on to where they wanted to go.

import { useEffect, useState } from 'react'
import { confirmBy } from '../api/call'
import { Button, Mark, Notices } from '../ui/components'
import { root } from '../ui/route'
import Confirm from './confirm'
import { nextAddress } from './next-address'
import Security, { useFactors } from './security'
import '../i18n/messages/more'
import { t } from '../i18n/translate'

export default function RequiredFactor() {
  const [asked, setAsked] = useState<((confirmed: boolean) => void) | null>(null)
  const { data } = useFactors()
  useEffect(() => {
    document.title = `${t('security')} · kith`
    confirmBy(() => new Promise((answer) => setAsked(() => answer)))
    return () => confirmBy(null)
  }, [])
  const done = !!data && (!!data.authenticator || data.passkeys.length > 0)
  return (
    <Notices>
      <main className="settings required-factor">
        <div className="settings-body">
          <Mark />
          <h1>{t('security')}</h1>
          {data && <p className="note-careful">{done ? t('factorDone') : t('factorNeeded', { role: data.role })}</p>}
          {done && (
            <p className="row">
              <Button look="primary" onPress={() => location.assign(nextAddress(location.search, root))}>
                {t('goOn')}
              </Button>
            </p>
          )}
          <Security />
          <p className="row">
            <a className="button quiet" href="/logout">
              {t('logOut')}
            </a>
          </p>
        </div>
      </main>
      {asked && (
        <Confirm
          onDone={(confirmed) => {
            setAsked(null)
            asked(confirmed)
          }}
        />
      )}
    </Notices>
  )
}
