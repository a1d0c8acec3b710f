// What every test of the pages needs: a browser, a way to look closely at a page, and an app that people can connect.

import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { atRest, watched } from './rest.mjs'

export const base = process.env.KITH_TEST_URL
export const shots = process.env.KITH_TEST_SHOTS
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

export const desktop = { width: 1100, height: 800 }
export const phone = { width: 360, height: 740 }

export function launch() {
  return chromium.launch({
    executablePath: process.env.KITH_TEST_CHROMIUM ?? '/usr/bin/chromium-headless-shell',
    args: [
      '--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update', '--disable-sync',
      '--no-first-run', '--disable-dev-shm-usage',
    ],
  })
}

// newPage opens a browser of someone's own: its own cookies, and a list of everything that the content policy or the page complained about.
export async function newPage(browser, options = {}) {
  const context = await browser.newContext({ viewport: desktop, baseURL: base, ...options })
  context.setDefaultTimeout(30_000)
  const page = await context.newPage()
  page.complaints = []
  page.on('console', (message) => {
    // Pages that say no, such as a wrong password, are errors to the browser and none to us.
    if (message.type() === 'error' && !/^Failed to load resource/.test(message.text())) page.complaints.push(message.text())
  })
  page.on('pageerror', (error) => page.complaints.push(String(error)))
  return options.javaScriptEnabled === false ? page : watched(page)
}

// violations tells what axe finds in a page, by its HTML: to make a selector for it, and to fetch the style sheets once more, would take
// half of the time.
export async function violations(page, options) {
  if (!(await page.evaluate(() => !!window.axe))) await page.evaluate(axe)
  const frugal = { resultTypes: ['violations'], selectors: false, preload: false }
  const found = await page.evaluate(async (options) => (await window.axe.run(document, options)).violations, { ...frugal, ...options })
  return found.map((v) => `${v.id}: ${v.help}\n  ${v.nodes.map((n) => `${n.html}\n    ${n.failureSummary}`).join('\n  ')}`)
}

// look holds a page to what all pages promise: no axe violation in light and in dark, one h1, and nothing cut off on a phone.
const seen = new Set()
export async function look(page, name) {
  assert.ok(!seen.has(name), `${name} is looked at twice`)
  seen.add(name)
  await atRest(page)
  assert.equal(await page.locator('h1').count(), 1, `${name}: one h1`)
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    // Between light and dark only colours differ.
    const rules = colorScheme === 'dark' ? { runOnly: ['color-contrast'] } : {}
    assert.deepEqual(await violations(page, rules), [], `${name}, ${colorScheme}`)
    await shoot(page, `${name}-${colorScheme}`)
  }
  await page.setViewportSize(phone)
  await atRest(page)
  const width = await page.evaluate(() => document.documentElement.scrollWidth)
  assert.ok(width <= phone.width, `${name} is ${width} wide on a phone of ${phone.width}`)
  await shoot(page, `${name}-phone-dark`)
  await page.emulateMedia({ colorScheme: 'light' })
  await shoot(page, `${name}-phone`)
  await page.setViewportSize(desktop)
}

// Some screens are the pictures of the user's guide, without what was just told in a corner.
const guide = {
  'today-all': 'today', contacts: 'contacts', filter: 'filter', selection: 'selection', contact: 'contact', board: 'board', palette: 'palette', reports: 'reports', start: 'start',
  'quote-editing': 'quote', 'quote-1-open-light': 'customer', mapping: 'import', 'import-preview': 'import-preview', fields: 'fields', pipelines: 'pipelines', people: 'people', roles: 'roles', settings: 'account', tokens: 'tokens', webhooks: 'webhooks',
}
export async function picture(page, name) {
  if (!process.env.KITH_TEST_GUIDE || !guide[name]) return
  const show = (visibility) => page.evaluate((v) => document.querySelectorAll('.notice').forEach((n) => (n.style.visibility = v)), visibility)
  await show('hidden')
  await page.screenshot({ path: join(process.env.KITH_TEST_GUIDE, `${guide[name]}.jpg`), type: 'jpeg', quality: 72 })
  await show('')
}

async function shoot(page, name) {
  await picture(page, name)
  if (shots) await page.screenshot({ path: join(shots, `${name}.png`), fullPage: true })
}

// call makes an API call and gives its status.
export async function call(token) {
  const answer = await fetch(`${base}/v1/contacts/search`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', version: 'v1' },
    body: '{}',
  })
  await answer.arrayBuffer()
  return answer.status
}

// startApp is a stranger's app: it registers itself, sends people to consent, and trades the code.
export async function startApp(name) {
  const app = { answers: [] }
  const server = createServer((request, response) => {
    const url = new URL(request.url, app.origin)
    if (url.pathname === '/callback') {
      app.answers.push(url.searchParams)
      // Many apps go on to another host of theirs.
      response.writeHead(302, { location: `http://localhost:${server.address().port}/done` })
      response.end()
      return
    }
    response.writeHead(url.pathname === '/done' ? 200 : 404, { 'content-type': 'text/html' })
    response.end('<!doctype html><title>app</title><p>Connected')
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  app.origin = `http://127.0.0.1:${server.address().port}`
  app.redirect = `${app.origin}/callback`
  app.close = () => server.close()

  const metadata = await (await fetch(`${base}/.well-known/oauth-authorization-server`)).json()
  const registered = await fetch(metadata.registration_endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_name: name, redirect_uris: [app.redirect], token_endpoint_auth_method: 'none', grant_types: ['authorization_code', 'refresh_token'],
    }),
  })
  assert.equal(registered.status, 201)
  app.client = (await registered.json()).client_id

  app.ask = (scope) => {
    app.verifier = randomBytes(32).toString('base64url')
    app.state = randomBytes(8).toString('hex')
    return `${metadata.authorization_endpoint}?${new URLSearchParams({
      response_type: 'code', client_id: app.client, redirect_uri: app.redirect, scope, state: app.state,
      code_challenge: createHash('sha256').update(app.verifier).digest('base64url'), code_challenge_method: 'S256',
    })}`
  }
  app.trade = async () => {
    const answer = app.answers.at(-1)
    assert.equal(answer.get('state'), app.state)
    assert.equal(answer.get('iss'), metadata.issuer)
    const traded = await fetch(metadata.token_endpoint, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'authorization_code', code: answer.get('code'), code_verifier: app.verifier, client_id: app.client, redirect_uri: app.redirect,
      }),
    })
    assert.equal(traded.status, 200)
    return traded.json()
  }
  return app
}
