import { describe, expect, test, vi } from 'vitest'
import type { Rec } from '../api/call'
import type { Field, Kind, Resource } from '../schema/schema'
import { things } from '../schema/things.test-data'
import { signsOf } from './meant'

// Links have to know where they are.
vi.hoisted(() => {
  vi.stubGlobal('location', new URL('https://kith.example/app'))
  vi.stubGlobal('addEventListener', () => {})
})

const field = (name: string, kind: Kind, more: Partial<Field> = {}): Field => ({
  name,
  kind,
  label: name,
  operators: [],
  sortable: false,
  required: false,
  read_only: false,
  custom: false,
  nullable: true,
  ...more,
})
const people: Resource = {
  ...things,
  name: 'person',
  named_by: ['name'],
  fields: [
    field('name', 'text'),
    field('first_name', 'text'),
    field('last_name', 'text'),
    field('email', 'email'),
    field('phone', 'phone'),
    field('domain', 'text', { format: 'domain' }),
  ],
}
const signs = (given: Record<string, string>) => signsOf(people, (path) => given[path])
const person = (more: object) => ({ id: 'person_1', version: 1, ...more }) as Rec

describe('who may be meant', () => {
  test('is asked for by an address and a domain, once they are whole', () => {
    expect(signs({ email: 'anna@exam' })).toEqual([])
    expect(signs({ email: 'anna@example.com', domain: 'example.com' }).map((s) => s.search)).toEqual([
      { filters: [{ field: 'email', operator: 'eq', value: 'anna@example.com' }] },
      { filters: [{ field: 'domain', operator: 'eq', value: 'example.com' }] },
    ])
  })
  test('has the words of the name, with or without accents', () => {
    expect(signs({ first_name: 'Zoë' })).toEqual([])
    const [sign] = signs({ first_name: 'Zoe', last_name: 'Berg' })
    expect(sign.search).toEqual({ search_text: 'Zoe Berg' })
    expect(sign.fits(person({ name: 'Zoë Bergström' }))).toBe(true)
    expect(sign.fits(person({ name: 'Mia Berg' }))).toBe(false)
  })
  test('has the end of the number, however it is written', () => {
    const [sign] = signs({ phone: '+46 70 123456' })
    expect(sign.fits(person({ name: 'x', phone: '070-12 34 56' }))).toBe(true)
    expect(sign.fits(person({ name: 'x', phone: '070-99 34 56' }))).toBe(false)
  })
})
