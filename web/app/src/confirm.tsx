// What hands out access asks again for the password where it was given long ago. Whoever gives it goes on where they were.

import { useState } from 'react'
import { call, Problem } from './api'
import { Button, Dialog } from './ui'
import { useWorld } from './world'
import { t } from './words'

export default function Confirm({ onDone }: { onDone: (confirmed: boolean) => void }) {
  const { me } = useWorld()
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const [wrong, setWrong] = useState('')
  const [busy, setBusy] = useState(false)
  const factor = !!me.user.second_factor_at
  const confirm = async () => {
    setBusy(true)
    try {
      await call('POST', '/v1/me/confirm', { password, ...(factor ? { code } : {}) })
      onDone(true)
    } catch (error) {
      const p = error instanceof Problem ? error : null
      setWrong(p?.errors.length ? t(p.errors[0].field === 'code' ? 'wrongCode' : 'wrongPassword') : p?.status ? p.message : t('offline'))
      setBusy(false)
    }
  }
  return (
    <Dialog title={t('confirmTitle')} onClose={() => onDone(false)}>
      <form className="stack" onSubmit={(e) => (e.preventDefault(), void confirm())}>
        <p className="soft">{t('confirmMore')}</p>
        <input type="hidden" autoComplete="username" value={me.user.email} readOnly />
        <label className="field"><span className="field-label">{t('password')}</span><input className="input" type="password" autoComplete="current-password" autoFocus required value={password} onChange={(e) => setPassword(e.target.value)} /></label>
        {factor && <label className="field"><span className="field-label">{t('code')}</span><input className="input" autoComplete="one-time-code" required value={code} onChange={(e) => setCode(e.target.value)} /></label>}
        {wrong && <p className="note-bad" role="alert">{wrong}</p>}
        <p className="hint"><a href={`/account/confirm?next=${encodeURIComponent(location.pathname + location.search)}`}>{t('confirmElsewhere')}</a></p>
        <footer className="dialog-foot">
          <Button onPress={() => onDone(false)}>{t('cancel')}</Button>
          <Button look="primary" type="submit" isDisabled={busy || !password || (factor && !code)}>{t('goOn')}</Button>
        </footer>
      </form>
    </Dialog>
  )
}
