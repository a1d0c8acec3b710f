// The form of one condition: how a field is compared, and with what.

import { type ReactNode, useState } from 'react'
import type { Filter } from '../api/call'
import { said, t } from '../i18n/translate'
import { type Leaf, labelOf, type Resource } from '../schema/schema'
import { Button } from '../ui/components'
import { DayInput, unfinished } from '../ui/day-input'
import { findLeaf, noOperand, severalOperands } from './address'
import { shortest } from './conditions'
import { Input } from './fields'
import { useNamesOf } from './names'

// family says in which words a kind of field is compared.
export function family(l: Leaf): string {
  if (['integer', 'number', 'percent', 'decimal', 'money'].includes(l.kind)) return 'number'
  if (['date', 'datetime'].includes(l.kind)) return 'date'
  if (['tags', 'multi_select'].includes(l.kind)) return 'list'
  return 'text'
}

export const operatorWords = (l: Leaf, operator: string) =>
  said(`op.${family(l)}.${operator}`, said(`op.text.${operator}`, operator.replaceAll('_', ' ')))

// Days that a filter can name instead of a date, so that it means another day tomorrow.
export const namedDays = [
  '@today',
  '@today-1d',
  '@today+1d',
  '@today-7d',
  '@today+7d',
  '@today-30d',
  '@today+30d',
  '@week_start',
  '@month_start',
  '@month_start+1m',
  '@quarter_start',
  '@year_start',
]
export const dayWords = (token: string) => said(`day.${token}`, token)

// chosenBy says that some of few values are meant, so that one, several and all but one are the same question.
const chosenBy = (l: Leaf) => (!!l.options || l.kind === 'reference') && l.operators.includes('in')

export function FilterForm({
  res,
  field = '',
  filter,
  back,
  onDone,
}: {
  res: Resource
  field?: string
  filter?: Filter
  back?: ReactNode
  onDone: (filter: Filter) => void
}) {
  const path = filter?.field ?? field
  const l = findLeaf(res, path)
  const several = (operator: string) => (l && chosenBy(l) ? ({ eq: 'in', neq: 'nin' }[operator] ?? operator) : operator)
  const [operator, setOperator] = useState(filter ? several(filter.operator) : '')
  const [values, setValues] = useState<unknown[]>(
    filter ? (filter.values ?? (filter.value === undefined ? [] : [filter.value])) : l?.kind === 'boolean' ? [true] : [],
  )
  if (!l) return null
  // Of yes and no, any and none of both say nothing; where a filter has them already they are shown.
  const sensible = (o: string) => l.kind !== 'boolean' || o === filter?.operator || !['in', 'nin'].includes(o)
  const operators = l.operators.filter((o) => (several(o) === o || !l.operators.includes(several(o))) && sensible(o))
  const op = operators.includes(operator) ? operator : preferred(l, operators)
  const set = (i: number, v: unknown) => setValues((all) => Object.assign([...all], { [i]: v }))
  const list = op === 'in' || op === 'nin'
  const wanted = op === 'between' ? 2 : 1
  const isGiven = (v: unknown) => v !== null && v !== undefined && v !== ''
  const given = list ? values.filter(isGiven) : values.slice(0, wanted)
  const complete = noOperand(op) || (given.length >= wanted && given.every(isGiven))
  return (
    <form
      noValidate
      className="stack"
      onSubmit={(e) => {
        e.preventDefault()
        if (!complete) return
        onDone(
          shortest({ field: path, operator: op, ...(noOperand(op) ? {} : severalOperands(op) ? { values: given } : { value: given[0] }) }),
        )
      }}
    >
      <p className="filter-head">
        {back}
        <strong>{labelOf(l)}</strong>
      </p>
      <label className="field">
        <span className="field-label">{t('condition')}</span>
        <select className="input" value={op} autoFocus={!filter} onChange={(e) => setOperator(e.target.value)}>
          {operators.map((o) => (
            <option key={o} value={o}>
              {operatorWords(l, o)}
            </option>
          ))}
        </select>
      </label>
      {!noOperand(op) && (
        <div className="field">
          <span className="field-label" aria-hidden="true">
            {t('value')}
          </span>
          {list ? (
            <ListOperand leaf={l} values={given} onChange={setValues} />
          ) : (
            <div className="stack tight">
              {Array.from({ length: wanted }, (_, i) => (
                <Operand
                  key={i}
                  leaf={l}
                  value={values[i]}
                  label={op === 'between' ? t(i ? 'to' : 'from') : t('value')}
                  onChange={(v) => set(i, v)}
                />
              ))}
            </div>
          )}
        </div>
      )}
      <div className="dialog-foot">
        <Button look="primary" type="submit" isDisabled={!complete}>
          {t('apply')}
        </Button>
      </div>
    </form>
  )
}

