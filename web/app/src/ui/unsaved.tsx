// What is not saved yet asks before it is lost: by the browser where the app is left, and by a dialog where somebody goes elsewhere in it.

import { useEffect, useState } from 'react'
import { t } from '../i18n/translate'
import { Button, Dialog } from './components'
import { guardLeaving } from './route'

// onSave tells whether everything was saved, so that one can go on.
export function Unsaved({ onSave }: { onSave: () => Promise<boolean> }) {
  const [leaving, setLeaving] = useState<(() => void) | null>(null)
  useEffect(() => {
    const ask = (e: BeforeUnloadEvent) => e.preventDefault()
    addEventListener('beforeunload', ask)
    const stop = guardLeaving((leave) => setLeaving(() => leave))
    return () => {
      removeEventListener('beforeunload', ask)
      stop()
    }
  }, [])
  if (!leaving) return null
  const close = () => setLeaving(null)
  return (
    <Dialog title={t('leaveTitle')} onClose={close}>
      <p>{t('leaveMore')}</p>
      <footer className="dialog-foot">
        <Button
          look="danger"
          onPress={() => {
            close()
            leaving()
          }}
        >
          {t('discard')}
        </Button>
        <span className="grow" />
        <Button onPress={close}>{t('stay')}</Button>
        <Button
          look="primary"
          autoFocus
          onPress={async () => {
            close()
            if (await onSave()) leaving()
          }}
        >
          {t('save')}
        </Button>
      </footer>
    </Dialog>
  )
}
