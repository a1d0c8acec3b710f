import { describe, expect, it } from 'vitest'
import { onceOf, type Resource } from './schema'

describe('what is answered once', () => {
  it('is what is no field', () => {
    const webhook = { name: 'webhook', fields: [{ name: 'id' }, { name: 'name' }] } as Resource
    expect(onceOf(webhook, { id: 'webhook_1', name: 'Ledger', secret: 'whsec_x', version: 1 })).toEqual([
      { label: 'Secret', value: 'whsec_x' },
    ])
    expect(onceOf(webhook, { id: 'webhook_1', name: 'Ledger' })).toEqual([])
  })
})
