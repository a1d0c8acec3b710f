// A client that is typed by the OpenAPI document alone, against the real server. That it compiles is half of the test: where an error is expected,
// the compiler must find one.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import createClient from 'openapi-fetch'
import type { components, paths, webhooks } from './made/kith.js'

const kith = createClient<paths>({
  baseUrl: process.env['KITH_TEST_URL'] ?? '',
  headers: { Authorization: `Bearer ${process.env['KITH_TEST_TOKEN'] ?? ''}` },
})
const header = { Version: 'v1' } as const

type Contact = components['schemas']['Contact']

// whole tells the record from what a writer is told who may not read.
function whole(answer: components['schemas']['WrittenContact'] | undefined): Contact {
  assert.ok(answer && 'created_at' in answer)
  return answer
}

test('a record is made, read, changed and deleted', async () => {
  const made = await kith.POST('/v1/contacts', {
    params: { header: { ...header, 'Idempotency-Key': 'typescript-1' } },
    body: { first_name: 'Anna', last_name: 'Lind', email: 'anna@harbour.example', tags: ['fair'], lead_score: 42 },
  })
  assert.equal(made.response.status, 201)
  const anna = whole(made.data)
  assert.equal(anna.name, 'Anna Lind')

  const again = await kith.POST('/v1/contacts', {
    params: { header: { ...header, 'Idempotency-Key': 'typescript-1' } },
    body: { first_name: 'Anna', last_name: 'Lind', email: 'anna@harbour.example', tags: ['fair'], lead_score: 42 },
  })
  assert.equal(again.response.headers.get('Idempotent-Replayed'), 'true')
  assert.equal(whole(again.data).id, anna.id)

  const path = { id: anna.id }
  const changed = await kith.PATCH('/v1/contacts/{id}', { params: { path, header: { ...header, 'If-Match': '"1"' } }, body: { job_title: 'Purchasing', phone: null } })
  assert.equal(whole(changed.data).version, 2)

  const late = await kith.PATCH('/v1/contacts/{id}', { params: { path, header: { ...header, 'If-Match': '"1"' } }, body: { job_title: 'Sales' } })
  assert.equal(late.response.status, 412)
  assert.equal(late.error?.current_version, 2)

  const rehearsed = await kith.DELETE('/v1/contacts/{id}', { params: { path, header, query: { dry_run: true } } })
  assert.equal(rehearsed.response.headers.get('Dry-Run'), 'true')
  const read = await kith.GET('/v1/contacts/{id}', { params: { path, header } })
  assert.equal(read.data?.job_title, 'Purchasing')
  const gone = await kith.DELETE('/v1/contacts/{id}', { params: { path, header } })
  assert.equal(gone.response.status, 204)
})

test('a search is typed down to its conditions', async () => {
  await kith.POST('/v1/companies', { params: { header }, body: { name: 'Harbour AB', employee_count: 120, annual_revenue: '1250000.00' } })
  const found = await kith.POST('/v1/companies/search', {
    params: { header },
    body: {
      filters: [
        { field: 'name', operator: 'starts_with', value: 'harb' },
        { field: 'employee_count', operator: 'between', values: [100, 200] },
        { field: 'annual_revenue', operator: 'gte', value: '1000000.00' },
        { field: 'owner.status', operator: 'in', values: ['active'] },
        { field: 'description', operator: 'is_not_set' },
      ],
      order_by: 'updated_at',
      fields: ['name', 'owner.name'],
      total: true,
    },
  })
  assert.equal(found.response.status, 200, JSON.stringify(found.error))
  assert.equal(found.data?.meta.total, 1)
  assert.equal(found.data?.data[0]?.name, 'Harbour AB')
  assert.ok(found.data?.data[0]?.owner?.name)
})

test('what the types refuse, the server refuses', async () => {
  const filter = await kith.POST('/v1/companies/search', {
    params: { header },
    // @ts-expect-error an amount is not looked into
    body: { filters: [{ field: 'annual_revenue', operator: 'contains', value: '1' }] },
  })
  assert.equal(filter.error?.code, 'validation_failed')
  // @ts-expect-error a task has a title
  const untitled = await kith.POST('/v1/tasks', { params: { header }, body: { description: 'no title' } })
  assert.equal(untitled.error?.errors?.[0]?.field, 'title')
  // @ts-expect-error the version is required
  const unversioned = await kith.GET('/v1/me', { params: { header: {} } })
  assert.equal(unversioned.error?.code, 'version_required')
  // @ts-expect-error there is no such field
  const note: components['schemas']['NoteCreation'] = { text: 'x' }
  const unknown = await kith.POST('/v1/notes', { params: { header }, body: note })
  assert.equal(unknown.error?.errors?.[0]?.code, 'unknown_field')
})

// A receiver of webhooks is typed by the document, too: the type of an event tells what is in it.
type Event = webhooks['event']['post']['requestBody']['content']['application/json']

function told(event: Event): string {
  switch (event.type) {
    case 'deal.won':
      return `${event.data.record?.name} ${event.data.record?.amount} ${event.prev_seq}`
    case 'webhook.test':
      return event.data.webhook_id
    // @ts-expect-error there is no such event
    case 'deal.sold':
      return ''
    default:
      return event.type
  }
}

test('what a webhook is sent is typed by its type', async () => {
  const hook = await kith.POST('/v1/webhooks', { params: { header }, body: { url: 'https://example.com/hook', events: ['deal.*'] } })
  assert.equal(hook.response.status, 201, JSON.stringify(hook.error))
  assert.ok(hook.data && 'secret' in hook.data && hook.data.secret)
  const event = {
    type: 'webhook.test' as const, timestamp: '2026-11-30T09:00:00Z', seq: 0, prev_seq: null, data: { webhook_id: hook.data.id },
  }
  assert.equal(told(event), hook.data.id)
})

test('a batch says of each operation what it is', async () => {
  const done = await kith.POST('/v1/tasks/batch', {
    params: { header },
    body: {
      operations: [
        { op: 'create', data: { title: 'Call Anna', priority: 'high' } },
        { op: 'act', id: 'task_01kh4xv1qcf0mvq8gk8d8mvxd9', action: 'complete' },
      ],
    },
  })
  assert.equal(done.data?.meta.succeeded, 1)
  const failed = done.data?.data[1]
  assert.ok(failed && 'error' in failed)
  assert.equal(failed.error.code, 'not_found')
})
