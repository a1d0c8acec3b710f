// The first step: what the rows of a file are, and the file.

import { useRef, useState } from 'react'
import { call } from '../api/call'
import { useApp, useResource } from '../api/context'
import { t } from '../i18n/translate'
import { useEditing } from '../records/edit'
import { pluralLabel } from '../schema/schema'
import { Button, Empty, Icon, useNotice } from '../ui/components'
import { go, root, useAddress } from '../ui/route'
import { type Import, sendFile } from './api'
import { Earlier } from './earlier'

// whole is what the archive of a business brings: records of all kinds.
const whole = 'business'

// identifying are the fields by which a row is proposed to find its record, the first that the file has.
const identifying = ['external_id', 'email', 'domain', 'sku']

export function Upload() {
  const { schema } = useApp()
  const able = schema.resources.filter((r) => r.operations.includes('import') && r.permissions.write !== 'none')
  const settings = useResource('pipeline')
  const asked = useAddress().searchParams.get('of')
  const [kind, setKind] = useState((able.find((r) => r.name === asked) ?? able[0])?.name ?? '')
  const res = able.find((r) => r.name === kind)
  const [busy, setBusy] = useState(false)
  const [over, setOver] = useState(false)
  const picker = useRef<HTMLInputElement>(null)
  const { explain } = useEditing()
  const notice = useNotice()
  const send = async (file: File | undefined) => {
    if (!file || busy) return
    setBusy(true)
    const card = notice({ text: t('sendingFile', { name: file.name }), progress: { done: 0, total: 0 } })
    try {
      const made = await call<Import>('POST', '/v1/imports', { resource: kind })
      const sent = await sendFile(made.id, file).catch(async (error) => {
        // Of a file that is not taken nothing stays behind.
        await call('DELETE', `/v1/imports/${made.id}`).catch(() => {})
        throw error
      })
      // Who sends people whose addresses are known means these people, and does not want them twice.
      const found = identifying.find((path) => res?.match_by?.includes(path) && sent.columns.some((c) => c.field === path))
      if (found) await call('PATCH', `/v1/imports/${made.id}`, { match: found }).catch(() => {})
      go(`${root}/import/${made.id}`)
    } catch (error) {
      explain(error)
    }
    card.close()
    setBusy(false)
  }
  if (able.length === 0)
    return (
      <Empty icon="search" title={t('noScreen')}>
        <p>{t('noScreenMore')}</p>
      </Empty>
    )
  return (
    <>
      <p className="soft">{t('importMore')}</p>
      <section className="panel">
        <label className="field short">
          <span className="field-label">{t('whatRowsAre')}</span>
          <select className="input" value={kind} onChange={(e) => setKind(e.target.value)}>
            {able.map((r) => (
              <option key={r.name} value={r.name}>
                {pluralLabel(r)}
              </option>
            ))}
            {settings && settings.permissions.write !== 'none' && <option value={whole}>{t('wholeBusiness')}</option>}
          </select>
        </label>
        <div
          className={`drop${over ? ' over' : ''}`}
          onDragOver={(e) => {
            e.preventDefault()
            setOver(true)
          }}
          onDragLeave={() => setOver(false)}
          onDrop={(e) => {
            e.preventDefault()
            setOver(false)
            void send(e.dataTransfer.files[0])
          }}
        >
          <span className="empty-sign">
            <Icon name="import" size={28} />
          </span>
          <p className="strong">{t('dropFile')}</p>
          <p className="soft">{t('dropFileMore')}</p>
          <input
            ref={picker}
            type="file"
            className="unseen"
            tabIndex={-1}
            aria-label={t('chooseFile')}
            accept=".zip,.csv,.tsv,.txt,.jsonl,.ndjson,.xlsx,.vcf,text/csv"
            onChange={(e) => {
              void send(e.target.files?.[0])
              e.target.value = ''
            }}
          />
          <Button look="primary" isDisabled={busy} onPress={() => picker.current?.click()}>
            {t('chooseFile')}
          </Button>
        </div>
      </section>
      <Earlier />
    </>
  )
}
