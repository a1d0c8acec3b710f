// A receiver of webhooks that checks what it is told with the library that others wrote, standardwebhooks from npm: events are signed, also while a
// secret is being replaced, and nothing else passes; so say the lines that docs/clients.md has for TypeScript and Python.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
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

// documented gives the lines of the documents that check a signature in a language.
const documented = (language) => readFileSync(new URL('../../docs/clients.md', import.meta.url), 'utf8')
  .split('```')
  .find((block) => block.startsWith(`${language}\n`) && block.includes('genuine'))
  .slice(language.length + 1)
  .trim()

// inTypeScript and inPython check a request by these lines.
async function inTypeScript(secret, { headers, body }) {
  const [imports, ...lines] = documented('ts').split('\n')
  const code = `${imports}\nexport default (secret, id, timestamp, signature, body) => {\n${lines.join('\n')}\nreturn genuine }`
  const { default: check } = await import(`data:text/javascript,${encodeURIComponent(code)}`)
  return check(secret, headers['webhook-id'], headers['webhook-timestamp'], headers['webhook-signature'], body)
}

function inPython(secret, { headers, body }) {
  const code = [
    'import sys', '_, secret, id, timestamp, signature = sys.argv', 'body = sys.stdin.buffer.read()', documented('python'),
    'print(genuine)',
  ].join('\n')
  const sent = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => headers[name])
  const ran = spawnSync('python3', ['-c', code, secret, ...sent], { input: body })
  assert.equal(ran.status, 0, String(ran.stderr))
  return String(ran.stdout).trim() === 'True'
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

  const checks = [inTypeScript, ...(spawnSync('python3', ['--version']).status === 0 ? [inPython] : [])]
  const late = { ...first.headers, 'webhook-timestamp': String(Number(first.headers['webhook-timestamp']) - 600) }
  for (const check of checks) {
    assert.equal(await check(made.secret, first), true, check.name)
    assert.equal(await check(made.secret, { ...first, body: first.body.replace('Ada', 'Eve') }), false, check.name)
    assert.equal(await check(made.secret, { ...first, headers: late }), false, check.name)
    assert.equal(await check(made.secret, { ...first, headers: { ...first.headers, 'webhook-signature': 'v1,AAAA' } }), false, check.name)
  }

  const { secret } = await ask(`/webhooks/${made.id}/rotate_secret`)
  assert.notEqual(secret, made.secret)
  await ask(`/webhooks/${made.id}/test`)
  const both = await next()
  assert.equal(old.verify(both.body, both.headers).type, 'webhook.test')
  assert.equal(new Webhook(secret).verify(both.body, both.headers).type, 'webhook.test')
  for (const check of checks) {
    assert.equal(await check(made.secret, both), true, check.name)
    assert.equal(await check(secret, both), true, check.name)
  }
})
