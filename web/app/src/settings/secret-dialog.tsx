// What is there to be copied: a secret, which is shown only once, or an address for another program.

import { useRef, useState } from 'react'
import { t } from '../i18n/translate'
import { Button, Dialog } from '../ui/components'

export type Secret = { title: string; about: string; values: { label: string; value: string }[] }

export function SecretDialog({ secret, onClose }: { secret: Secret; onClose: () => void }) {
  return (
    <Dialog title={secret.title} onClose={onClose}>
      <div className="stack">
        <p>{secret.about}</p>
        {secret.values.map((v, i) => (
          <Copied key={v.label} {...v} first={i === 0} />
        ))}
        <footer className="dialog-foot">
          <Button look="primary" onPress={onClose}>
            {t('done')}
          </Button>
        </footer>
      </div>
    </Dialog>
  )
}

export function Copied({ label, value, first }: { label: string; value: string; first?: boolean }) {
  const [copied, setCopied] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(value)
      setCopied(true)
    } catch {
      field.current?.select() // some browsers leave it to people
    }
  }
  return (
    <div className="row">
      <label className="field grow">
        <span className="field-label">{label}</span>
        <input
          ref={field}
          className="input code"
          readOnly
          spellCheck={false}
          autoFocus={first}
          value={value}
          onFocus={(e) => e.target.select()}
        />
      </label>
      <Button aria-label={t('copyOf', { label })} onPress={() => void copy()}>
        {copied ? t('copied') : t('copy')}
      </Button>
      <span className="unseen" role="status">
        {copied ? t('copied') : ''}
      </span>
    </div>
  )
}
