import { describe, expect, it } from 'vitest'
import { rates } from '../deals/win-rates'
import { decimalOf } from '../i18n/decimal'
import { asked, at, columnsOf, editable, type Field, leaves, linked, patchOf, put, type Resource, reaches, titleOf } from '../schema/schema'
import { readFilter, readList, searchOf, splitParts, writeFilter, writeList } from './address'

const field = (name: string, kind: Field['kind'], more: Partial<Field> = {}): Field => ({
  name,
  kind,
  label: name,
  operators: ['eq', 'in', 'between', 'is_set'],
  sortable: true,
  required: false,
  read_only: false,
  custom: false,
  nullable: true,
  ...more,
})

const res: Resource = {
  name: 'thing',
  path: '/v1/things',
  label: 'Thing',
  id_prefix: 'thing',
  operations: ['create', 'search', 'patch'],
  named_by: ['title', 'number'],
  telling: ['colour', 'maker.name'],
  own: ['owner_id'],
  fields: [
    field('id', 'reference', { target: 'thing', read_only: true }),
    field('title', 'text'),
    field('number', 'integer'),
    field('colour', 'select', { options: [{ value: 'red', label: 'Red' }] }),
    field('weight', 'number'),
    field('good', 'boolean'),
    field('maker_id', 'reference', { target: 'user', followed_as: 'maker' }),
    field('made_by', 'reference', { target: 'user', followed_as: 'made_by', read_only: true }),
    field('address', 'group', { fields: [field('city', 'text')] }),
    field('custom_fields', 'group', { fields: [field('size', 'text', { custom: true })] }),
    field('deleted_at', 'datetime', { bin_only: true }),
    field('owner_id', 'reference', { target: 'user', followed_as: 'owner' }),
  ],
  states: null,
  actions: [],
  permissions: { read: 'all', write: 'own', delete: 'none' },
}

describe('addresses', () => {
  it('keep any text of a filter', () => {
    for (const value of ['', 'a', 'a~b', '\\', '~', '\\~', 'x~~\\\\y', 'ä ü', '&f=x#', 'שלום']) {
      const text = writeFilter({ field: 'title', operator: 'eq', value })
      expect(readFilter(res, text)).toEqual({ field: 'title', operator: 'eq', value })
    }
    expect(splitParts('a~b\\~c')).toEqual(['a', 'b~c'])
  })
  it('give values their types', () => {
    expect(readFilter(res, 'weight~between~1.5~3')).toEqual({ field: 'weight', operator: 'between', values: [1.5, 3] })
    expect(readFilter(res, 'good~eq~false')).toEqual({ field: 'good', operator: 'eq', value: false })
    expect(readFilter(res, 'colour~is_set')).toEqual({ field: 'colour', operator: 'is_set' })
  })
  it('leave out what the resource does not have', () => {
    for (const text of ['nope~eq~1', 'title~like~x', 'weight~eq~heavy', 'title', 'title~eq', '']) expect(readFilter(res, text)).toBeNull()
    expect(readList(res, new URLSearchParams('sort=-nope&cols=nope,title:300,address.city&f=bad')).columns).toEqual([
      { path: 'title', width: 300 },
      { path: 'address.city', width: undefined },
    ])
    expect(readList(res, new URLSearchParams('sort=-nope')).sort).toBeUndefined()
  })
  it('can be written and read again', () => {
    const state = {
      q: 'zoë & co',
      filters: [
        { field: 'maker.name', operator: 'contains', value: 'a~b' },
        { field: 'good', operator: 'eq', value: true },
      ],
      sort: { by: 'weight', down: true },
      columns: [{ path: 'title', width: 200 }, { path: 'custom_fields.size' }],
      view: 'view_1',
      layout: 'board' as const,
    }
    expect(readList(res, new URLSearchParams(writeList(state)))).toEqual(state)
    expect(writeList({ q: '', filters: [], layout: 'table' })).toBe('')
    expect(searchOf(state)).toEqual({ search_text: 'zoë & co', filters: state.filters, order_by: 'weight', sort_direction: 'desc' })
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
  it('names records', () => {
    expect(titleOf(res, { id: 'x', version: 1, title: null, number: 7 })).toBe('Thing 7')
    expect(titleOf(res, { id: 'x', version: 1 })).toBe('Thing')
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

describe('reports', () => {
  it('count what was won of what was closed', () => {
    const rows = [
      { 'closed_at:month': '2026-02', status: 'won', count: 3, from: 'a', to: 'b' },
      { 'closed_at:month': '2026-01', status: 'lost', count: 2, from: 'c', to: 'd' },
      { 'closed_at:month': '2026-02', status: 'lost', count: 1, from: 'a', to: 'b' },
    ]
    expect(rates(rows)).toEqual([
      { month: '2026-01', won: 0, closed: 2, from: 'c', to: 'd' },
      { month: '2026-02', won: 3, closed: 4, from: 'a', to: 'b' },
    ])
  })
})

describe('numbers', () => {
  it('are read as people type them', () => {
    for (const [text, want] of [
      ['1.234,50', '1234.50'],
      ['1,234.50', '1234.50'],
      ["1'234.5", '1234.5'],
      ['12,5', '12.5'],
      ['€ 7', '7'],
      ['30 %', '30'],
      ['', null],
      ['-3', '-3'],
    ])
      expect(decimalOf(text!)).toBe(want)
  })
})
