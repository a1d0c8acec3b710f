// What a record belongs together with, from either side: the searches that find it.

import { leaves, type Resource, type Schema } from '../schema/schema'
import type { Beside } from './beside'

export const linksOf = (schema: Schema) => schema.resources.find((r) => r.name === 'association' && r.permissions.read !== 'none')
export const endsOf = (res: Resource, of: Resource) => leaves(res).filter((l) => l.targets?.includes(of.name) && !l.read_only)

// associatedWith are the searches for what belongs to a record: one for each end, and one for the names of the people.
export function associatedWith(schema: Schema, of: Resource, id: string, people?: string): Beside[] {
  const res = linksOf(schema)
  if (!res || endsOf(res, of).length === 0) return []
  const who = schema.resources.find((r) => r.name === people && r.permissions.read !== 'none')
  return [
    ...endsOf(res, of).map((l) => ({
      res,
      key: ['list', res.name, l.path, id],
      search: { filters: [{ field: l.path, operator: 'eq', value: id }], limit: 50 },
    })),
    ...(who
      ? [
          {
            res: who,
            key: ['list', who.name, 'in', id],
            search: {
              filters: [{ field: `associations.${of.name}`, operator: 'contains', value: id }],
              fields: ['id', ...who.named_by],
              limit: 50,
            },
          },
        ]
      : []),
  ]
}
