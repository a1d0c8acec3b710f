// What is refused of a form stands at its field, which gets the focus; what belongs to none of the fields that it shows stands above.

import { type ReactNode, useEffect, useId, useState } from 'react'
import { refusal, refusalsAt } from '../records/refusals'
import type { Leaf } from '../schema/schema'

// useRefused keeps what was refused of a form that shows these leaves. Where it calls some by other names, these are told.
export function useRefused(leaves: Leaf[], names: Record<string, string> = {}) {
  const id = useId()
  const [wrong, setWrong] = useState<Record<string, string>>({})
  const called = leaves.map((l) => (names[l.path] ? { ...l, group: undefined, label: names[l.path] } : l))
  const above = Object.entries(wrong).filter(([at]) => !called.some((l) => l.path === at))
  useEffect(() => {
    if (Object.keys(wrong).length) document.querySelector<HTMLElement>('.field.wrong :is(input, select, textarea, button)')?.focus()
  }, [wrong])
  return {
    fail: (error: unknown) => setWrong(refusalsAt(error, called) ?? { '': refusal(error) }),
    clear: () => setWrong({}),
    at: (field: string): string | undefined => wrong[field],
    // What a field of the form's own making needs: its class, what its control says, and the sentence under it.
    field: (field: string) => (wrong[field] ? 'field wrong' : 'field'),
    control: (field: string) => (wrong[field] ? { 'aria-invalid': true, 'aria-describedby': `${id}-${field}` } : {}),
    sentence: (field: string): ReactNode =>
      wrong[field] && (
        <p className="error" id={`${id}-${field}`}>
          {wrong[field]}
        </p>
      ),
    above: above.length > 0 && (
      <div className="note-bad" role="alert">
        {above.map(([at, sentence]) => (
          <p key={at}>{sentence}</p>
        ))}
      </div>
    ),
  }
}
