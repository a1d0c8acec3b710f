import { expect, test } from 'vitest'
import type { View } from '../api/records'
import { reordered } from './view-order'

const views = [0, 3, 3, 7].map((position, i) => ({ id: 'abcd'[i], position }) as View)

test('views that are moved have the places that they had together, each another', () => {
  const after = (from: number, to: number) => reordered(views, from, to).map(({ view, position }) => `${view.id}${position}`)
  expect(after(0, 3)).toEqual(['b0', 'c3', 'd4', 'a7'])
  expect(after(3, 0)).toEqual(['d0', 'a3', 'b4', 'c7'])
  expect(after(1, 2)).toEqual(['a0', 'c3', 'b4', 'd7'])
})
