// What the journeys through the app share: how they come in, look closely, and ask the API.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before } from 'node:test'
import { base, launch, newPage, picture, shots, violations } from './browser.mjs'
import { atRest, hurried } from './rest.mjs'

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

// enter logs somebody in and opens the app. Who is in already, in another window, goes on with that session, unless they begin anew.
const sessions = new Map()
export async function enter(email = demo.email, password = demo.password, { anew = false, at = '/app', ...options } = {}) {
  const storageState = anew ? undefined : sessions.get(email)
  const page = await newPage(browser, { viewport: wide, locale: 'en-GB', reducedMotion: 'reduce', storageState, ...options })
  // What breaks the content policy is told to the page, too, and not only to the console.
  await page.addInitScript(() => addEventListener('securitypolicyviolation', (e) => console.error('content policy: ' + e.violatedDirective + ' ' + e.blockedURI)))
  if (storageState) await page.goto(at)
  else {
    await page.goto('/login?next=' + encodeURIComponent(at))
    // The page speaks the language of the browser.
    await page.locator('input[name=email]').fill(email)
    await page.locator('input[name=password]').fill(password)
    await Promise.all([page.waitForURL((url) => url.pathname + url.search === at), page.keyboard.press('Enter')])
    if (!anew) sessions.set(email, { cookies: await page.context().cookies(), origins: [] })
  }
  await page.locator('.shell h1').first().waitFor()
  return page
}

// open enters as the one who made the demo business, right where the journey begins.
export const open = (at, options = {}) => enter(demo.email, demo.password, { at, ...options })

// colleague makes somebody with a role in the demo business, and enters as them.
export function colleague(role, email, options = {}) {
  execFileSync(process.env.KITH_TEST_BIN, ['user', 'create', '--business', demo.business_id, '--email', email, '--name', `${email[0].toUpperCase()}${email.slice(1, email.indexOf('@'))} ${role}`, '--role', role, '--password', 'a quiet harbour'], { stdio: 'pipe' })
  return enter(email, 'a quiet harbour', options)
}

// tabTo goes to a control as somebody without a mouse does: from one to the next, until it has the focus.
export async function tabTo(page, control, key = 'Tab') {
  await control.waitFor()
  await atRest(page)
  const reached = () => control.evaluate((element) => element === document.activeElement)
  for (let i = 0; i < 120; i++) {
    if (await hurried(page, reached)) return
    await hurried(page, () => page.keyboard.press(key))
  }
  assert.fail(`${control} is not reached by ${key}`)
}

// skip goes to the content of a screen by the link that is first on every page.
export async function skip(page) {
  await page.evaluate(() => document.activeElement?.blur())
  await tabTo(page, page.getByRole('link', { name: 'Skip to content' }))
  await page.keyboard.press('Enter')
  await page.waitForFunction(() => document.activeElement.id === 'main')
}

// looked holds a screen to what all of them promise, in light and, where not said otherwise, in dark and on a phone.
const seen = new Set()
export async function looked(page, name, { dark = true, phones = true } = {}) {
  assert.ok(!seen.has(name), `${name} is looked at twice`)
  seen.add(name)
  await atRest(page)
  // Menus and pop-ups stand at the end of the page, outside of its landmarks, which only a rule of good practice minds.
  const check = async (how, rules = {}) => {
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
    assert.deepEqual(await violations(page, { runOnly: tags, rules: { region: { enabled: false } }, ...rules }), [], `${name}, ${how}`)
    if (shots) await page.screenshot({ path: join(shots, `app-${name}-${how}.png`) })
  }
  await check('light')
  await picture(page, name)
  if (dark) {
    await page.emulateMedia({ colorScheme: 'dark' })
    await check('dark', { runOnly: ['color-contrast'] })
    await page.emulateMedia({ colorScheme: 'light' })
  }
  if (phones) {
    await page.setViewportSize(phone)
    await page.locator('.topbar').waitFor()
    const width = await page.evaluate(() => document.documentElement.scrollWidth)
    assert.ok(width <= phone.width, `${name} is ${width} wide on a phone of ${phone.width}`)
    // What scrolls by itself could hide that something is cut off; tables and boards may.
    const cut = await page.evaluate(() => [...document.querySelectorAll('.sheet, .screen-head, .record, .settings-body, .import-body, .today-body, .reports, .panel:not(.items), .lines .scroll')].filter((e) => e.scrollWidth > e.clientWidth + 1).map((e) => e.className))
    assert.deepEqual(cut, [], `${name} is cut off on a phone`)
    await check('phone')
    await page.setViewportSize(wide)
    await page.locator('.topbar').waitFor({ state: 'hidden' })
  }
  assert.deepEqual(page.complaints, [], name)
}

// filterBy begins a filter by a field, which is found by its name, and gives the form of what it is to hold.
export async function filterBy(page, field) {
  await page.getByRole('button', { name: 'Filter', exact: true }).click()
  const form = page.getByRole('dialog', { name: 'Add a filter' })
  await form.getByRole('combobox', { name: 'Find a field or a value' }).fill(field)
  await form.getByRole('option', { name: field, exact: true }).click()
  return form
}

export const told = (page, text) => page.locator('.notice').filter({ hasText: text }).first().waitFor()
