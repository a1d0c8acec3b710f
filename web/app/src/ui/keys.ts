// The keys of the app: one table, which those who listen and the list of them read alike.

import type { Messages } from '../i18n/messages/all'

export type Act = 'palette' | 'help' | 'new' | 'filter' | 'go' | 'down' | 'up' | 'select' | 'edit' | 'undo'

// A shortcut without an act is listened to where it works.
type Shortcut = { what: keyof Messages; keys: string[]; when: keyof Messages; act?: Act }

export const shortcuts: Shortcut[] = [
  { what: 'keyPalette', keys: ['Ctrl', 'K'], when: 'keysAnywhere', act: 'palette' },
  { what: 'keyNew', keys: ['N'], when: 'keysAnywhere', act: 'new' },
  { what: 'keyUndo', keys: ['Ctrl', 'Z'], when: 'keysAnywhere', act: 'undo' },
  { what: 'keyHelp', keys: ['?'], when: 'keysAnywhere', act: 'help' },
  { what: 'keyCancel', keys: ['Esc'], when: 'keysAnywhere' },
  { what: 'keyFilter', keys: ['/'], when: 'keysList', act: 'filter' },
  { what: 'keyDown', keys: ['J'], when: 'keysList', act: 'down' },
  { what: 'keyUp', keys: ['K'], when: 'keysList', act: 'up' },
  { what: 'keyMove', keys: ['←', '↑', '↓', '→'], when: 'keysList' },
  { what: 'keyEnds', keys: ['Ctrl', 'Home', 'End'], when: 'keysList' },
  { what: 'keyOpen', keys: ['Enter'], when: 'keysList' },
  { what: 'keyFollow', keys: ['Ctrl', 'Enter'], when: 'keysList' },
  { what: 'keyEdit', keys: ['E'], when: 'keysList', act: 'edit' },
  { what: 'keySelect', keys: ['X'], when: 'keysList', act: 'select' },
  { what: 'keySelectThrough', keys: ['Shift', 'X'], when: 'keysList' },
  { what: 'keyResize', keys: ['Shift', '←', '→'], when: 'keysList' },
  { what: 'keyEditRecord', keys: ['E'], when: 'keysRecord', act: 'edit' },
  { what: 'keyNext', keys: ['J'], when: 'keysRecord', act: 'down' },
  { what: 'keyPrevious', keys: ['K'], when: 'keysRecord', act: 'up' },
  { what: 'keySend', keys: ['Ctrl', 'Enter'], when: 'keysRecord' },
  { what: 'keyComplete', keys: ['C'], when: 'keysElsewhere' },
  { what: 'keyLift', keys: ['Space', '←', '→'], when: 'keysElsewhere' },
  { what: 'keyMoveView', keys: ['Alt', '↑', '↓'], when: 'keysElsewhere' },
]

// The key after which a letter says where to go.
export const goKey = 'G'

type Press = { key: string; ctrlKey: boolean; metaKey: boolean; altKey: boolean; shiftKey: boolean }

// actOf is what a key is for, wherever one is.
export function actOf(press: Press): Act | undefined {
  const letter = press.key.length === 1 && press.key.toLowerCase() !== press.key.toUpperCase()
  if (press.altKey || (press.shiftKey && letter)) return undefined
  const keys = [...(press.ctrlKey || press.metaKey ? ['Ctrl'] : []), letter ? press.key.toUpperCase() : press.key].join(' ')
  return keys === goKey ? 'go' : shortcuts.find((s) => s.act && s.keys.join(' ') === keys)?.act
}

// lettersOf gives each place a letter of its name that none before it has, the first if it is free.
export function lettersOf(names: string[]): (string | undefined)[] {
  const taken = new Set<string>()
  return names.map((name) => {
    const letter = [...name.toUpperCase()].find((c) => c >= 'A' && c <= 'Z' && !taken.has(c))
    if (letter) taken.add(letter)
    return letter
  })
}

// forItself tells whether what has the focus takes letters for itself: what is typed into, and lists in which one types to find.
export const forItself = (target: Element) =>
  !!target.closest('input:not([type=checkbox]), textarea, select, [contenteditable], [role=menu], [role=listbox], [role=dialog]') ||
  !!document.querySelector('[role=dialog], [role=alertdialog]')
