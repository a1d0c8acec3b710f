// What is searched for together with a record, in one request: what stands beside it, and what its page names by ids.

import type { QueryClient } from '@tanstack/react-query'
import type { Page } from '../api/call'
import type { Resource, Schema } from '../schema/schema'

// Beside is a search for what stands beside a record, and where the app keeps what it found: the pages of a list, unless kept says something
// else. What kept is for is searched for only where the app does not have it, and not kept where that is undefined.
export type Beside = { res: Resource; key: readonly unknown[]; search: Record<string, unknown>; kept?: (found: Page) => unknown }

// few asks for records of which a business has few, and which a page names by their ids, together with what stands beside.
export function few(schema: Schema, name: string, key: readonly unknown[], search: Record<string, unknown>): Beside[] {
  const res = schema.resources.find((r) => r.name === name && r.permissions.read !== 'none')
  return res
    ? [{ res, key, search: { ...search, limit: 100 }, kept: (found) => (found.meta.cursor.has_more ? undefined : found.data) }]
    : []
}

// keepBeside keeps what was found together with the record, so that it is not asked for again.
export const keepBeside = (client: QueryClient, all: Beside[], found: Page[]) => {
  for (const [i, b] of all.entries()) client.setQueryData(b.key, b.kept ? b.kept(found[i]) : { pages: [found[i]], pageParams: [''] })
}
