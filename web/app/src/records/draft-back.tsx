// What was typed before and not sent is there again: a form says so, and offers to begin anew.

import { t } from '../i18n/translate'
import { Button } from '../ui/components'

export function DraftBack({ onDiscard }: { onDiscard: () => void }) {
  return (
    <p className="note-draft" role="status">
      <span>{t('draftBack')}</span>
      <Button look="quiet" onPress={onDiscard}>
        {t('discard')}
      </Button>
    </p>
  )
}
