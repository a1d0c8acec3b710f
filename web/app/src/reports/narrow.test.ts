import { expect, test } from 'vitest'
import type { Filter } from '../api/call'
import type { Resource } from '../schema/schema'
import { narrowed } from './narrow'

const field = (name: string, kind: string, read_only = false) => ({ name, kind, read_only, label: name })
const things = {
  name: 'thing',
  fields: [
    field('made_at', 'datetime', true),
    field('ended_at', 'datetime', true),
    field('due_on', 'date'),
    field('owner_id', 'reference'),
    field('lot_id', 'reference'),
    field('colour', 'enum'),
  ],
} as unknown as Resource
const scope = {
  during: (path: string): Filter[] => [{ field: path, operator: 'gte', value: '@month_start' }],
  of: (path: string): Filter[] => [{ field: path, operator: 'eq', value: '@me' }],
  within: 'lot_1',
}
const ended: Filter = { field: 'colour', operator: 'eq', value: 'red' }
const by = { when: (own: Filter[]) => (own.includes(ended) ? 'ended_at' : 'made_at'), within: 'lot_id' }
const fields = (all: { filters: Filter[] }) => all.filters.map((f) => f.field)

test('all that is chosen applies where a kind has the fields', () =>
  expect(fields(narrowed(things, {}, scope, by))).toEqual(['made_at', 'owner_id', 'lot_id']))

test('what is declared may depend on what is counted', () =>
  expect(fields(narrowed(things, { filters: [ended] }, scope, by))).toEqual(['colour', 'ended_at', 'owner_id', 'lot_id']))

test('a report by when something was is of the period by that', () =>
  expect(narrowed(things, { group_by: ['ended_at:month'] }, scope, by).period?.path).toBe('ended_at'))

test('a report by days ahead, or with days of its own, is of no period', () => {
  expect(narrowed(things, { group_by: ['due_on:month'] }, scope, by).period).toBeUndefined()
  const since: Filter = { field: 'made_at', operator: 'gte', value: '@today' }
  expect(fields(narrowed(things, { filters: [since] }, scope, by))).toEqual(['made_at', 'owner_id', 'lot_id'])
})

test('whose, where the report says so itself, stays', () => {
  const theirs: Filter = { field: 'owner_id', operator: 'eq', value: 'user_1' }
  expect(narrowed(things, { filters: [theirs] }, scope, by)).toMatchObject({ person: undefined })
})

test('without such fields nothing applies', () => {
  const bare = { name: 'bare', fields: [] } as unknown as Resource
  expect(narrowed(bare, {}, scope, by)).toEqual({ filters: [], period: undefined, person: undefined, within: undefined })
})
