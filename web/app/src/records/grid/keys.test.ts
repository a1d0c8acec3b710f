import { describe, expect, test } from 'vitest'
import { type Step, stepOf } from './keys'

const extent = { rows: 50, columns: 6, page: 10, withHead: true }
const press = (key: string, held = '') => ({
  key,
  ctrlKey: held === 'ctrl',
  metaKey: held === 'meta',
  altKey: held === 'alt',
  shiftKey: held === 'shift',
})
const to = (row: number, col: number): Step => ({ does: 'move', to: { row, col } })

describe('the keys of a grid', () => {
  test.each([
    ['ArrowDown', '', to(5, 3)],
    ['ArrowUp', '', to(3, 3)],
    ['ArrowLeft', '', to(4, 2)],
    ['ArrowRight', '', to(4, 4)],
    ['Home', '', to(4, 0)],
    ['End', '', to(4, 6)],
    ['Home', 'ctrl', to(0, 0)],
    ['End', 'meta', to(49, 6)],
    ['PageDown', '', to(14, 3)],
    ['PageUp', '', to(0, 3)],
    [' ', '', { does: 'select', through: false }],
    [' ', 'shift', { does: 'select', through: true }],
    ['Enter', '', { does: 'edit' }],
    ['Enter', 'ctrl', { does: 'visit' }],
    ['Enter', 'meta', { does: 'visit' }],
    ['F2', '', { does: 'edit' }],
    ['ArrowDown', 'alt', null],
    ['x', '', { does: 'select', through: false }],
    ['x', 'ctrl', null],
    ['j', '', to(5, 1)],
    ['k', '', to(3, 1)],
    ['j', 'ctrl', null],
    ['y', '', null],
  ] as [string, string, Step | null][])('%j with %j held', (key, held, step) =>
    expect(stepOf(press(key, held), { row: 4, col: 3 }, extent)).toEqual(step),
  )

  test('do not lead out of it', () => {
    expect(stepOf(press('ArrowDown'), { row: 49, col: 3 }, extent)).toEqual(to(49, 3))
    expect(stepOf(press('PageDown'), { row: 45, col: 3 }, extent)).toEqual(to(49, 3))
    expect(stepOf(press('ArrowRight'), { row: 4, col: 6 }, extent)).toEqual(to(4, 6))
    expect(stepOf(press('ArrowLeft'), { row: 4, col: 0 }, extent)).toEqual(to(4, 0))
  })
  test('lead to the head where there is one', () => {
    expect(stepOf(press('ArrowUp'), { row: 0, col: 3 }, extent)).toEqual(to(-1, 3))
    expect(stepOf(press('ArrowUp'), { row: 0, col: 3 }, { ...extent, withHead: false })).toEqual(to(0, 3))
  })
  test('are left to the buttons of the head', () => {
    for (const key of [' ', 'Enter']) expect(stepOf(press(key), { row: -1, col: 2 }, extent)).toBeNull()
    expect(stepOf(press('ArrowDown'), { row: -1, col: 2 }, extent)).toEqual(to(0, 2))
  })
  test('select by the box, and open by the name', () => {
    expect(stepOf(press('Enter'), { row: 4, col: 0 }, extent)).toEqual({ does: 'select', through: false })
    expect(stepOf(press('Enter'), { row: 4, col: 1 }, extent)).toEqual({ does: 'open' })
  })
})
