import { expect, test } from 'vitest'
import { colourOf, colours } from './colours'

test('the eight colours are known by their names', () => {
  for (const colour of colours) expect(colourOf(colour)).toBe(colour)
})

test('what has no colour is gray', () => {
  for (const none of [undefined, null, '', 'pink', '#12', 7]) expect(colourOf(none)).toBe('gray')
})

test('a colour by its numbers is the nearest of the eight', () => {
  const near = {
    '#d4af37': 'yellow',
    '#a8a9ad': 'gray',
    '#cd7f32': 'orange',
    '#ff0000': 'red',
    '#e0115f': 'red',
    '#00ff00': 'green',
    '#008080': 'teal',
    '#1e90ff': 'blue',
    '#800080': 'purple',
  }
  for (const [given, colour] of Object.entries(near)) expect(colourOf(given), given).toBe(colour)
})
