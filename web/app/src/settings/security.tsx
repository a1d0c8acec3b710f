// What somebody logs in with beside the password: an authenticator app, passkeys, and recovery codes for the day on which nothing else is at hand.

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call, type Factors, Problem } from '../api/call'
import { ago, formatDate } from '../i18n/format'
import { refusal } from '../records/refusals'
import { Button, Chip, Dialog, useNotice } from '../ui/components'
import Confirm from './confirm'
import { createPasskey, hasPasskeys } from './passkeys'
import '../i18n/messages/more'
import { t } from '../i18n/translate'

type Setup = { key: string; picture: string; state: string }
type Codes = { recovery_codes: string[] | null }

export const useFactors = () => useQuery({ queryKey: ['factors'], queryFn: () => call<Factors>('GET', '/v1/me/factors') })

// said puts into words what went wrong with setting something up.
const said = (error: unknown) => {
  const p = error instanceof Problem ? error : null
  const field = p?.errors[0]?.field
  if (field === 'code') return t('wrongNewCode')
  if (field === 'state') return t('setupVoid')
  if (p) return refusal(p)
  return (error as Error)?.name === 'InvalidStateError' ? t('passkeyKnown') : t('noPasskeyGiven')
}

export default function Security() {
  const { data } = useFactors()
  const client = useQueryClient()
  const notice = useNotice()
  const [setup, setSetup] = useState<Setup | null>(null)
  // What was done is told once the codes are kept: the notice would lie over them.
  const [codes, setCodes] = useState<{ all: string[]; told: string } | null>(null)
  const [removing, setRemoving] = useState<{ id: string; title: string } | null>(null)
  const [renewing, setRenewing] = useState(false)
  const [name, setName] = useState('')
  const [wrong, setWrong] = useState('')
  const [busy, setBusy] = useState(false)
  const changed = (text: string, made?: Codes) => {
    if (made?.recovery_codes) setCodes({ all: made.recovery_codes, told: text })
    else notice({ text })
    void client.invalidateQueries({ queryKey: ['factors'] })
    void client.invalidateQueries({ queryKey: ['me'] })
    void client.invalidateQueries({ queryKey: ['sessions'] })
  }
  const start = async () => {
    try {
      setSetup(await call<Setup>('POST', '/v1/me/authenticator/start', {}))
    } catch (error) {
      notice({ text: said(error), bad: true })
    }
  }
  const addPasskey = async () => {
    setWrong('')
    setBusy(true)
    try {
      const { options, state } = await call<{ options: PublicKeyCredentialCreationOptionsJSON; state: string }>(
        'POST',
        '/v1/me/passkeys/start',
        {},
      )
      const response = await createPasskey(options)
      changed(t('passkeyAdded'), await call<Codes>('POST', '/v1/me/passkeys', { state, response, name }))
      setName('')
    } catch (error) {
      setWrong(said(error))
    }
    setBusy(false)
  }
  if (!data) return <span className="bone" />
  const any = data.authenticator || data.passkeys.length > 0
  return (
    <>
      <p className="soft">{t('securityMore')}</p>
      <section className="panel" aria-labelledby="sec-app">
        <h2 id="sec-app">{t('authenticator')}</h2>
        {data.authenticator ? (
          <ul className="rows cards-rows" aria-labelledby="sec-app">
            <li>
              <span className="what">
                <span>
                  <span className="strong">{t('authenticatorOn')}</span> <Chip color="green">{t('isOn')}</Chip>
                </span>
                <span className="soft">{t('since', { when: formatDate(data.authenticator.created_at.slice(0, 10)) })}</span>
              </span>
              <Button
                look="danger"
                aria-label={t('removeOf', { name: t('authenticator') })}
                onPress={() => setRemoving({ id: data.authenticator!.id, title: t('authenticator') })}
              >
                {t('remove')}
              </Button>
            </li>
          </ul>
        ) : (
          <>
            <p className="soft">{t('authenticatorMore')}</p>
            <p className="row">
              <Button look={any ? 'plain' : 'primary'} onPress={() => void start()}>
                {t('authenticatorStart')}
              </Button>
            </p>
          </>
        )}
      </section>
      <section className="panel" aria-labelledby="sec-keys">
        <h2 id="sec-keys">
          {t('passkeys')} {data.passkeys.length > 0 && <span className="count">{data.passkeys.length}</span>}
        </h2>
        {data.passkeys.length > 0 && (
          <ul className="rows cards-rows" aria-labelledby="sec-keys">
            {data.passkeys.map((k) => (
              <li key={k.id}>
                <span className="what">
                  <bdi className="strong">{k.name}</bdi>
                  <span className="soft">
                    {t('since', { when: formatDate(k.created_at.slice(0, 10)) })} ·{' '}
                    {k.used_at ? t('lastUsed', { when: ago(k.used_at) }) : t('neverUsed')}
                  </span>
                </span>
                <Button look="danger" aria-label={t('removeOf', { name: k.name })} onPress={() => setRemoving({ id: k.id, title: k.name })}>
                  {t('remove')}
                </Button>
              </li>
            ))}
          </ul>
        )}
        <p className="soft">
          {t('passkeysMore')}
          {(!data.passkeys_work || !hasPasskeys()) && ` ${t('passkeysNot')}`}
        </p>
        {data.passkeys_work && hasPasskeys() && (
          <form
            noValidate
            className="stack"
            onSubmit={(e) => {
              e.preventDefault()
              void addPasskey()
            }}
          >
            <div className="row">
              <label className="field grow">
                <span className="field-label">{t('passkeyName')}</span>
                <input
                  className="input"
                  maxLength={100}
                  autoComplete="off"
                  placeholder={t('passkeyExample')}
                  value={name}
                  onChange={(e) => setName(e.target.value)}
                />
              </label>
              <Button type="submit" isDisabled={busy}>
                {t('passkeyAdd')}
              </Button>
            </div>
            {wrong && (
              <p className="note-bad" role="alert">
                {wrong}
              </p>
            )}
          </form>
        )}
      </section>
      {any && (
        <section className="panel" aria-labelledby="sec-codes">
          <h2 id="sec-codes">{t('recoveryCodes')}</h2>
          <p className="soft">
            {t('codesLeft', { count: data.recovery_codes_left })} {t('codesMore')}
          </p>
          <p className="row">
            <Button onPress={() => setRenewing(true)}>{t('newCodes')}</Button>
          </p>
        </section>
      )}
      {setup && (
        <NewAuthenticator
          setup={setup}
          onClose={() => setSetup(null)}
          onMade={(made) => {
            setSetup(null)
            changed(t('authenticatorAdded'), made)
          }}
        />
      )}
      {removing && (
        <Confirm
          more={t('removeFactorMore', { name: removing.title })}
          send={(proof) => call('POST', `/v1/me/factors/${removing.id}/remove`, proof)}
          onDone={(done) => {
            setRemoving(null)
            done && changed(t('factorRemoved', { name: removing.title }))
          }}
        />
      )}
      {renewing && (
        <Confirm
          more={t('newCodesMore')}
          send={async (proof) => changed(t('codesMade'), await call<Codes>('POST', '/v1/me/recovery_codes', proof))}
          onDone={() => setRenewing(false)}
        />
      )}
      {codes && (
        <RecoveryCodes
          codes={codes.all}
          onClose={() => {
            setCodes(null)
            void notice({ text: codes.told })
          }}
        />
      )}
    </>
  )
}

