import { describe, expect, it } from 'vitest'
import { nameFrom } from './names'

describe('nameFrom', () => {
  it('is of small letters, digits and _', () => {
    expect(nameFrom('Shoe size (EU)', [])).toBe('shoe_size_eu')
    expect(nameFrom('Größe', [])).toBe('groesse')
    expect(nameFrom('Été', [])).toBe('ete')
    expect(nameFrom('2nd name', [])).toBe('f_2nd_name')
    expect(nameFrom('名前', [])).toBe('field')
    expect(nameFrom('x'.repeat(300), []).length).toBeLessThanOrEqual(60)
  })
  it('is not taken', () => {
    expect(nameFrom('Tier', ['tier', 'tier_2'])).toBe('tier_3')
    expect(nameFrom('Partner', [], '_id')).toBe('partner_id')
  })
})