// preferred is the condition that people mean most often with such a field.
function preferred(l: Leaf, operators: string[]): string {
  if (chosenBy(l)) return 'in'
  const wanted = {
    number: 'gte',
    date: 'gte',
    list: 'contains',
    text: ['text', 'long_text', 'email', 'phone', 'url'].includes(l.kind) ? 'contains' : 'eq',
  }[family(l)]!
  return operators.includes(wanted) ? wanted : operators[0]
}

function ListOperand({ leaf, values, onChange }: { leaf: Leaf; values: unknown[]; onChange: (values: unknown[]) => void }) {
  const names = useNamesOf(values)
  const yesOrNo = leaf.kind === 'boolean'
  const options = yesOrNo
    ? (['true', 'false'] as const).map((value) => ({ value, label: t(value === 'true' ? 'yes' : 'no') }))
    : leaf.options
  if (options)
    return (
      <Input
        leaf={{ ...leaf, kind: 'multi_select', options }}
        value={values.map(String)}
        label={t('value')}
        onChange={(v) => onChange(yesOrNo ? (v as string[]).map((x) => x === 'true') : (v as string[]))}
        filtering
      />
    )
  if (['reference', 'date', 'datetime'].includes(leaf.kind))
    return (
      <div className="stack tight">
        {[...values, undefined].map((v, i) => (
          <Input
            key={i + (leaf.kind === 'reference' ? String(v) : '')}
            leaf={leaf}
            value={v}
            label={t('value')}
            shownAs={typeof v === 'string' ? names.get(v) : ''}
            filtering
            onChange={(next) => onChange(next ? Object.assign([...values], { [i]: next }) : values.filter((_, j) => j !== i))}
          />
        ))}
      </div>
    )
  const figures = family(leaf) === 'number' && !['money', 'decimal'].includes(leaf.kind)
  return (
    <Input
      leaf={{ ...leaf, kind: 'tags' }}
      value={values.map(String)}
      label={t('value')}
      filtering
      onChange={(v) => onChange(figures ? (v as string[]).map(Number).filter((n) => !Number.isNaN(n)) : (v as string[]))}
    />
  )
}

function Operand({ leaf, value, label, onChange }: { leaf: Leaf; value: unknown; label: string; onChange: (value: unknown) => void }) {
  const names = useNamesOf([value])
  if (family(leaf) === 'date') {
    const day = value ? String(value) : ''
    const named = day.startsWith('@')
    return (
      <div className="stack tight">
        <select
          className="input"
          aria-label={label}
          value={named ? day : day ? 'day' : ''}
          onChange={(e) => onChange(e.target.value === 'day' ? new Date().toISOString().slice(0, 10) : e.target.value)}
        >
          <option value="" disabled>
            {t('chooseDay')}
          </option>
          {namedDays.map((d) => (
            <option key={d} value={d}>
              {dayWords(d)}
            </option>
          ))}
          {named && !namedDays.includes(day) && <option value={day}>{day}</option>}
          <option value="day">{t('exactDay')}</option>
        </select>
        {day && !named && (
          <DayInput
            className="input"
            aria-label={`${label}: ${t('exactDay')}`}
            value={day.slice(0, 10)}
            onText={(text) => text !== unfinished && onChange(text)}
          />
        )}
      </div>
    )
  }
  const single: Leaf =
    leaf.kind === 'multi_select'
      ? { ...leaf, kind: 'select' }
      : leaf.kind === 'tags' || leaf.kind === 'long_text'
        ? { ...leaf, kind: 'text' }
        : leaf
  return (
    <Input
      leaf={single}
      value={value}
      label={label}
      onChange={onChange}
      shownAs={typeof value === 'string' ? names.get(value) : undefined}
      filtering
    />
  )
}
