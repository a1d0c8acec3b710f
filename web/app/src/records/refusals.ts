// What is wrong, as a sentence that names the field as people know it and says what to do. The codes are those of the API (docs/api.md);
// where its own sentence tells more, and is known in the language of whoever reads it, that is told.

import { type Fault, Problem } from '../api/call'
import { formatMoney, formatNumber } from '../i18n/format'
import type { Messages } from '../i18n/messages/all'
import { t } from '../i18n/translate'
import { type Leaf, labelOf, leaf as leafOf, type Resource, sentence } from '../schema/schema'
import { unfinished } from '../ui/day-input'

type Key = keyof Messages

export const problems: Record<string, Key> = {
  malformed_json: 'refused.outdated',
  version_required: 'refused.outdated',
  version_unsupported: 'refused.outdated',
  method_not_allowed: 'refused.outdated',
  unsupported_media_type: 'refused.outdated',
  idempotency_key_reused: 'refused.outdated',
  unauthorized: 'refused.login',
  invalid_token: 'refused.login',
  session_required: 'refused.login',
  insufficient_scope: 'refused.role',
  forbidden_by_role: 'refused.role',
  confirmation_required: 'refused.confirm',
  second_factor_required: 'refused.factor',
  not_found: 'refused.gone',
  conflict: 'refused.conflict',
  ambiguous_match: 'refused.ambiguous',
  idempotency_in_progress: 'refused.often',
  too_many_requests: 'refused.often',
  invalid_transition: 'refused.state',
  precondition_failed: 'refused.changed',
  payload_too_large: 'refused.large',
  validation_failed: 'refused.wrong',
  internal: 'refused.ours',
  timeout: 'refused.slow',
  database_unavailable: 'refused.down',
  service_unavailable: 'refused.down',
}

// Of these the API's own sentence names what is in the way.
const telling = [
  'forbidden_by_role',
  'conflict',
  'too_many_requests',
  'invalid_transition',
  'payload_too_large',
  'timeout',
  'validation_failed',
]

export const faults: Record<string, Key> = {
  required: 'fault.required',
  null_value: 'fault.required',
  empty_value: 'fault.required',
  wrong_type: 'fault.format',
  invalid_format: 'fault.format',
  out_of_range: 'fault.range',
  too_long: 'fault.tooLong',
  too_many: 'fault.tooMany',
  invalid_characters: 'fault.characters',
  invalid_date: 'fault.date',
  invalid_time: 'fault.time',
  read_only: 'fault.fixed',
  immutable: 'fault.fixed',
  invalid_id: 'fault.gone',
  not_found: 'fault.gone',
  not_allowed: 'fault.choice',
  invalid_value_token: 'fault.choice',
  not_unique: 'fault.taken',
  unknown_operator: 'fault.search',
  operator_not_allowed: 'fault.search',
  not_sortable: 'fault.search',
  not_groupable: 'fault.search',
  unit_required: 'fault.search',
  unknown_metric: 'fault.search',
  not_measurable: 'fault.search',
  invalid_cursor: 'fault.search',
  unknown_field: 'fault.unknown',
  unknown_parameter: 'fault.unknown',
  duplicate_key: 'fault.unknown',
}

// These say more than the API does.
const plainly = ['required', 'read_only', 'immutable', 'invalid_id', 'not_found', 'not_unique']

const figures = ['integer', 'number', 'percent', 'decimal', 'money']

// ofKind is how a value of a kind is written.
function ofKind(leaf: Leaf, field: string): string | null {
  if (figures.includes(leaf.kind)) {
    const example = leaf.kind === 'money' ? formatMoney('1250.5') : formatNumber(leaf.kind === 'integer' ? 12 : 12.5)
    return t('fault.number', { field, example })
  }
  if (leaf.kind === 'date' || leaf.kind === 'datetime') return t('fault.date', { field })
  if (leaf.kind === 'email' || leaf.kind === 'phone' || leaf.kind === 'url') return t(`fault.${leaf.kind}`, { field })
  if (leaf.format === 'currency' || leaf.format === 'timezone' || leaf.format === 'locale') return t(`fault.${leaf.format}`, { field })
  return null
}

