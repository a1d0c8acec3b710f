// What rows are refused for, once for each wrong value: what is chosen for it holds for all rows that have it.

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../api/call'
import { optionLabel } from '../i18n/format'
import { knownSentence, t, translateSentence } from '../i18n/translate'
import { useEditing } from '../records/edit'
import { refusalOf } from '../records/refusals'
import { leaf, leaves, type Resource } from '../schema/schema'
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
    if (value === (chosen[key] ?? group.value)) return
    try {
      await call<Import>('PATCH', `/v1/imports/${of.id}`, {
        corrections: [{ column: group.column, from: chosen[key] || group.value, value }],
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
      {onCorrected && <p className="soft">{t('wrongValuesMore')}</p>}
      <ul>
        {(all ? data : data.slice(0, shownFirst)).map((group) => (
          <li key={keyOf(group)}>
            <p>
              {group.value !== null && <bdi className="strong">{group.value}</bdi>}
              <span className="soft">
                {group.column !== null && (
                  <>
                    <bdi>{group.column}</bdi> ·{' '}
                  </>
                )}
                {group.value === null ? rowsOf(group) : t('rowCount', { count: group.count })}
              </span>
              {keyOf(group) in chosen && <Chip color="green">{t('corrected')}</Chip>}
            </p>
            {!(keyOf(group) in chosen) && <p className="soft">{why(group, res)}</p>}
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

const keyOf = (group: Group) => JSON.stringify([group.column, group.value, group.value === null ? [group.field, group.message] : ''])

// rowsOf says which rows have what no value tells apart.
const rowsOf = ({ count, rows }: Group) =>
  t('rowsAt', { count, rows: rows.join(', ') }) + (count > rows.length ? ` … · ${t('rowCount', { count })}` : '')

// why says what is wrong as forms do. What is looked for is named in the file, and found by that name or not.
function why({ field, column, value, code, message, allowed }: Group, res?: Resource): string {
  if (field === null && column === null) return translateSentence(message)
  const of =
    res && field ? (leaf(res, field) ?? leaves(res).find((l) => l.followed_as && field.startsWith(`${l.followed_as}.`))) : undefined
  if (code === 'ambiguous_match') return t('namedTwice', { value: value ?? '' })
  if (value !== null && ['not_found', 'not_allowed'].includes(code)) return t('noneNamed', { value })
  const said = allowed.length ? undefined : (knownSentence(message) ?? undefined)
  return refusalOf({ field: field ?? column!, code, message, said }, res, of)
}

// unchosen is the value of a select in which nothing is chosen yet; values of cells have no spaces around them.
const unchosen = ' '

// Choice is what a wrong value is to be: one of those that there are, what one writes, or nothing.
function Choice({ group, res, value, onChoose }: { group: Group; res?: Resource; value?: string; onChoose: (value: string) => void }) {
  const label = t('insteadOf', { value: group.value ?? '', column: group.column ?? '' })
  const field = res && group.field ? leaf(res, group.field) : undefined
  if (group.allowed.length > 0)
    return (
      <select className="input" aria-label={label} value={value ?? unchosen} onChange={(e) => onChoose(e.target.value)}>
        {value === undefined && <option value={unchosen}>{t('chooseValue')}</option>}
        <option value="">{t('leaveEmpty')}</option>
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
      placeholder={t('leaveEmpty')}
      onBlur={(e) => onChoose(e.target.value.trim())}
      onKeyDown={(e) => e.key === 'Enter' && e.currentTarget.blur()}
    />
  )
}
