import { describe, expect, it } from 'vitest'
import { t } from './words'

describe('sentences', () => {
  it('set names that run from right to left apart, and leave others alone', () => {
    expect(t('deletedOne', { name: 'ليلى' })).toBe('\u2068ليلى\u2069 was moved to the bin')
    expect(t('deletedOne', { name: 'Zoë' })).toBe('Zoë was moved to the bin')
  })
})
