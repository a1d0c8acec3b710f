// What hands out access asks again for the password where it was given long ago; what weakens the log-in asks each time. Whoever gives it, or shows a passkey, goes on where they were.

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call, type Factors, Problem } from '../api/call'
import { refusal } from '../records/refusals'
import { Button, Dialog } from '../ui/components'
import { getPasskey, hasPasskeys } from './passkeys'
import '../i18n/messages/more'
import { t } from '../i18n/translate'

export type Proof = { password: string; code?: string } | { state: string; response: string }

const confirmed = (proof: Proof) => call('POST', '/v1/me/confirm', proof)

// Confirm sends the proof with what waits for it; that is the confirmation itself where nothing else is said.
export default function Confirm({
  more,
  send = confirmed,
  onDone,
}: {
  more?: string
  send?: (proof: Proof) => Promise<unknown>
  onDone: (done: boolean) => void
}) {
  const { data } = useQuery({ queryKey: ['factors'], queryFn: () => call<Factors>('GET', '/v1/me/factors') })
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const [wrong, setWrong] = useState('')
  const [busy, setBusy] = useState(false)
  const factor = !!data && (!!data.authenticator || data.passkeys.length > 0)
  const withKey = !!data && data.passkeys.length > 0 && data.passkeys_work && hasPasskeys()
  const go = async (proof: () => Promise<Proof>) => {
    setBusy(true)
    setWrong('')
    try {
      await send(await proof())
      onDone(true)
    } catch (error) {
      const p = error instanceof Problem ? error : null
      const field = p?.errors[0]?.field
      setWrong(
        field === 'password' ? t('wrongPassword') : field === 'code' ? t('wrongCode') : field || !p ? t('noPasskeyGiven') : refusal(p),
      )
      setBusy(false)
    }
  }
  const byKey = async (): Promise<Proof> => {
    const { options, state } = await call<{ options: PublicKeyCredentialRequestOptionsJSON; state: string }>(
      'POST',
      '/v1/me/confirm/passkey',
      {},
    )
    return { state, response: await getPasskey(options) }
  }
  return (
    <Dialog title={t('confirmTitle')} onClose={() => onDone(false)}>
      {!data ? (
        <span className="bone" />
      ) : (
        <form
          noValidate
          className="stack"
          onSubmit={(e) => {
            e.preventDefault()
            void go(async () => ({ password, ...(factor ? { code } : {}) }))
          }}
        >
          <p className="soft">
            {!data.has_password && !withKey ? (more ? t('confirmNever') : t('confirmByCompany')) : (more ?? t('confirmMore'))}
          </p>
          {data.has_password && (
            <>
              <input type="hidden" autoComplete="username" value={data.email} readOnly />
              <label className="field">
                <span className="field-label">{t('password')}</span>
                <input
                  className="input"
                  type="password"
                  autoComplete="current-password"
                  autoFocus
                  required
                  value={password}
                  onChange={(e) => setPassword(e.target.value)}
                />
              </label>
              {factor && (
                <label className="field">
                  <span className="field-label">{t('code')}</span>
                  <input className="input" autoComplete="one-time-code" required value={code} onChange={(e) => setCode(e.target.value)} />
                </label>
              )}
            </>
          )}
          {wrong && (
            <p className="note-bad" role="alert">
              {wrong}
            </p>
          )}
          {withKey && (
            <p className="row">
              <Button isDisabled={busy} autoFocus={!data.has_password} onPress={() => void go(byKey)}>
                {t('passkeyInstead')}
              </Button>
            </p>
          )}
          <footer className="dialog-foot">
            <Button onPress={() => onDone(false)}>{t('cancel')}</Button>
            {data.has_password && (
              <Button look="primary" type="submit" isDisabled={busy || !password || (factor && !code)}>
                {t('goOn')}
              </Button>
            )}
          </footer>
        </form>
      )}
    </Dialog>
  )
}
