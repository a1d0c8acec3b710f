// A day, or a moment, in a form. The browser writes days in its own language there, whatever the page says; so what was chosen stands over it as
// the rest of the app writes it, until somebody edits it.

import type { ComponentProps } from 'react'
import { formatClock, formatDate } from '../i18n/format'
import { t } from '../i18n/translate'

type Props = Omit<ComponentProps<'input'>, 'type' | 'value' | 'onChange'> & { value: string; onText: (text: string) => void }

// unfinished is what is given of a day that somebody began to type: it is never one, so that it is refused and not lost.
export const unfinished = '?'

export function DayInput(props: Props) {
  return <Part {...props} type="date" shown={formatDate} />
}

// MomentInput asks for the time of a day only once there is a day, and proposes one: whoever names a day alone means that day.
export function MomentInput({ value, onText, autoFocus, ...rest }: Props & { 'aria-label': string }) {
  const [day, time] = value.split('T')
  return (
    <span className="moment-input">
      <Part
        {...rest}
        autoFocus={autoFocus}
        type="date"
        value={day}
        shown={formatDate}
        onText={(text) => onText(!text || text === unfinished ? text : `${text}T${time ?? usualTime(text)}`)}
      />
      {time && (
        <Part
          {...rest}
          aria-label={`${rest['aria-label']}: ${t('clock')}`}
          type="time"
          value={time}
          shown={() => formatClock(value)}
          onText={(text) => text && text !== unfinished && onText(`${day}T${text}`)}
        />
      )}
    </span>
  )
}

// usualTime is nine in the morning, or of a day that has come so far the next full hour.
export function usualTime(day: string, now = new Date()): string {
  const hour = new Date(`${day}T00:00`).toDateString() === now.toDateString() ? Math.max(9, now.getHours() + 1) : 9
  return hour > 23 ? '23:59' : `${String(hour).padStart(2, '0')}:00`
}

type PartProps = Props & { type: 'date' | 'time'; shown: (value: string) => string }

function Part({ value, shown, onText, ...rest }: PartProps) {
  const known = value === unfinished ? '' : value
  const tell = ({ value: text, validity }: HTMLInputElement) => {
    const now = validity.badInput ? unfinished : text
    if (now !== value) onText(now)
  }
  return (
    <span className="day-input" data-shown={known ? shown(known) : t('chooseDay')} data-empty={!known || undefined}>
      <input
        {...rest}
        value={known}
        onChange={(e) => tell(e.currentTarget)}
        // What is not a day yet changes nothing that the browser would tell of.
        onKeyUp={(e) => tell(e.currentTarget)}
        onBlur={(e) => tell(e.currentTarget)}
      />
    </span>
  )
}
