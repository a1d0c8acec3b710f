// An agent: the official client of the Model Context Protocol, which knows nothing but the address of /mcp. It finds out how to ask, is let in by a
// person, and does the task "find the open deals of the coffee companies in Hamburg, and set a follow-up for each". What a model would read
// meanwhile is counted in tokens.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createServer, request } from 'node:http'
import test from 'node:test'
import { encode } from 'gpt-tokenizer'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { base, gone, headers, Person } from './person.mjs'

const redirectURL = 'http://localhost:43210/callback'
const scopes = ['company', 'contact', 'deal', 'task'].flatMap((r) => [`${r}.read`, `${r}.write`, `${r}.delete`]).join(' ')

// Provider keeps what a program keeps, and sends the user to the person.
class Provider {
  kept = {}
  constructor(document) { if (document) this.clientMetadataUrl = document }
  clientMetadata = { client_name: 'An agent', redirect_uris: [redirectURL], grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'], token_endpoint_auth_method: 'none', scope: scopes }
  get redirectUrl() { return redirectURL }
  state() { return 'the state' }
  clientInformation() { return this.kept.client }
  saveClientInformation(client) { this.kept.client = client }
  tokens() { return this.kept.tokens }
  saveTokens(tokens) { this.kept.tokens = tokens }
  codeVerifier() { return this.kept.verifier }
  saveCodeVerifier(verifier) { this.kept.verifier = verifier }
  async redirectToAuthorization(url) {
    this.kept.asked = url
    this.kept.back = await new Person().answer(url)
  }
}

// connected goes from the bare address to a client that is let in.
async function connected(provider) {
  const mcp = new URL(base + '/mcp')
  const client = new Client({ name: 'test', version: '1' })
  let transport = new StreamableHTTPClientTransport(mcp, { authProvider: provider })
  await assert.rejects(client.connect(transport), /Unauthorized/)
  await transport.finishAuth(provider.kept.back.searchParams.get('code'))
  transport = new StreamableHTTPClientTransport(mcp, { authProvider: provider })
  await client.connect(transport)
  return client
}

// call calls a tool and gives its answer, and counts what a model reads of it and writes for it.
async function call(client, name, args, spent) {
  const result = await client.callTool({ name, arguments: args })
  const { text } = result.content[0]
  assert.ok(!result.isError, `${name} ${JSON.stringify(args)}: ${text}`)
  if (spent) spent[name] = (spent[name] ?? 0) + encode(text).length + encode(JSON.stringify(args)).length
  return text
}

const made = async (client, resource, records) => JSON.parse(await call(client, 'create', { resource, records })).records.map((r) => r.id)

// coffee makes what the task is about: three open deals among companies that are not meant.
async function coffee(client, word) {
  const [elbe, alster, tea, berlin] = await made(client, 'company', [
    { name: `Elbe ${word}`, address: { city: 'Hamburg' } }, { name: `Alster ${word} Roasters`, address: { city: 'Hamburg' } },
    { name: 'Speicher Tea', address: { city: 'Hamburg' } }, { name: `Spree ${word}`, address: { city: 'Berlin' } },
  ])
  const deals = await made(client, 'deal', [
    { name: 'Beans for a year', company_id: elbe, amount: '12000', currency: 'EUR' }, { name: 'Grinder', company_id: alster, amount: '1800', currency: 'EUR' },
    { name: 'Espresso machine', company_id: alster, amount: '7400', currency: 'EUR' }, { name: 'Leaves', company_id: tea }, { name: 'Filters', company_id: berlin },
  ])
  return deals.slice(0, 3)
}

// task does what was asked, and takes it back.
async function task(client, word, spent = {}) {
  const deals = await coffee(client, word)
  await call(client, 'describe', { resource: 'deal' }, spent)
  await call(client, 'describe', { resource: 'task' }, spent)
  const filters = [
    { field: 'status', operator: 'eq', value: 'open' }, { field: 'company.name', operator: 'contains', value: word },
    { field: 'company.address.city', operator: 'eq', value: 'Hamburg' },
  ]
  const found = JSON.parse(await call(client, 'search', { resource: 'deal', filters, order_by: 'amount' }, spent)).records
  assert.deepEqual(found.map((d) => d.id).sort(), deals.sort())
  const records = found.map((d) => ({ title: `Follow up: ${d.name}`, deal_id: d.id, due_at: '2030-01-15T09:00:00Z' }))
  const tasks = async () => JSON.parse(await call(client, 'search', { resource: 'task', filters: [{ field: 'deal_id', operator: 'in', values: deals }] })).records
  assert.equal(JSON.parse(await call(client, 'create', { resource: 'task', records, dry_run: true })).would_be, 'created')
  assert.equal((await tasks()).length, 0)
  const done = JSON.parse(await call(client, 'create', { resource: 'task', records }, spent))
  assert.equal((await tasks()).length, 3)
  await takeBack(client, done)
  assert.equal((await tasks()).length, 0)
  return spent
}

// takeBack takes a write back by what its answer says.
async function takeBack(client, done) {
  const { undone, left } = JSON.parse(await call(client, 'undo', { request_id: done.undo }))
  assert.deepEqual({ undone, left }, { undone: 3, left: 0 })
}

test('an agent that registers itself: discover, consent, search, dry run, write, undo', async () => {
  const provider = new Provider()
  const client = await connected(provider)
  assert.match(provider.kept.client.client_id, /^kith_client_/)
  assert.equal(provider.kept.asked.searchParams.get('resource'), base + '/mcp')
  const spent = await task(client, 'Coffee')

  // What every model reads before it does anything, and what the task costs it. The bounds leave a little room.
  const { tools } = await client.listTools()
  const words = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))
  spent['tools/list'] = encode(JSON.stringify(words)).length
  console.log('tokens:', JSON.stringify(spent))
  const bounds = { 'tools/list': 1500, describe: 560, search: 250, create: 520 }
  for (const [what, most] of Object.entries(bounds)) assert.ok(spent[what] <= most, `${what}: ${spent[what]} tokens, more than ${most}`)