function NewAuthenticator({ setup, onClose, onMade }: { setup: Setup; onClose: () => void; onMade: (codes: Codes) => void }) {
  const [code, setCode] = useState('')
  const [wrong, setWrong] = useState('')
  const [busy, setBusy] = useState(false)
  const add = async () => {
    setBusy(true)
    try {
      onMade(await call<Codes>('POST', '/v1/me/authenticator', { state: setup.state, code }))
    } catch (error) {
      setWrong(said(error))
      setBusy(false)
    }
  }
  return (
    <Dialog title={t('authenticatorStart')} onClose={onClose}>
      <form
        className="stack"
        onSubmit={(e) => {
          e.preventDefault()
          void add()
        }}
        noValidate
      >
        <p>{t('scanMore')}</p>
        <img className="scan" src={setup.picture} width={208} height={208} alt={t('scanAlt')} />
        <p className="hint">
          {t('typeKey')} <code className="breakable">{setup.key.replace(/(.{4})(?=.)/g, '$1 ')}</code>
        </p>
        <div className={`field${wrong ? ' wrong' : ''}`}>
          <label className="field-label" htmlFor="new-code">
            {t('codeNow')}
          </label>
          <input
            className="input short"
            id="new-code"
            inputMode="numeric"
            autoComplete="one-time-code"
            autoFocus
            aria-invalid={!!wrong || undefined}
            aria-describedby={wrong ? 'new-code-more' : undefined}
            value={code}
            onChange={(e) => setCode(e.target.value)}
          />
          {wrong && (
            <p className="error" id="new-code-more" role="alert">
              {wrong}
            </p>
          )}
        </div>
        <footer className="dialog-foot">
          <Button onPress={onClose}>{t('cancel')}</Button>
          <Button look="primary" type="submit" isDisabled={busy || !code.trim()}>
            {t('switchOn')}
          </Button>
        </footer>
      </form>
    </Dialog>
  )
}

// RecoveryCodes shows them the only time.
function RecoveryCodes({ codes, onClose }: { codes: string[]; onClose: () => void }) {
  const [copied, setCopied] = useState(false)
  return (
    <Dialog title={t('keepCodes')} onClose={onClose}>
      <div className="stack">
        <p>{t('keepCodesMore')}</p>
        <ul className="recovery">
          {codes.map((c) => (
            <li key={c}>
              <code>{c}</code>
            </li>
          ))}
        </ul>
        <span className="unseen" role="status">
          {copied ? t('copied') : ''}
        </span>
        <footer className="dialog-foot">
          <Button onPress={() => void navigator.clipboard.writeText(codes.join('\n')).then(() => setCopied(true))}>
            {copied ? t('copied') : t('copy')}
          </Button>
          <Button look="primary" autoFocus onPress={onClose}>
            {t('keptCodes')}
          </Button>
        </footer>
      </div>
    </Dialog>
  )
}
