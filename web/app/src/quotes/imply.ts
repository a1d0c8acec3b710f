// What a quote has of its deal, unless it is said otherwise: its name, its currency and its lines.

import type { QueryClient } from '@tanstack/react-query'
import { readAll } from '../api/cache'
import { call, type Page, Problem } from '../api/call'
import type { Deal } from '../api/records'
import type { Given } from '../records/making'

const taken = ['product_id', 'name', 'sku', 'description', 'unit_price', 'quantity', 'discount_percent', 'tax_rate'] as const

async function read(id: string) {
  const found = await call<Page<Deal>>('POST', '/v1/deals/search', {
    filters: [{ field: 'id', operator: 'eq', value: id }],
    fields: ['currency', 'line_items'],
    limit: 1,
  })
  const { currency, line_items: lines = [] } = found.data[0] ?? {}
  return { currency, lines: lines ?? [], offered: await offered(lines ?? []) }
}

// offered are the products of lines that may be added to a quote. A line of another says by itself what it is of.
async function offered(lines: Deal['line_items']): Promise<string[]> {
  const values = [...new Set(lines.flatMap((l) => l.product_id ?? []))]
  const parts = Array.from({ length: Math.ceil(values.length / 100) }, (_, i) => values.slice(i * 100, i * 100 + 100))
  try {
    const found = await Promise.all(
      parts.map((values) =>
        readAll('/v1/products', {
          filters: [
            { field: 'id', operator: 'in', values },
            { field: 'status', operator: 'neq', value: 'archived' },
          ],
          fields: ['id'],
        }),
      ),
    )
    return found.flat().map((p) => p.id)
  } catch (error) {
    if (error instanceof Problem && error.status === 403) return []
    throw error
  }
}

export async function imply(client: QueryClient, given: Given): Promise<Given> {
  const { value: id, picked } = given.deal_id ?? {}
  if (!id) return {}
  const deal = await client.fetchQuery({ queryKey: ['figures', 'deal', 'lines', id], staleTime: 60_000, queryFn: () => read(id as string) })
  // In another currency the prices are the same numbers: nobody but who sells knows better.
  const currency = given.currency?.value ?? deal.currency
  const lines = deal.lines.map((line) => ({
    ...Object.fromEntries(taken.map((name) => [name, line[name]])),
    product_id: line.product_id && deal.offered.includes(line.product_id) ? line.product_id : null,
    currency,
  }))
  return {
    ...(picked && !('title' in given) && { title: { value: picked.name } }),
    ...(deal.currency && !('currency' in given) && { currency: { value: deal.currency } }),
    ...(lines.length > 0 && { line_items: { value: lines } }),
  }
}
