import { describe, expect, it } from 'vitest'
import type { Resource } from '../schema/schema'
import { bundled, bundleOf, parts, rows } from './scopes'

const resources = [{ name: 'contact' }, { name: 'user', power: 'can invite people' }] as Resource[]
const all = [
  'audit.read',
  'contact.all',
  'contact.delete',
  'contact.read',
  'contact.write',
  'user.all',
  'user.delete',
  'user.read',
  'user.write',
]

describe('scopes', () => {
  it('come in bundles', () => {
    expect(bundled('read', all, resources)).toEqual(['audit.read', 'contact.read', 'user.read'])
    expect(bundled('all', all, resources)).toEqual(['audit.read', 'contact.all', 'user.all'])
    expect(bundled('work', all, resources)).toEqual(['audit.read', 'contact.all', 'user.read'])
  })
  it('are known as the bundle that they are, in whatever form', () => {
    expect(bundleOf(['user.read', 'contact.read', 'audit.read'], all, resources)).toBe('read')
    expect(bundleOf(['contact.read', 'contact.write', 'contact.delete', 'user.all', 'audit.read'], all, resources)).toBe('all')
    expect(bundleOf(['contact.read'], all, resources)).toBe('some')
    expect(parts(['contact.all', 'user.read'], all)).toEqual(['contact.delete', 'contact.read', 'contact.write', 'user.read'])
  })
  it('stand in a table, what is powerful last', () => {
    expect(rows(all, resources)).toEqual([
      { name: 'audit', cells: ['audit.read', null, null], power: undefined },
      { name: 'contact', cells: ['contact.read', 'contact.write', 'contact.delete'], power: undefined },
      { name: 'user', cells: ['user.read', 'user.write', 'user.delete'], power: 'can invite people' },
    ])
  })
})
