import { expect, test } from 'vitest'
import type { Filter } from '../api/call'
import type { Resource } from '../schema/schema'
import { joined } from './conditions'

const field = (name: string, operators: string[], kind = 'select') => ({ name, kind, label: name, operators, fields: undefined })
const things = {
  name: 'thing',
  fields: [field('colour', ['eq', 'neq', 'in', 'nin']), field('made_at', ['gte', 'lt'], 'date')],
} as unknown as Resource

test('several values of one field are any of them, and other conditions hold together', () => {
  const red: Filter = { field: 'colour', operator: 'eq', value: 'red' }
  const blue: Filter = { field: 'colour', operator: 'in', values: ['blue'] }
  const late: Filter = { field: 'made_at', operator: 'lt', value: '@today' }
  expect(joined(things, [red, late], [blue])).toEqual([{ field: 'colour', operator: 'in', values: ['red', 'blue'] }, late])
  expect(joined(things, [], [blue])).toEqual([{ field: 'colour', operator: 'eq', value: 'blue' }])
  expect(joined(things, [red], [red])).toEqual([red])
  expect(joined(things, [late], [{ ...late, operator: 'gte' }])).toHaveLength(2)
  expect(joined(things, [red], [{ field: 'colour', operator: 'nin', values: ['blue', 'green'] }])).toHaveLength(2)
})
