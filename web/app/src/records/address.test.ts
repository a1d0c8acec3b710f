import { describe, expect, it } from 'vitest'
import { things as res } from '../schema/things.test-data'
import { readFilter, readList, searchOf, splitParts, writeFilter, writeList } from './address'

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
      group: 'colour',
    }
    expect(readList(res, new URLSearchParams(writeList(state)))).toEqual(state)
    expect(writeList({ q: '', filters: [] })).toBe('')
    // A list of which nothing else is said may open as a board.
    expect(writeList({ q: '', filters: [], layout: 'table' })).toBe('?layout=table')
    expect(writeList({ q: 'zoë', filters: [], layout: 'table' })).toBe('?q=zo%C3%AB')
    expect(searchOf(state)).toEqual({ search_text: 'zoë & co', filters: state.filters, order_by: 'weight', sort_direction: 'desc' })
  })
})
