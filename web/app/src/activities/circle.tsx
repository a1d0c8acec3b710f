// The circle before a task: a click completes it, and what was done so can be taken back.

import { useQueryClient } from '@tanstack/react-query'
import { refresh } from '../api/cache'
import { type Rec, tell } from '../api/call'
import { useApp } from '../api/context'
import { t } from '../i18n/translate'
import { useEditing } from '../records/edit'
import { useUndo } from '../records/jobs'
import { type Resource, reaches, titleOf } from '../schema/schema'
import { Icon, useNotice } from '../ui/components'

export const isOpen = (record: Rec) => record.status === 'open' || record.status === 'in_progress'

export function Circle({ res, record }: { res: Resource; record: Rec }) {
  const { me } = useApp()
  const client = useQueryClient()
  const notice = useNotice()
  const undo = useUndo()
  const { explain } = useEditing()
  if (!isOpen(record) || !reaches(res, res.permissions.write, record, me.user.id))
    return (
      <span className={`done${isOpen(record) ? '' : ' full'}`} aria-hidden="true">
        {!isOpen(record) && <Icon name="check" size={12} />}
      </span>
    )
  const complete = async () => {
    try {
      const { request } = await tell('POST', `${res.path}/${record.id}/complete`)
      notice({
        text: t('taskDone', { name: titleOf(res, record) }),
        undo: () => undo(request, t('taskBack', { name: titleOf(res, record) })),
      })
    } catch (error) {
      explain(error)
    }
    void refresh(client)
  }
  return (
    <button type="button" className="done" aria-label={t('completeTask', { name: titleOf(res, record) })} onClick={() => void complete()}>
      <Icon name="check" size={12} />
    </button>
  )
}
