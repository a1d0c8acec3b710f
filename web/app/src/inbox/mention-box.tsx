// A text in which colleagues are mentioned: @ and the beginning of a name offers those who fit.

import { type ComponentProps, type KeyboardEvent, type RefObject, useId, useState } from 'react'
import { t } from '../i18n/translate'
import './mention-box.css'

const offered = 6

// beginning is what stands between the last @ and the cursor, where that may become a name.
export function beginning(text: string, cursor: number): { at: number; word: string } | null {
  const found = /(?:^|[\s(])@([\p{L}\p{N}._-]{0,40})$/u.exec(text.slice(0, cursor))
  return found && { at: cursor - found[1].length - 1, word: found[1] }
}

const fold = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()

// fitting are the people one of whose names begins like a word.
export const fitting = (people: [string, string][], word: string): [string, string][] =>
  people
    .filter(([, name]) =>
      fold(name)
        .split(/\s+/)
        .some((part) => part.startsWith(fold(word))),
    )
    .slice(0, offered)

// Names stand in the box as people read them, and in what is saved by their ids.
export function withIDs(text: string, people: Iterable<[string, string]>): string {
  const longest = [...people].sort((a, b) => b[1].length - a[1].length)
  return longest.reduce(
    (now, [id, name]) =>
      now.replace(new RegExp(`(^|[\\s(])@${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\p{L}\\p{N}])`, 'gu'), `$1@[${id}]`),
    text,
  )
}

type Props = Omit<ComponentProps<'textarea'>, 'value' | 'onChange' | 'ref'> & {
  box: RefObject<HTMLTextAreaElement | null>
  value: string
  // people are those who can be mentioned; nobody, where that is not meant.
  people?: Map<string, string>
  onText: (text: string) => void
}

export function MentionBox({ box, value, people, onText, onKeyDown, ...rest }: Props) {
  const list = useId()
  const [cursor, setCursor] = useState<number | null>(null)
  const [chosen, setChosen] = useState(0)
  const typed = cursor === null || !people ? null : beginning(value, cursor)
  const fit = typed ? fitting([...people!], typed.word) : []
  const at = Math.min(chosen, fit.length - 1)
  const take = ([, name]: [string, string]) => {
    if (!typed) return
    const text = `${value.slice(0, typed.at)}@${name} ${value.slice(cursor!)}`
    onText(text)
    setCursor(null)
    const end = typed.at + name.length + 2
    requestAnimationFrame(() => {
      box.current?.focus()
      box.current?.setSelectionRange(end, end)
    })
  }
  const onKey = (e: KeyboardEvent<HTMLTextAreaElement>) => {
    if (fit.length && !e.ctrlKey && !e.metaKey) {
      const step = { ArrowDown: 1, ArrowUp: -1 }[e.key]
      if (step) setChosen((at + step + fit.length) % fit.length)
      else if (e.key === 'Enter' || e.key === 'Tab') take(fit[at])
      else if (e.key === 'Escape') setCursor(null)
      if (step || ['Enter', 'Tab', 'Escape'].includes(e.key)) {
        e.preventDefault()
        e.stopPropagation()
        return
      }
    }
    onKeyDown?.(e)
  }
  return (
    <div className="mention-box">
      <textarea
        {...rest}
        ref={box}
        aria-autocomplete="list"
        aria-controls={fit.length ? list : undefined}
        aria-activedescendant={fit.length ? `${list}-${at}` : undefined}
        value={value}
        onChange={(e) => {
          onText(e.target.value)
          setCursor(e.target.selectionStart)
          setChosen(0)
        }}
        onBlur={() => setCursor(null)}
        onKeyDown={onKey}
      />
      {fit.length > 0 && (
        <div className="popover mention-list" id={list} role="listbox" aria-label={t('mentionWho')}>
          {fit.map((person, i) => (
            <div
              key={person[0]}
              id={`${list}-${i}`}
              role="option"
              tabIndex={-1}
              aria-selected={i === at}
              className="menu-item"
              data-focused={i === at || undefined}
              onPointerDown={(e) => {
                e.preventDefault()
                take(person)
              }}
            >
              <bdi>{person[1]}</bdi>
            </div>
          ))}
        </div>
      )}
    </div>
  )
}
