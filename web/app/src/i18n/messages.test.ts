import { describe, expect, it } from 'vitest'
import { german } from './messages/de'
import { english } from './messages/en'
import { later } from './messages/later'

const places = (text: string) => [...new Set(text.match(/\{\w+\}/g) ?? [])].sort()

describe('catalogues', () => {
  it('have the same messages with the same values in them', () => {
    for (const [key, text] of Object.entries({ ...english, ...later })) {
      expect(german[key], key).toBeTruthy()
      expect(places(german[key]), key).toEqual(places(text))
      expect(german[key].split(' || ').length, key).toBe(text.split(' || ').length)
    }
  })
})
