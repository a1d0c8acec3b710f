// What rows are refused for, once for each wrong value: what is chosen for it holds for all rows that have it.

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/call'
import { optionLabel } from '../i18n/format'
import { knownSentence, t } from '../i18n/translate'
import { useEditing } from '../records/edit'
import { leaf, type Resource } from '../schema/schema'
import { Button, Chip } from '../ui/components'
import type { Group, Groups, Import } from './api'

const shownFirst = 12

export function Corrections({ of, job, res, onCorrected }: { of: Import; job: string; res?: Resource; onCorrected?: () => void }) {
  const { explain } = useEditing()
  const [chosen, setChosen] = useState<Record<string, string>>({})
  const [all, setAll] = useState(false)
  const groups = useQuery({
    queryKey: ['refused-groups', of.id, job],
    staleTime: Infinity,
    queryFn: () => call<Groups>('POST', `/v1/imports/${of.id}/refused/groups`),
  })
  if (!groups.data) return null
  const { data, meta } = groups.data
  const correct = async (group: Group, value: string) => {
    const key = keyOf(group)
    if (value === '' || value === (chosen[key] ?? group.value)) return
    try {
      await call<Import>('PATCH', `/v1/imports/${of.id}`, {
        corrections: [{ column: group.column, from: chosen[key] ?? group.value, value }],
      })
      setChosen((was) => ({ ...was, [key]: value }))
      onCorrected?.()
    } catch (error) {
      explain(error)
    }
  }
  return (
    <div className="wrong-values">
      <h3>{onCorrected ? t('wrongValues') : t('whyRefused')}</h3>
      <ul>
        {(all ? data : data.slice(0, shownFirst)).map((group) => (
          <li key={keyOf(group)}>
            <p>
              {group.value !== null && <bdi className="strong">{group.value}</bdi>}
              <span className="soft">
                {group.column !== null && <bdi>{group.column}</bdi>} · {t('rowCount', { count: group.count })}
              </span>
              {keyOf(group) in chosen && <Chip color="green">{t('corrected')}</Chip>}
            </p>
            <p className="soft">{knownSentence(group.message) ?? t('fault.format', { field: group.column ?? '' })}</p>
            {onCorrected && group.column !== null && group.value !== null && (
              <Choice group={group} res={res} value={chosen[keyOf(group)]} onChoose={(value) => void correct(group, value)} />
            )}
          </li>
        ))}
      </ul>
      {!all && data.length > shownFirst && (
        <Button look="quiet" onPress={() => setAll(true)}>
          {t('showAll')}
        </Button>
      )}
      {meta.grouped < meta.refused && <p className="soft">{t('moreRefused', { count: meta.refused - meta.grouped })}</p>}
    </div>
  )
}

const keyOf = (group: Group) => JSON.stringify([group.column, group.value, group.value === null ? group.message : ''])

// Choice is what a wrong value is to be: one of those that there are, or what one writes.
function Choice({ group, res, value, onChoose }: { group: Group; res?: Resource; value?: string; onChoose: (value: string) => void }) {
  const label = t('insteadOf', { value: group.value ?? '', column: group.column ?? '' })
  const field = res && group.field ? leaf(res, group.field) : undefined
  if (group.allowed.length > 0)
    return (
      <select className="input" aria-label={label} value={value ?? ''} onChange={(e) => onChoose(e.target.value)}>
        {value === undefined && <option value="">{t('chooseValue')}</option>}
        {group.allowed.map((option) => (
          <option key={option} value={option}>
            {field ? optionLabel(field, option) : option}
          </option>
        ))}
      </select>
    )
  return (
    <input
      className="input"
      aria-label={label}
      defaultValue={group.value ?? ''}
      onBlur={(e) => onChoose(e.target.value)}
      onKeyDown={(e) => e.key === 'Enter' && e.currentTarget.blur()}
    />
  )
}
