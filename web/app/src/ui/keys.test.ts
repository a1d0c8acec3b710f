import { expect, test } from 'vitest'
import { actOf, lettersOf, shortcuts } from './keys'

const press = (key: string, held: Partial<Record<'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey', boolean>> = {}) => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  ...held,
})

test('a key does what the list of keys says', () => {
  for (const { keys, act } of shortcuts.filter((s) => s.act))
    expect(actOf(press(keys.at(-1)!.toLowerCase(), { ctrlKey: keys[0] === 'Ctrl' }))).toBe(act)
  expect(actOf(press('g'))).toBe('go')
  expect(actOf(press('z', { metaKey: true }))).toBe('undo')
  expect(actOf(press('?', { shiftKey: true }))).toBe('help')
})

test('a letter with another key held is left to the browser', () => {
  expect(actOf(press('n', { ctrlKey: true }))).toBeUndefined()
  expect(actOf(press('n', { altKey: true }))).toBeUndefined()
  expect(actOf(press('Z', { ctrlKey: true, shiftKey: true }))).toBeUndefined()
  expect(actOf(press('N', { shiftKey: true }))).toBeUndefined()
})

test('no key does two things in one place', () => {
  for (const when of ['keysList', 'keysRecord']) {
    const keys = shortcuts.filter((s) => s.act && ['keysAnywhere', when].includes(s.when)).map((s) => s.keys.join(' '))
    expect(new Set(keys).size).toBe(keys.length)
  }
})

test('each place has a letter of its own, the first of its name where that is free', () => {
  expect(lettersOf(['Today', 'Contacts', 'Companies', 'Tasks', 'Öl', 'Oo'])).toEqual(['T', 'C', 'O', 'A', 'L', undefined])
})
