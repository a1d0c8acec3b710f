// Why a deal was lost: one of the reasons that the business keeps, and what there is to say of it.

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { readAll } from '../api/cache'
import { useResource } from '../api/context'
import type { LossReason } from '../api/records'
import { t } from '../i18n/translate'
import { Button, Dialog } from '../ui/components'

// Loss is the body of the action, or nothing where nobody said why.
export type Loss = { loss_reason_id?: string; lost_reason?: string }

// useLossReasons are all that there are, also those that are no longer offered.
export function useLossReasons(): LossReason[] {
  const res = useResource('loss_reason')
  const { data } = useQuery({
    queryKey: ['figures', 'loss_reason', 'settings'],
    enabled: !!res && res.permissions.read !== 'none',
    staleTime: 60_000,
    queryFn: () => readAll<LossReason>('/v1/loss_reasons', { order_by: 'position', sort_direction: 'asc' }),
  })
  return data ?? []
}

export function LoseDialog({ name, onClose, onDone }: { name: string; onClose: () => void; onDone: (loss?: Loss) => void }) {
  const reasons = useLossReasons().filter((r) => r.active)
  const [reason, setReason] = useState('')
  const [details, setDetails] = useState('')
  return (
    <Dialog title={t('loseTitle', { name })} onClose={onClose}>
      <form
        noValidate
        className="stack"
        onSubmit={(e) => {
          e.preventDefault()
          const words = details.trim()
          const loss = { ...(reason && { loss_reason_id: reason }), ...(words && { lost_reason: words }) }
          onDone(Object.keys(loss).length > 0 ? loss : undefined)
        }}
      >
        {reasons.length > 0 && (
          <fieldset className="reasons">
            <legend className="field-label">{t('lostReason')}</legend>
            {reasons.map((r, i) => (
              <label key={r.id} className="check">
                <input type="radio" name="loss-reason" autoFocus={i === 0} checked={reason === r.id} onChange={() => setReason(r.id)} />
                <span>
                  <bdi>{r.name}</bdi>
                </span>
              </label>
            ))}
          </fieldset>
        )}
        <label className="field">
          <span className="field-label">{reasons.length > 0 ? t('lostDetails') : t('lostReason')}</span>
          <input
            className="input"
            autoFocus={reasons.length === 0}
            maxLength={1000}
            value={details}
            onChange={(e) => setDetails(e.target.value)}
          />
        </label>
        <footer className="dialog-foot">
          <Button onPress={onClose}>{t('cancel')}</Button>
          <Button look="danger" type="submit">
            {t('markLost')}
          </Button>
        </footer>
      </form>
    </Dialog>
  )
}
