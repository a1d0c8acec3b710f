// A day, or a moment, in a form. The browser writes days in its own language there, whatever the page says; so what was chosen stands over it as
// the rest of the app writes it, until somebody edits it.

import type { ComponentProps } from 'react'
import { formatDate, formatTime } from '../i18n/format'
import { t } from '../i18n/translate'

type Props = Omit<ComponentProps<'input'>, 'type' | 'value'> & { type: 'date' | 'datetime-local'; value: string }

export function DayInput({ type, value, ...rest }: Props) {
  const shown = value && (type === 'date' ? formatDate(value) : formatTime(value))
  return (
    <span className="day-input" data-shown={shown || t('chooseDay')} data-empty={!value || undefined}>
      <input {...rest} type={type} value={value} />
    </span>
  )
}
