// What is folded stays so in this browser, and what was opened stays open.

import { useState } from 'react'

const place = 'kith.folds'

const kept = (): Record<string, boolean> => {
  try {
    return JSON.parse(localStorage.getItem(place) ?? '{}') ?? {}
  } catch {
    return {}
  }
}

// useFold tells whether a part is open, and gives what opens and closes it.
export function useFold(name: string, usually: boolean): [boolean, () => void] {
  const [open, setOpen] = useState(() => kept()[name] ?? usually)
  return [
    open,
    () => {
      localStorage.setItem(place, JSON.stringify({ ...kept(), [name]: !open }))
      setOpen(!open)
    },
  ]
}
