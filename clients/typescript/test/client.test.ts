// The package as its users have it, against the real program. That it compiles is half of the test: where an error is expected, the
// compiler must find one.

import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { createServer, request as ask, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { test } from 'node:test'
import { isKithError, Kith, KithError, verifyWebhook, WebhookError, type Contact, type WebhookEvent } from '@kith-crm/client'

const url = process.env['KITH_TEST_URL'] ?? ''
const token = process.env['KITH_TEST_TOKEN'] ?? ''
const kith = new Kith({ url, token })

// all collects what is walked through.
async function all<T>(walk: AsyncIterable<T>): Promise<T[]> {
  const out: T[] = []
  for await (const one of walk) out.push(one)
  return out
}

// between runs a server that hands requests on to the real one, so that a test can break off answers. It gives its address.
async function between(
  handle: (req: IncomingMessage, res: ServerResponse, pass: () => void) => void,
): Promise<{ url: string; server: Server }> {
  const server = createServer((req, res) => {
    handle(req, res, () => {
      const on = ask(url + (req.url ?? ''), { method: req.method, headers: req.headers }, (answer) => {
        res.writeHead(answer.statusCode ?? 500, answer.headers)
        answer.pipe(res)
      })
      on.on('error', () => res.destroy())
      res.on('close', () => on.destroy()) // a stream would go on, and keep this program from ending
      req.pipe(on)
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const address = server.address()
  assert.ok(address !== null && typeof address === 'object')
  return { url: `http://127.0.0.1:${address.port}`, server }
}

test('a record is made, read, changed, deleted and restored', async () => {
  const anna: Contact = await kith.contacts.create({ first_name: 'Anna', last_name: 'Lind', email: 'anna@harbour.example', lead_score: 42 })
  assert.equal(anna.name, 'Anna Lind')
  const changed = await kith.contacts.update(anna.id, { job_title: 'Purchasing', lead_score: null }, { ifMatch: anna.version })
  assert.deepEqual([changed.job_title, changed.lead_score, changed.version], ['Purchasing', null, 2])
  await assert.rejects(kith.contacts.update(anna.id, { job_title: 'Sales' }, { ifMatch: 1 }), (error) => {
    assert.ok(isKithError(error, 'precondition_failed'))
    assert.equal(error.problem.current_version, 2)
    return true
  })
  await kith.contacts.delete(anna.id, { dryRun: true })
  assert.equal((await kith.contacts.get(anna.id)).id, anna.id)
  await kith.contacts.delete(anna.id)
  await assert.rejects(
    kith.contacts.get(anna.id),
    (error) => isKithError(error, 'not_found') && error.status === 404 && error.requestId !== undefined,
  )
  const bin = await all(kith.contacts.searchDeleted({ filters: [{ field: 'deleted_at', operator: 'gte', value: '2020-01-01' }] }))
  assert.equal(bin[0]?.id, anna.id)
  assert.ok(bin[0]?.deleted_at)
  assert.equal((await kith.contacts.restore(anna.id)).id, anna.id)
  const again = await kith.contacts.upsert('email', { email: 'anna@harbour.example', tags: ['fair'] })
  assert.deepEqual([again.id, again.tags], [anna.id, ['fair']])
  const happened = await all(kith.contacts.history(anna.id, { sort_direction: 'asc' }))
  assert.deepEqual(happened.map((c) => c.action), ['create', 'update', 'delete', 'restore', 'update'])
})

test('a search is walked page after page, and typed down to its conditions', async () => {
  const operations = Array.from({ length: 7 }, (_, n) => ({
    op: 'create' as const,
    data: { name: `Harbour ${n}`, employee_count: n, annual_revenue: `${n}000.50` },
  }))
  const made = await kith.companies.batch(operations, { atomic: true })
  assert.ok(made.every((result) => result.status === 201))
  let asked = 0
  const counting = new Kith({ url, token, fetch: (...args) => { asked++; return fetch(...args) } })
  const names: string[] = []
  for await (const company of counting.companies.search({
    filters: [
      { field: 'name', operator: 'starts_with', value: 'harb' },
      { field: 'employee_count', operator: 'between', values: [1, 6] },
      { field: 'annual_revenue', operator: 'gte', value: '1000.00' },
      { field: 'owner.status', operator: 'in', values: ['active'] },
      { field: 'description', operator: 'is_not_set' },
    ],
    order_by: 'employee_count', sort_direction: 'asc', limit: 2,
  })) {
    names.push(company.name)
    if (names.length === 5) break
  }
  assert.deepEqual(names, [1, 2, 3, 4, 5].map((n) => `Harbour ${n}`))
  assert.equal(asked, 3, 'no more pages are fetched than the loop walks through')
  const page = await kith.companies.searchPage({ fields: ['id', 'name', 'owner.name'], search_text: 'harbour', total: true, limit: 1 })
  assert.equal(page.meta.total, 7)
  assert.ok(page.data[0]?.owner?.name)
  const [figures] = await kith.companies.aggregate({
    metrics: ['count', 'sum:annual_revenue'],
    filters: [{ field: 'name', operator: 'contains', value: 'harbour' }],
  })
  assert.equal(figures?.['count'], 7)
  const file = await kith.companies.export({ format: 'csv', fields: ['name'] })
  assert.equal((await file.text()).split('Harbour').length, 8)
})

test('what the types refuse, the server refuses', async () => {
  const refused = async (call: Promise<unknown>): Promise<KithError> => {
    try {
      await call
    } catch (error) {
      assert.ok(error instanceof KithError)
      return error
    }
    assert.fail('it was not refused')
  }
  // @ts-expect-error an amount is not looked into
  const looked = kith.companies.searchPage({ filters: [{ field: 'annual_revenue', operator: 'contains', value: '1' }] })
  assert.equal((await refused(looked)).code, 'validation_failed')
  // @ts-expect-error there is no such option
  const gone = kith.deals.searchPage({ filters: [{ field: 'status', operator: 'eq', value: 'gone' }] })
  assert.equal((await refused(gone)).fields[0]?.code, 'not_allowed')
  // @ts-expect-error a task has a title
  assert.equal((await refused(kith.tasks.create({ description: 'no title' }))).fields[0]?.field, 'title')
  // @ts-expect-error there is no such field
  assert.equal((await refused(kith.notes.create({ body: 'x', text: 'x' }))).fields[0]?.code, 'unknown_field')
  const deal = await kith.deals.create({ name: 'Boat' })
  // @ts-expect-error there is no such action
  assert.equal((await refused(kith.deals.act(deal.id, 'sell'))).status, 404)
  assert.equal((await kith.deals.act(deal.id, 'win')).status, 'won')
  assert.equal((await kith.deals.act(deal.id, 'reopen')).status, 'open')
})

test('a write whose answer is lost is sent again, and done once', async () => {
  let lost = 0
  const keys = new Set<string>()
  const proxy = await between((req, res, pass) => {
    if (req.method !== 'POST' || req.url !== '/v1/companies') return pass()
    keys.add(String(req.headers['idempotency-key']))
    if (lost++ < 2) {
      const on = ask(url + req.url, { method: req.method, headers: req.headers }, (answer) => {
        answer.resume().on('end', () => res.destroy())
      })
      req.pipe(on)
      return
    }
    pass()
  })
  try {
    const flaky = new Kith({ url: proxy.url, token, backoff: { first: 1, longest: 10 } })
    const made = await flaky.companies.create({ name: 'Once' })
    assert.equal(lost, 3)
    assert.equal(keys.size, 1)
    const found = await all(kith.companies.search({ filters: [{ field: 'name', operator: 'eq', value: 'Once' }] }))
    assert.deepEqual(found.map((c) => c.id), [made.id])
    lost = 0
    const hasty = new Kith({ url: proxy.url, token, retries: 1, backoff: { first: 1, longest: 10 } })
    await assert.rejects(hasty.companies.create({ name: 'Never' }), TypeError)
    const signal = AbortSignal.abort(new Error('enough'))
    await assert.rejects(kith.contacts.get('contact_01h455vb4pex5vsknk084sn02q', { signal }), /enough/)
  } finally {
    proxy.server.closeAllConnections()
    proxy.server.close()
  }
})

test('a server that is busy is waited for, and a refusal is not', async () => {
  const answers = [
    { status: 429, body: { code: 'too_many_requests', retry_after_ms: 5 } }, { status: 503, body: 'a proxy says no' },
    { status: 409, body: { code: 'idempotency_in_progress', retry_after_ms: 1 } }, { status: 201, body: { id: 'contact_1' } },
    { status: 422, body: { code: 'validation_failed', errors: [{ field: 'name', code: 'required', message: 'must be given' }] } },
  ]
  let at = 0
  const busy = new Kith({
    url, token: () => Promise.resolve('from elsewhere'), backoff: { first: 1, longest: 10 },
    fetch: (_, init) => {
      assert.equal(new Headers(init?.headers).get('Authorization'), 'Bearer from elsewhere')
      const answer = answers[at++]
      const text = typeof answer?.body === 'string' ? answer.body : JSON.stringify(answer?.body)
      return Promise.resolve(new Response(text, { status: answer?.status ?? 500 }))
    },
  })
  assert.equal((await busy.contacts.create({ name: 'x' })).id, 'contact_1')
  assert.equal(at, 4)
  await assert.rejects(
    busy.contacts.create({ name: 'x' }),
    (error) => isKithError(error, 'validation_failed') && error.fields[0]?.field === 'name',
  )
  assert.equal(at, 5)
})

test('changes are walked through, and listened to over a connection that breaks', async () => {
  const before = await all(kith.changes())
  assert.deepEqual(before.map((c) => c.seq), before.map((_, n) => n + 1))
  const after = before.length
  let broken = 0
  const proxy = await between((req, res, pass) => {
    if (req.url?.startsWith('/v1/changes/stream') && broken < 2) setTimeout(() => { broken++; res.destroy() }, 50)
    pass()
  })
  try {
    const listener = new Kith({ url: proxy.url, token, backoff: { first: 1, longest: 10 } })
    const heard: string[] = []
    const made = (async () => {
      for (let n = 0; n < 3; n++) {
        await kith.contacts.create({ name: `Heard ${n}` })
        await kith.notes.create({ body: 'not asked for' })
      }
    })()
    for await (const change of listener.listen({ after, resources: ['contact'] })) {
      assert.equal(change.resource, 'contact')
      heard.push(String(change.changes['name']?.to))
      if (heard.length === 3) break
    }
    await made
    assert.deepEqual(heard, ['Heard 0', 'Heard 1', 'Heard 2'])
    await assert.rejects(kith.listen({ resources: ['nothing' as 'contact'] }).next(), (error) => isKithError(error, 'validation_failed'))
  } finally {
    proxy.server.closeAllConnections()
    proxy.server.close()
  }
})

test('what a webhook is sent is checked', async () => {
  const came: { headers: IncomingMessage['headers']; body: Buffer }[] = []
  let done: () => void = () => undefined
  const told = new Promise<void>((resolve) => { done = resolve })
  const receiver = createServer((req, res) => {
    const parts: Buffer[] = []
    req.on('data', (part: Buffer) => parts.push(part)).on('end', () => {
      came.push({ headers: req.headers, body: Buffer.concat(parts) })
      res.writeHead(204).end()
      if (came.length === 2) done()
    })
  })
  await new Promise<void>((ready) => receiver.listen(0, '127.0.0.1', ready))
  const address = receiver.address()
  assert.ok(address !== null && typeof address === 'object')
  try {
    const hook = await kith.webhooks.create({ url: `http://127.0.0.1:${address.port}/kith`, events: ['deal.*'] })
    const secret = hook.secret
    assert.ok(secret)
    const deal = await kith.deals.create({ name: 'Bøat' })
    await kith.deals.act(deal.id, 'win')
    await told
    const events: WebhookEvent[] = []
    for (const { headers, body } of came) events.push(await verifyWebhook(secret, headers as Record<string, string>, body))
    const won = events.flatMap((event) => event.type === 'deal.won' ? [event.data.record] : [])
    assert.equal(won[0]?.name, 'Bøat')
    assert.equal(won[0]?.status, 'won')
    const first = came[0]
    assert.ok(first)
    const headers = first.headers as Record<string, string>
    const wrong = (change: Record<string, string>, body: Buffer | string = first.body, key = secret) =>
      assert.rejects(verifyWebhook(key, { ...headers, ...change }, body), WebhookError)
    await wrong({ 'webhook-id': 'another' })
    await wrong({ 'webhook-timestamp': String(Number(headers['webhook-timestamp']) + 1) })
    await wrong({ 'webhook-timestamp': 'soon' })
    await wrong({ 'webhook-signature': 'v1,AAAA' })
    await wrong({ 'webhook-signature': (headers['webhook-signature'] ?? '').replace('v1,', 'v2,') })
    await wrong({ 'webhook-signature': '' })
    await wrong({}, first.body.toString('utf8') + ' ')
    await wrong({}, first.body, 'whsec_' + Buffer.from('another secret').toString('base64'))
    const late = Number(headers['webhook-timestamp']) + 301
    await assert.rejects(verifyWebhook(secret, headers, first.body, { now: late }), /too far/)
    // Headers as fetch has them, the body as text, and one of two secrets.
    await verifyWebhook(['whsec_' + Buffer.from('old').toString('base64'), secret], new Headers(headers), first.body.toString('utf8'))
    // And by the definition, computed here.
    const key = Buffer.from('the secret of another server')
    const text = JSON.stringify({ type: 'webhook.test' })
    const now = Math.floor(Date.now() / 1000)
    const signature = createHmac('sha256', key).update(`msg_1.${now}.${text}`).digest('base64')
    const own = { 'webhook-id': 'msg_1', 'webhook-timestamp': String(now), 'webhook-signature': `v1,AAAA v1,${signature}` }
    await verifyWebhook('whsec_' + key.toString('base64'), own, text)
  } finally {
    receiver.closeAllConnections()
    receiver.close()
  }
})

test('who the token stands for', async () => {
  const me = await kith.me()
  assert.equal(me.business.name, 'Harbour')
  assert.equal((await kith.updateBusiness({ currency: 'SEK' })).currency, 'SEK')
  assert.equal((await kith.business()).currency, 'SEK')
  const contact = await kith.contacts.create({ name: 'To be undone' })
  const [made] = await all(kith.contacts.history(contact.id))
  assert.equal((await kith.undo(made?.request_id ?? '')).meta.undone, 1)
  const stranger = new Kith({ url, token: 'kith_pat_nobody' })
  await assert.rejects(stranger.me(), (error) => isKithError(error, 'invalid_token'))
})
