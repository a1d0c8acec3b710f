// A resource for tests, with a field of every sort that matters to them.

import type { Field, Resource } from './schema'

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

export const things: Resource = {
  name: 'thing',
  path: '/v1/things',
  label: 'Thing',
  id_prefix: 'thing',
  operations: ['create', 'search', 'patch'],
  named_by: ['title', 'number'],
  telling: ['colour', 'maker.name'],
  layout: { head: [], sections: [], card: [], form: [] },
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