function ofRange({ minimum, maximum }: Leaf, field: string): string | null {
  if (minimum === undefined && maximum === undefined) return null
  if (maximum === undefined) return t('fault.least', { field, least: minimum! })
  if (minimum === undefined) return t('fault.most', { field, most: maximum })
  return t('fault.between', { field, least: minimum, most: maximum })
}

const leafIn = (res: Resource | undefined, field: string) => (res ? leafOf(res, field.replace(/^data\./, '')) : undefined)

// namedIn is what people call a field that the API names.
export function namedIn(res: Resource | undefined, field: string): string {
  const leaf = leafIn(res, field)
  return leaf ? labelOf(leaf) : sentence(field.split('.').at(-1)!)
}

// refusalOf says what is wrong with a field.
export function refusalOf(fault: Fault, res?: Resource, leaf = leafIn(res, fault.field)): string {
  const field = leaf ? labelOf(leaf) : namedIn(res, fault.field)
  const [, several] = /^give at least one of (.+)$/.exec(fault.message) ?? []
  if (several)
    return t('fault.oneOf', {
      fields: several
        .split(/, | and /)
        .map((f) => namedIn(res, f))
        .join(', '),
    })
  if (leaf) {
    if (['wrong_type', 'invalid_format', 'invalid_date', 'invalid_time'].includes(fault.code)) {
      const says = ofKind(leaf, field)
      if (says) return says
    }
    if (fault.code === 'out_of_range') {
      const says = ofRange(leaf, field)
      if (says) return says
    }
    if (fault.code === 'too_long' && leaf.max_length) return t('fault.longest', { field, count: leaf.max_length })
  }
  if (fault.said && !plainly.includes(fault.code)) return `${field} ${fault.said.replace(/\.$/, '')}.`
  return t(faults[fault.code] ?? 'fault.format', { field })
}

// refusalsAt says what is wrong with each field of a form; what is wrong with an item is so with the list that it is of. It gives null
// where no field is to blame.
export function refusalsAt(error: unknown, leaves: Leaf[]): Record<string, string> | null {
  if (!(error instanceof Problem) || !error.errors.length) return null
  const at: Record<string, string> = {}
  for (const fault of error.errors) {
    const field = fault.field.replace(/\[.*$/, '')
    const says = refusalOf(
      { ...fault, field },
      undefined,
      leaves.find((l) => l.path === field),
    )
    at[field] = at[field] ? `${at[field]} ${says}` : says
  }
  return at
}

// refusal says what went wrong: with each field that is not right, where there are such.
export function refusal(error: unknown, res?: Resource): string {
  if (!(error instanceof Problem)) return t('failed')
  if (error.status === 0) return t('offline')
  if (error.errors.length) return error.errors.map((e) => refusalOf(e, res)).join(' ')
  if (error.said && (telling.includes(error.code) || !(error.code in problems))) return error.said
  // Whether something was saved before the database was gone only the API tells.
  if (error.said && error.code.endsWith('_unavailable')) return error.said
  return error.code in problems ? t(problems[error.code]) : t('failed')
}

// faultOf is what is wrong with a value before it is sent, as far as the schema tells.
export function faultOf(leaf: Leaf, value: unknown): string | null {
  const wrong = (code: string) => refusalOf({ field: leaf.path, code, message: '' }, undefined, leaf)
  if (value === null || value === undefined || value === '') return leaf.nullable ? null : wrong('required')
  if (figures.includes(leaf.kind)) {
    const text = String(value)
    if (!/^-?\d+(\.\d+)?$/.test(text) || (leaf.kind === 'integer' && text.includes('.'))) return wrong('invalid_format')
    const n = Number(text)
    if (n < (leaf.minimum ?? -Infinity) || n > (leaf.maximum ?? Infinity)) return wrong('out_of_range')
  }
  if (value === unfinished && ['date', 'datetime'].includes(leaf.kind)) return wrong('invalid_date')
  if (leaf.kind === 'email' && !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(String(value))) return wrong('invalid_format')
  if (leaf.kind === 'phone' && !/\d/.test(String(value))) return wrong('invalid_format')
  if (leaf.kind === 'url' && !/^https?:\/\/\S+$/i.test(String(value))) return wrong('invalid_format')
  return null
}
