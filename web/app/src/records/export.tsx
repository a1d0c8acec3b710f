// A list as a file: all that its search finds, or what is selected.

import { useState } from 'react'
import { fetchApi, type Search } from '../api/call'
import { t } from '../i18n/translate'
import { plural, type Resource } from '../schema/schema'
import { Button, Dialog, useNotice } from '../ui/components'
import { saveFile } from '../ui/save-file'
import { useEditing } from './edit'

const formats = ['csv', 'xlsx', 'jsonl'] as const

export default function ExportDialog({
  res,
  search,
  columns,
  count,
  onClose,
}: {
  res: Resource
  search: Search
  columns: string[]
  count?: number
  onClose: () => void
}) {
  const [format, setFormat] = useState<(typeof formats)[number]>('csv')
  const [shown, setShown] = useState(true)
  const notice = useNotice()
  const { explain } = useEditing()
  const run = async () => {
    onClose()
    const card = notice({ text: t('exporting'), progress: { done: 0, total: 0 } })
    try {
      const response = await fetchApi('POST', res.path + '/export', { ...search, format, ...(shown ? { fields: columns } : {}) })
      const file = await response.blob()
      const name = /filename="([^"]+)"/.exec(response.headers.get('Content-Disposition') ?? '')?.[1] ?? `${plural(res)}.${format}`
      saveFile(file, name)
      notice({ text: t('exported', { name }) })
    } catch (error) {
      explain(error)
    }
    card.close()
  }
  return (
    <Dialog title={t('export')} onClose={onClose}>
      <form
        noValidate
        className="stack"
        onSubmit={(e) => {
          e.preventDefault()
          void run()
        }}
      >
        <p className="soft">{count === undefined ? t('exportAll') : t('exportCount', { count })}</p>
        <fieldset className="checks">
          <legend className="field-label">{t('format')}</legend>
          {formats.map((f, i) => (
            <label key={f}>
              <input type="radio" name="format" autoFocus={i === 0} checked={format === f} onChange={() => setFormat(f)} />
              <span>{t(`format.${f}`)}</span>
            </label>
          ))}
        </fieldset>
        <fieldset className="checks">
          <legend className="field-label">{t('columns')}</legend>
          <label>
            <input type="radio" name="columns" checked={shown} onChange={() => setShown(true)} />
            <span>{t('shownColumns')}</span>
          </label>
          <label>
            <input type="radio" name="columns" checked={!shown} onChange={() => setShown(false)} />
            <span>{t('everyField')}</span>
          </label>
        </fieldset>
        <footer className="dialog-foot">
          <Button onPress={onClose}>{t('cancel')}</Button>
          <Button look="primary" type="submit">
            {t('export')}
          </Button>
        </footer>
      </form>
    </Dialog>
  )
}
