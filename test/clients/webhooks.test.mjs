// A receiver of webhooks that checks what it is told with the library that others wrote, standardwebhooks from npm: events are signed, also while a
// secret is being replaced, and nothing else passes.

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import test from 'node:test'
import { Webhook } from 'standardwebhooks'

const base = process.env.KITH_TEST_URL
const headers = { Authorization: `Bearer ${process.env.KITH_TEST_TOKEN}`, Version: 'v1', 'Content-Type': 'application/json' }

async function ask(path, body) {
  const answer = await fetch(`${base}/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body ?? {}) })
  const text = await answer.text()
  assert.ok(answer.ok, `${path}: ${answer.status} ${text}`)
  return JSON.parse(text)
}

test('standardwebhooks takes what is sent, and only that', async (t) => {
  const waiting = []
  const heard = []
  const receiver = createServer((request, response) => {
    const parts = []
    request.on('data', (part) => parts.push(part))
    request.on('end', () => {
      response.writeHead(204).end()
      heard.push({ headers: request.headers, body: Buffer.concat(parts).toString() })
      waiting.shift()?.()
    })
  })
  await new Promise((listening) => receiver.listen(0, '127.0.0.1', listening))
  t.after(() => { receiver.close(); receiver.closeAllConnections() })
  const next = async () => {
    while (heard.length === 0) await new Promise((come) => waiting.push(come))
    return heard.shift()
  }

  const made = await ask('/webhooks', { url: `http://127.0.0.1:${receiver.address().port}/hook`, events: ['contact.created'] })
  const old = new Webhook(made.secret)
  await ask('/contacts', { name: 'Ada Löve 🙂' })
  const first = await next()
  const event = old.verify(first.body, first.headers)
  assert.equal(event.type, 'contact.created')
  assert.equal(event.data.record.name, 'Ada Löve 🙂')
  assert.throws(() => old.verify(first.body.replace('Ada', 'Eve'), first.headers), /signature/i)
  assert.throws(() => old.verify(first.body, { ...first.headers, 'webhook-id': 'msg_other' }), /signature/i)

  const { secret } = await ask(`/webhooks/${made.id}/rotate_secret`)
  assert.notEqual(secret, made.secret)
  await ask(`/webhooks/${made.id}/test`)
  const both = await next()
  assert.equal(old.verify(both.body, both.headers).type, 'webhook.test')
  assert.equal(new Webhook(secret).verify(both.body, both.headers).type, 'webhook.test')
})
