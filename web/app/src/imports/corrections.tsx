// The cells that a row is refused for, corrected where that is told.

import { useState } from 'react'
import { call } from '../api/call'
import { t } from '../i18n/translate'
import { useEditing } from '../records/edit'
import { Chip } from '../ui/components'
import type { Import, RefusedRow } from './api'

// What is written there is kept with the file, and counts from the next try on.
export function Corrections({ of, refused, cells }: { of: Import; refused: RefusedRow; cells?: string[] }) {
  const { explain } = useEditing()
  const [kept, setKept] = useState<Record<string, string>>({})
  if (!cells) return null
  const wrong = [...new Set<string>((refused.error.errors ?? []).map((e: { field: string }) => e.field))].flatMap((name) => {
    const at = of.columns.findIndex((c) => c.name === name)
    return at < 0 ? [] : [{ name, value: cells[at] ?? '' }]
  })
  const correct = async (column: string, value: string) => {
    try {
      await call<Import>('PATCH', `/v1/imports/${of.id}`, { corrections: [{ row: refused.n, column, value: value || null }] })
      setKept((was) => ({ ...was, [column]: value }))
    } catch (error) {
      explain(error)
    }
  }
  return wrong.map(({ name, value }) => (
    <label key={name} className="field short">
      <span className="field-label">
        {name}
        {name in kept && <Chip color="green">{t('corrected')}</Chip>}
      </span>
      <input
        className="input"
        aria-label={t('cellOf', { column: name, n: refused.n })}
        defaultValue={value}
        onBlur={(e) => e.target.value !== (kept[name] ?? value) && void correct(name, e.target.value)}
        onKeyDown={(e) => e.key === 'Enter' && e.currentTarget.blur()}
      />
    </label>
  ))
}