  // Errors say how to mend the call.
  const wrong = await client.callTool({ name: 'search', arguments: { resource: 'deal', filters: [{ field: 'stat', operator: 'eq', value: 'open' }] } })
  assert.ok(wrong.isError)
  assert.equal(JSON.parse(wrong.content[0].text).errors[0].field, 'filters[0].field')
  // What was not granted is refused, and says which scope it needs.
  const refused = await client.callTool({ name: 'create', arguments: { resource: 'user', records: [{ name: 'x', email: 'x@x.example' }] } })
  assert.equal(JSON.parse(refused.content[0].text).scope, 'user.write')

  const { resourceTemplates } = await client.listResourceTemplates()
  assert.ok(resourceTemplates.some((t) => t.uriTemplate === 'kith://contact/{id}'))
  const { contents } = await client.readResource({ uri: 'kith://schema/deal' })
  assert.match(contents[0].text, /company_id →company/)

  // The end of the grant is the end of the agent.
  const { access_token: token, refresh_token: last } = provider.kept.tokens
  assert.equal((await fetch(base + '/v1/me', { headers: { ...headers, Authorization: 'Bearer ' + token } })).status, 200)
  await fetch(base + '/oauth/revoke', { method: 'POST', body: new URLSearchParams({ client_id: provider.kept.client.client_id, token: last }) })
  await gone(token)
})

test('an agent that has a document instead of registering', { skip: process.env.KITH_TEST_DOCUMENT ? false : 'this server fetches no document' }, async () => {
  const document = process.env.KITH_TEST_DOCUMENT
  const provider = new Provider(document)
  const client = await connected(provider)
  assert.equal(provider.kept.client.client_id, document)
  await task(client, 'Kaffee')
})

test('an agent that starts kith mcp itself', async () => {
  const provider = new Provider()
  await connected(provider)
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(new StdioClientTransport({ command: process.env.KITH_TEST_PROGRAM, args: ['mcp', '--url', base], env: { KITH_TOKEN: provider.kept.tokens.access_token } }))
  await task(client, 'Caffè')
  await client.close()
})

test('the scenarios of @modelcontextprotocol/conformance that apply', { skip: process.env.KITH_TEST_CONFORMANCE ? false : 'the protocol is the same on every engine' }, async () => {
  const provider = new Provider()
  await connected(provider)
  // The suite has no way to be let in, so the token is added on the way.
  const { hostname, port } = new URL(base)
  const proxy = createServer((inbound, answer) => {
    const on = request({ hostname, port, path: inbound.url, method: inbound.method, headers: { ...inbound.headers, authorization: 'Bearer ' + provider.kept.tokens.access_token } }, (res) => {
      answer.writeHead(res.statusCode, res.headers)
      res.pipe(answer)
    })
    on.on('error', () => answer.destroy())
    inbound.pipe(on)
  })
  await new Promise((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  try {
    await Promise.all(['server-initialize', 'ping', 'tools-list', 'resources-list', 'dns-rebinding-protection'].map(async (scenario) => {
      const { code, text } = await run(['--import', './conformance.mjs', 'node_modules/@modelcontextprotocol/conformance/dist/index.js', 'server', '--url', `http://127.0.0.1:${proxy.address().port}/mcp`, '--scenario', scenario])
      assert.ok(code === 0 && /Passed: [1-9]\d*\/\d+, 0 failed, 0 warnings/.test(text), `${scenario}: ${text}`)
    }))
  } finally {
    proxy.closeAllConnections()
    proxy.close()
  }
})

async function run(args) {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let text = ''
  child.stdout.on('data', (part) => { text += part })
  child.stderr.on('data', (part) => { text += part })
  const code = await new Promise((resolve) => child.on('close', resolve))
  return { code, text }
}
