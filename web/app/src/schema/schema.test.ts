import { describe, expect, it } from 'vitest'
import { asked, at, columnsOf, editable, leaves, linked, onceOf, patchOf, put, type Resource, reaches, titleOf } from './schema'
import { things as res } from './things.test-data'

describe('what is answered once', () => {
  it('is what is no field', () => {
    const webhook = { name: 'webhook', fields: [{ name: 'id' }, { name: 'name' }] } as Resource
    expect(onceOf(webhook, { id: 'webhook_1', name: 'Ledger', secret: 'whsec_x', version: 1 })).toEqual([
      { label: 'Secret', value: 'whsec_x' },
    ])
    expect(onceOf(webhook, { id: 'webhook_1', name: 'Ledger' })).toEqual([])
  })
})

describe('the schema', () => {
  it('is opened into leaves', () => {
    expect(leaves(res).map((l) => l.path)).toEqual([
      'id',
      'title',
      'number',
      'colour',
      'weight',
      'good',
      'maker_id',
      'made_by',
      'address.city',
      'custom_fields.size',
      'owner_id',
    ])
    expect(columnsOf(res)[0].path).toBe('title')
    expect(columnsOf(res).map((l) => l.path)).toContain('maker_id')
  })
  it('has the columns that the layout has first', () => {
    const of = (layout: Partial<Resource['layout']>) => columnsOf({ ...res, layout: { ...res.layout, ...layout } }).map((l) => l.path)
    expect(of({})).toEqual(['title', 'colour', 'maker_id', 'weight', 'good', 'owner_id', 'made_by'])
    expect(of({ card: ['owner_id'], head: ['address.city'], form: ['title', 'address.city', 'good'] })).toEqual([
      'title',
      'colour',
      'maker_id',
      'owner_id',
      'address.city',
      'good',
      'weight',
      'made_by',
    ])
    const page = { name: 'about', label: 'About', fields: ['owner_id', 'good'], folded: false, columns: 1 }
    expect(of({ sections: [page] }).slice(3)).toEqual(['owner_id', 'good', 'weight', 'made_by'])
    expect(of({ sections: [{ ...page, folded: true }] })).toEqual(of({}))
  })
  it('names records', () => {
    expect(titleOf(res, { id: 'x', version: 1, title: null, number: 7 })).toBe('Thing 7')
    expect(titleOf(res, { id: 'x', version: 1 })).toBe('Thing')
    const note = { id: 'x', version: 1, title: `${'Word '.repeat(13)}@[user_1] and @[user_2] and more` }
    expect(titleOf(res, note, new Map([['user_1', 'Anna']]))).toBe(`${'Word '.repeat(13)}@Anna and @… a…`)
    expect(titleOf(res, { ...note, title: 'For @[user_01k…' })).toBe('For @…')
  })
  it('follows references', () => {
    const [maker, made] = ['maker_id', 'made_by'].map((p) => leaves(res).find((l) => l.path === p)!)
    expect(asked(maker, [])).toEqual(['maker_id', 'maker.name'])
    expect(asked(made, [])).toEqual(['made_by.id', 'made_by.name'])
    expect(linked(made, { id: 'x', version: 1, made_by: { id: 'user_1', name: 'Bo' } }, [])).toEqual({
      id: 'user_1',
      name: 'Bo',
      target: 'user',
    })
    expect(linked(maker, { id: 'x', version: 1, maker_id: null, maker: null }, [])).toBeNull()
    expect(linked(maker, { id: 'x', version: 1, maker_id: 'user_1', maker: null }, [])).toEqual({
      id: 'user_1',
      name: null,
      target: 'user',
    })
  })
  it('says who may change what', () => {
    expect(editable(res, leaves(res).find((l) => l.path === 'made_by')!)).toBe(false)
    expect(editable(res, leaves(res).find((l) => l.path === 'weight')!)).toBe(true)
    expect(reaches(res, 'own', { id: 'x', version: 1, owner_id: 'me' }, 'me')).toBe(true)
    expect(reaches(res, 'own', { id: 'x', version: 1, owner_id: 'you' }, 'me')).toBe(false)
    expect(reaches(res, 'none', { id: 'x', version: 1, owner_id: 'me' }, 'me')).toBe(false)
  })
  it('puts and patches parts', () => {
    expect(put({ id: 'x', version: 1, address: { city: 'Kiel', street: 's' } }, 'address.city', 'Ulm').address).toEqual({
      city: 'Ulm',
      street: 's',
    })
    expect(patchOf('address.city', null)).toEqual({ address: { city: null } })
    expect(at({ a: null }, 'a.b')).toBeUndefined()
  })
})
