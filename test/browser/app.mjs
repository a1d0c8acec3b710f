// What the journeys through the app share: how they come in, look closely, and ask the API.

import assert from 'node:assert/strict'
import { mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { after, before } from 'node:test'
import { base, launch, newPage, shots } from './browser.mjs'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
export const demo = JSON.parse(readFileSync(process.env.KITH_TEST_DEMO, 'utf8'))
export const wide = { width: 1280, height: 800 }
export const phone = { width: 390, height: 844 }
export let browser

before(async () => {
  browser = await launch()
  if (shots) mkdirSync(shots, { recursive: true })
})
after(() => browser.close())

// api does what the app does not, and looks at what it did.
export async function api(method, path, body, headers = {}) {
  const answer = await fetch(base + path, { method, headers: { authorization: `Bearer ${demo.token}`, version: 'v1', 'content-type': 'application/json', ...headers }, body: body && JSON.stringify(body) })
  const text = await answer.text()
  return { status: answer.status, ...(text ? JSON.parse(text) : {}) }
}

export const one = async (plural, field, value) => (await api('POST', `/v1/${plural}/search`, { filters: [{ field, operator: 'eq', value }], limit: 1 })).data[0]

export async function enter(email = demo.email, password = demo.password, options = {}) {
  const page = await newPage(browser, { viewport: wide, locale: 'en-GB', reducedMotion: 'reduce', ...options })
  // What breaks the content policy is told to the page, too, and not only to the console.
  await page.addInitScript(() => addEventListener('securitypolicyviolation', (e) => console.error('content policy: ' + e.violatedDirective + ' ' + e.blockedURI)))
  await page.goto('/login')
  await page.getByLabel('E-mail address').fill(email)
  await page.getByLabel('Password').fill(password)
  await Promise.all([page.waitForURL('**/app'), page.keyboard.press('Enter')])
  await page.locator('.shell h1').waitFor()
  return page
}

// looked holds a screen to what all of them promise, in light, in dark and on a phone.
const seen = new Set()
// Some are the pictures of the user's guide.
const guide = { 'today-all': 'today', contacts: 'contacts', contact: 'contact', board: 'board', reports: 'reports', pipelines: 'settings', mapping: 'import' }
export async function looked(page, name, { phones = true } = {}) {
  assert.ok(!seen.has(name), `${name} is looked at twice`)
  seen.add(name)
  await page.evaluate(axe)
  // Menus and pop-ups stand at the end of the page, outside of its landmarks, which only a rule of good practice minds.
  const check = async (how, rules = {}) => {
    const { violations } = await page.evaluate((rules) => window.axe.run(document, { resultTypes: ['violations'], runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'], rules: { region: { enabled: false } }, ...rules }), rules)
    assert.deepEqual(violations.map((v) => `${v.id}: ${v.help}\n  ${v.nodes.map((n) => `${n.html}\n    ${n.failureSummary}`).join('\n  ')}`), [], `${name}, ${how}`)
    if (shots) await page.screenshot({ path: join(shots, `app-${name}-${how}.png`) })
  }
  await check('light')
  if (process.env.KITH_TEST_GUIDE && guide[name]) await page.screenshot({ path: join(process.env.KITH_TEST_GUIDE, `${guide[name]}.jpg`), type: 'jpeg', quality: 80 })
  await page.emulateMedia({ colorScheme: 'dark' })
  await check('dark', { runOnly: ['color-contrast'] })
  await page.emulateMedia({ colorScheme: 'light' })
  if (phones) {
    await page.setViewportSize(phone)
    await page.waitForTimeout(0)
    await page.locator('.topbar').waitFor()
    const width = await page.evaluate(() => document.documentElement.scrollWidth)
    assert.ok(width <= phone.width, `${name} is ${width} wide on a phone of ${phone.width}`)
    await check('phone')
    await page.setViewportSize(wide)
    await page.locator('.topbar').waitFor({ state: 'hidden' })
  }
  assert.deepEqual(page.complaints, [], name)
}

export const told = (page, text) => page.locator('.notice').filter({ hasText: text }).first().waitFor()
