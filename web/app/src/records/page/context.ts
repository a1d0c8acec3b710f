// What a new record is given by the page of another: that one, and what both belong to.

import type { QueryClient } from '@tanstack/react-query'
import { call, type Page, type Rec } from '../../api/call'
import { leaf, leaves, linked, projection, type Resource, titleOf } from '../../schema/schema'
import type { Given } from '../making'

const owner = 'owner_id'

// viaOf is the field by which records of a resource refer to those of another.
export const viaOf = (res: Resource, of: Resource) =>
  leaves(res).find((l) => l.target === of.name && l.followed_as && !l.read_only && l.path !== owner)

// sharedBy are the fields of a new record by which it belongs to what another one belongs to.
const sharedBy = (target: Resource, of: Resource, resources: Resource[]) =>
  leaves(of).filter(
    (l) =>
      l.target &&
      l.path !== owner &&
      leaves(target).some((x) => x.path === l.path && x.target === l.target && !x.read_only) &&
      resources.some((r) => r.name === l.target && !r.feature),
  )

// broughtBy is what the records that were chosen in a form bring with them, where nothing else was said: a contact its company.
export async function broughtBy(client: QueryClient, target: Resource, given: Given, resources: Resource[]): Promise<Given> {
  const brought = await Promise.all(
    Object.entries(given).map(async ([path, { value: id }]) => {
      const of = resources.find((r) => r.name === leaf(target, path)?.target && !r.feature && r.permissions.read !== 'none')
      const shared = of && id ? sharedBy(target, of, resources).filter((l) => !(l.path in given)) : []
      if (!of || shared.length === 0) return {}
      const body = { filters: [{ field: 'id', operator: 'eq', value: id }], fields: projection(of, shared, resources), limit: 1 }
      const found = await client.fetchQuery({
        queryKey: ['figures', of.name, 'brings', target.name, id],
        staleTime: 60_000,
        queryFn: () => call<Page>('POST', `${of.path}/search`, body),
      })
      return found.data[0] ? contextOf(target, of, found.data[0], resources) : {}
    }),
  )
  return Object.assign({}, ...brought)
}

export function contextOf(target: Resource, of: Resource, record: Rec, resources: Resource[]): Given {
  const preset: Given = {}
  const direct = viaOf(target, of)
  if (direct) preset[direct.path] = { value: record.id, picked: { id: record.id, name: titleOf(of, record) } }
  for (const l of sharedBy(target, of, resources)) {
    const to = linked(l, record, resources)
    if (to && l.path !== direct?.path) preset[l.path] = { value: to.id, picked: { id: to.id, name: to.name ?? '' } }
  }
  return preset
}
