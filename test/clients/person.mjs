// A person with a browser that knows cookies, redirects and forms, and nothing else: enough to log in and to answer an app.

import assert from 'node:assert/strict'
import { webcrypto } from 'node:crypto'
import { request } from 'node:http'
import { text as readAll } from 'node:stream/consumers'

// Older releases of node have it only here, and the clients look for it there.
globalThis.crypto ??= webcrypto

const variable = (name) => process.env[name] ?? assert.fail(`${name} is not set: run scripts/client-test`)

export const base = variable('KITH_TEST_URL')
export const email = variable('KITH_TEST_EMAIL')
export const password = variable('KITH_TEST_PASSWORD')
export const app = { id: variable('KITH_TEST_CLIENT_ID'), secret: variable('KITH_TEST_CLIENT_SECRET') }

// What every request to the API carries beside its token.
export const headers = { Version: 'v1' }

const entities = { amp: '&', lt: '<', gt: '>', quot: '"' }
const plain = (text) => text.replace(/&(?:#(\d+)|#x([0-9a-f]+)|(\w+));/gi, (_, n, x, name) => (n ? String.fromCharCode(n) : x ? String.fromCharCode(parseInt(x, 16)) : entities[name]))
const attribute = (tag, name) => {
  const found = tag.match(new RegExp(`\\s${name}="([^"]*)"`))
  return found && plain(found[1])
}

export class Person {
  #cookies = new Map()

  // visit asks for a page. It does so by node:http, because the fetch of older releases gives several cookies as one.
  async visit(url, { method = 'GET', body } = {}) {
    const form = body && { 'Content-Type': 'application/x-www-form-urlencoded' }
    const res = await new Promise((resolve, reject) => {
      const asked = request(url, { method, headers: { ...form, Cookie: [...this.#cookies].map((c) => c.join('=')).join('; ') } }, resolve)
      asked.on('error', reject)
      asked.end(body && String(body))
    })
    for (const line of res.headers['set-cookie'] ?? []) {
      const [pair] = line.split(';')
      const at = pair.indexOf('=')
      this.#cookies.set(pair.slice(0, at), pair.slice(at + 1))
    }
    const { location } = res.headers
    return { status: res.statusCode, url, location: location && new URL(location, url).href, text: await readAll(res) }
  }

  // follow goes on to where a page sends the browser, as long as that is a page of ours.
  async follow(page) {
    while (page.location?.startsWith(base + '/')) page = await this.visit(page.location)
    return page
  }

  // fill finds the form of a page that goes to an address, and sends it as it stands with some answers filled in.
  async fill(page, to, answers) {
    const form = [...page.text.matchAll(/<form\b[^>]*>[\s\S]*?<\/form>/g)].map((m) => m[0]).find((f) => attribute(f, 'action')?.startsWith(to))
    assert.ok(form, `no form to ${to} on ${page.url}: ${page.status} ${page.text}`)
    const body = new URLSearchParams()
    for (const [tag] of form.matchAll(/<input\b[^>]*>/g)) {
      const type = attribute(tag, 'type')
      if (type === 'hidden' || (type === 'checkbox' && /\schecked/.test(tag))) body.append(attribute(tag, 'name'), attribute(tag, 'value'))
    }
    for (const [name, value] of Object.entries(answers)) body.set(name, value)
    return this.visit(new URL(attribute(form, 'action'), page.url).href, { method: 'POST', body })
  }

  // answer opens the address to which an app sends its user, logs in, and gives the address that the app is answered at.
  async answer(url, answer = 'allow') {
    let page = await this.follow(await this.visit(String(url)))
    if (new URL(page.url).pathname === '/login') page = await this.follow(await this.fill(page, '/login', { email, password }))
    page = await this.fill(page, '/oauth/authorize', { answer })
    assert.equal(page.status, 303, page.text)
    return new URL(page.location)
  }
}

// gone holds a token to being refused by the API.
export async function gone(token) {
  const res = await fetch(base + '/v1/me', { headers: { ...headers, Authorization: 'Bearer ' + token } })
  assert.equal(res.status, 401)
  assert.match(res.headers.get('www-authenticate'), /error="invalid_token"/)
}
