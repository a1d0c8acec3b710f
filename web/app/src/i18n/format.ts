// Values as people read them.

import type { Rec } from '../api/call'
import type { Leaf } from '../schema/schema'
import { locale, t } from './translate'

// kept makes a format once for each place and whatever else it depends on: to make one takes much longer than to write with it, and a list
// writes hundreds of values for each frame in which it is scrolled.
function kept<Of, Format>(make: (where: string, of?: Of) => Format): (where: string, of?: Of) => Format {
  const formats = new Map<string, Format>()
  return (where, of) => {
    const key = `${where} ${of ?? ''}`
    let format = formats.get(key)
    if (!format) {
      format = make(where, of)
      formats.set(key, format)
    }
    return format
  }
}

const numberFormat = kept((where, digits?: number) => new Intl.NumberFormat(where, { maximumFractionDigits: digits }))

export function formatNumber(value: number | string, digits = 4): string {
  return numberFormat(locale(), digits).format(Number(value))
}

// moneyFormat has the digits of a currency; two, where none is known.
const moneyFormat = kept(
  (where, currency?: string | null) =>
    new Intl.NumberFormat(where, currency ? { style: 'currency', currency } : { minimumFractionDigits: 2, maximumFractionDigits: 2 }),
)

// formatMoney writes an amount as people do, in the digits of its currency. What it rounds is the decimal itself, which is never turned
// into a floating number; all of its places are in the API and where it is edited.
export const formatMoney = (value: string, currency?: string | null, where = locale()): string =>
  moneyFormat(where, currency).format(value as unknown as number)

// hiddenMoney is all of an amount, where formatMoney leaves places out.
export function hiddenMoney(value: string, currency?: string | null): string | undefined {
  const places = value.split('.')[1]?.replace(/0+$/, '').length ?? 0
  return places > moneyFormat(locale(), currency).resolvedOptions().maximumFractionDigits! ? localDecimal(value) : undefined
}

export function shortMoney(value: string | number, currency?: string | null): string {
  const style: Intl.NumberFormatOptions = currency ? { style: 'currency', currency } : {}
  const parts = new Intl.NumberFormat(locale(), { ...style, notation: 'compact', maximumFractionDigits: 1 }).formatToParts(Number(value))
  // Some languages have no short word for thousands; a part of a unit says nothing there.
  if (!parts.some((p) => p.type === 'compact'))
    return new Intl.NumberFormat(locale(), { ...style, maximumFractionDigits: 0 }).format(Number(value))
  return parts.map((p) => p.value).join('')
}

const onDay: Intl.DateTimeFormatOptions = { day: 'numeric', month: 'short', year: 'numeric' }
const dayFormat = kept((where) => new Intl.DateTimeFormat(where, onDay))
const timeFormat = kept((where) => new Intl.DateTimeFormat(where, { ...onDay, hour: '2-digit', minute: '2-digit' }))
const clockFormat = kept((where) => new Intl.DateTimeFormat(where, { hour: '2-digit', minute: '2-digit' }))
const agoFormat = kept((where) => new Intl.RelativeTimeFormat(where, { numeric: 'auto' }))

export function formatDate(value: string): string {
  const day = new Date(value + 'T00:00:00')
  return Number.isNaN(day.getTime()) ? value : dayFormat(locale()).format(day)
}

// shortDate leaves out the year that everybody thinks of.
export function shortDate(value: string, now = new Date()): string {
  const day = new Date(value + 'T00:00:00')
  return day.toLocaleDateString(locale(), {
    day: 'numeric',
    month: 'short',
    ...(day.getFullYear() === now.getFullYear() ? {} : { year: 'numeric' }),
  })
}

export function formatTime(value: string): string {
  const moment = new Date(value)
  return Number.isNaN(moment.getTime()) ? value : timeFormat(locale()).format(moment)
}

// formatClock is the time of its day that a moment has.
export function formatClock(value: string): string {
  const moment = new Date(value)
  return Number.isNaN(moment.getTime()) ? '' : clockFormat(locale()).format(moment)
}

// formatPercent is a number of hundredths.
export const formatPercent = (value: number | string, places = 4) =>
  new Intl.NumberFormat(locale(), { style: 'percent', maximumFractionDigits: places }).format(Number(value) / 100)

// decimalSign is what people here put before the places of a number.
export const decimalSign = () => new Intl.NumberFormat(locale()).formatToParts(1.5).find((p) => p.type === 'decimal')?.value ?? '.'

// localDecimal is a number of the API as it is typed here.
export const localDecimal = (value: string | number) => String(value).replace('.', decimalSign())

// ago says roughly how far a moment is away, as people do.
export function ago(value: string, now = Date.now()): string {
  const seconds = (new Date(value).getTime() - now) / 1000
  const format = agoFormat(locale())
  const steps: [Intl.RelativeTimeFormatUnit, number][] = [
    ['year', 31_536_000],
    ['month', 2_592_000],
    ['week', 604_800],
    ['day', 86_400],
    ['hour', 3600],
    ['minute', 60],
  ]
  for (const [unit, size] of steps) if (Math.abs(seconds) >= size) return format.format(Math.round(seconds / size), unit)
  return t('justNow')
}

// dueIn says when something is due, as people do: by the days of the calendar, and today by the clock.
export function dueIn(value: string, now = new Date()): string {
  const due = new Date(value)
  const day = (at: Date) => Date.UTC(at.getFullYear(), at.getMonth(), at.getDate())
  const days = (day(due) - day(now)) / 86_400_000
  if (days === 0) return formatClock(value)
  return Math.abs(days) < 7 ? agoFormat(locale()).format(days, 'day') : ago(value, now.getTime())
}

export function optionLabel(l: Leaf, value: string): string {
  return l.options?.find((o) => o.value === value)?.label ?? value.replaceAll('_', ' ')
}

// formatPlain is a value as a short text, for where no component can stand: a history, a card, a notice.
export function formatPlain(l: Leaf | undefined, value: unknown, record?: Rec, names?: Map<string, string>): string {
  if (value === null || value === undefined || value === '') return t('nothing')
  if (Array.isArray(value)) {
    if (value.length === 0) return t('nothing')
    if (value.every((v) => typeof v === 'string')) return value.map((v) => (l ? optionLabel(l, v) : v)).join(', ')
    return t('items', { count: value.length })
  }
  switch (l?.kind) {
    case 'money':
      return formatMoney(String(value), record?.currency)
    case 'percent':
      return formatPercent(value as number)
    case 'integer':
    case 'number':
    case 'decimal':
      return formatNumber(value as number | string)
    case 'boolean':
      return value ? t('yes') : t('no')
    case 'date':
      return formatDate(value as string)
    case 'datetime':
      return formatTime(value as string)
    case 'select':
    case 'multi_select':
      return optionLabel(l, String(value))
    case 'reference':
      return names?.get(value as string) ?? t('aRecord')
  }
  if (typeof value === 'boolean') return value ? t('yes') : t('no')
  return typeof value === 'object' ? t('details') : String(value)
}
