// What the journeys to every screen and state share: how they go there, look closely, and tell what they found.

import assert from 'node:assert/strict'
import { api, looked, one, wide } from './app.mjs'
import { shots } from './browser.mjs'

// In short each pop-up is opened once and everything is seen in the light; with KITH_TEST_EVERYWHERE or KITH_TEST_SHOTS on every resource, in the dark and on a phone, and in German.
export const whole = !!(process.env.KITH_TEST_EVERYWHERE || shots)

// What is found is told at the end of a test, all of it.
export const found = []
export const told = () => {
  assert.deepEqual(found.splice(0), [])
}

export async function see(page, name, { phones = true } = {}) {
  try {
    await looked(page, name, { dark: whole, phones: whole && phones })
  } catch (error) {
    if (!(error instanceof assert.AssertionError)) throw error
    found.push(error.message)
    page.complaints.length = 0
    await page.setViewportSize(wide)
    await page.emulateMedia({ colorScheme: 'light' })
  }
}

// due tells whether something is to be looked at: each time, or in short the first.
export const met = new Set()
export const due = (what) => whole || (!met.has(what) && !!met.add(what))
export const first = (what) => !met.has(what) && !!met.add(what)

// visit goes elsewhere as the browser's own buttons do, without loading the app anew.
export async function visit(page, to) {
  await page.evaluate((at) => {
    history.pushState(null, '', at)
    dispatchEvent(new PopStateEvent('popstate'))
  }, to)
  await page.waitForFunction((at) => location.pathname + location.search === at, to)
  await page.locator('h1').first().waitFor()
}

// close leaves a pop-up by its key. A list of choices in it takes the key for itself first, and then for what was typed.
export const close = async (page, popup) => {
  for (let i = 0; i < 3 && (await popup.count()); i++) await page.keyboard.press('Escape')
  await popup.waitFor({ state: 'detached' })
}

export const pathOf = (r) => r.path.slice('/v1/'.length)
// tableOf is the address of the whole list, whatever it opens with.
export const tableOf = (r) => `/app/${pathOf(r)}?layout=table`
// leavesOf are the fields of a resource that hold a value, by the path that the app calls them by.
export const leavesOf = (r) => r.fields.filter((f) => !f.bin_only && f.name !== 'merged_into_id' && (f.fields || f.name !== 'custom_fields')).flatMap((f) => (f.kind === 'group' && f.fields ? f.fields.map((part) => ({ ...part, path: `${f.name}.${part.name}` })) : [{ ...f, path: f.name }]))
export const canEdit = (r, f) => !f.read_only && !f.immutable && r.operations.includes('patch') && !['group', 'list', 'any'].includes(f.kind)

// What the demo business has none of.
const samples = {
  app: { name: 'Shop window', scopes: ['contact.read'], redirect_uris: ['https://shop.example/callback'] },
  webhook: { name: 'Ledger', url: 'https://ledger.example/told', events: ['deal.won'] },
}
const kinds = ['text', 'long_text', 'number', 'decimal', 'money', 'boolean', 'date', 'datetime', 'select', 'multi_select', 'url', 'email', 'phone', 'reference']

// prepare sees to it that there is a record of every resource, and a field of every kind, and gives the resources.
export async function prepare() {
  for (const [name, sample] of Object.entries(samples)) if (!(await one(`${name}s`, 'name', sample.name))) assert.ok((await api('POST', `/v1/${name}s`, sample)).id, name)
  for (const kind of (await one('fields', 'name', 'every_text')) ? [] : kinds) {
    const options = kind.endsWith('select') ? { options: [{ value: 'one', label: 'One' }, { value: 'two', label: 'Two' }] } : {}
    const made = await api('POST', '/v1/fields', { resource: 'activity', name: `every_${kind}${kind === 'reference' ? '_id' : ''}`, label: `Every ${kind.replace('_', ' ')}`, kind, help: `Holds ${kind}.`, ...(kind === 'reference' ? { target: 'product' } : {}), ...options })
    assert.ok(made.id, JSON.stringify(made))
  }
  // What is personal has places of its own, such as the inbox; reports are shown on their page, and not in a list.
  const resources = (await api('GET', '/v1/schema')).resources.filter((r) => !r.personal && r.name !== 'report')
  for (const r of resources) assert.ok((await api('POST', r.path + '/search', { limit: 1 })).data.length, `the demo business has no ${r.name}: name one in samples`)
  return resources
}
