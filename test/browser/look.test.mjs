// Journeys to how the app looks: colours that say a state before it is read.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { api, looked, one, open, told } from './app.mjs'

test('stages and options have their colours wherever they are shown', { timeout: 600_000 }, async () => {
  const { stages } = (await api('POST', '/v1/pipelines/search', { filters: [{ field: 'is_default', operator: 'eq', value: true }] })).data[0]
  const stage = stages.find((s) => s.kind === 'open')
  assert.ok(stage.colour)
  await api('POST', '/v1/deals', { name: 'Painted fence', stage_id: stage.id })

  const page = await open('/app/deals?q=Painted+fence')
  const row = page.getByRole('row').filter({ hasText: 'Painted fence' })
  await row.locator(`.chip-${stage.colour}`, { hasText: stage.name }).waitFor()
  await row.locator('.chip-blue', { hasText: 'Open' }).waitFor()
  await looked(page, 'chips', { dark: true })
  const { id } = await one('deals', 'name', 'Painted fence')
  await page.goto(`/app/deals/${id}`)
  await page.locator(`main .chip-${stage.colour}`, { hasText: stage.name }).first().waitFor()
  await page.goto('/app/deals?layout=board')
  await page.locator(`.column .chip-${stage.colour}`, { hasText: stage.name }).first().waitFor()
  assert.deepEqual(page.complaints, [])
  await page.context().close()
})

test('the app can be installed, and its font comes from where it does', { timeout: 600_000 }, async () => {
  const page = await open('/app')
  const manifest = await page.evaluate(async () => (await fetch(document.querySelector('link[rel=manifest]').href)).json())
  assert.equal(manifest.start_url, '/app')
  for (const { src, sizes } of manifest.icons.filter((i) => i.type === 'image/png')) {
    const width = await page.evaluate(async (at) => {
      const image = new Image()
      image.src = at
      await image.decode()
      return image.naturalWidth
    }, '/app/installed/' + src)
    assert.equal(`${width}x${width}`, sizes)
  }
  const session = await page.context().newCDPSession(page)
  const { errors } = await session.send('Page.getAppManifest')
  assert.deepEqual(errors, [])
  await page.evaluate(() => document.fonts.ready)
  assert.ok(await page.evaluate(() => document.fonts.check('13px "Inter Variable"') && [...document.fonts].some((f) => f.family.includes('Inter') && f.status === 'loaded')))
  // English needs no other script.
  const fetched = await page.evaluate(() => performance.getEntriesByType('resource').filter((e) => e.name.endsWith('.woff2')).map((e) => new URL(e.name).pathname))
  assert.equal(fetched.length, 1, fetched.join())
  assert.match(fetched[0], /^\/app\/assets\/inter-latin-/)
  assert.deepEqual(page.complaints, [])
  await page.context().close()
})

test('a role is made and changed, and the audit log names it', { timeout: 600_000 }, async () => {
  const page = await open('/app/settings/who-may-what')
  await page.getByRole('button', { name: 'New role' }).click()
  const dialog = page.getByRole('dialog', { name: 'New role' })
  await dialog.getByLabel('Name').fill('Painter')
  await dialog.getByLabel('Begin with what this role allows').selectOption({ label: 'viewer' })
  await dialog.getByRole('button', { name: 'Create' }).click()
  assert.equal(await page.getByLabel('Companies: Read').inputValue(), 'all')
  await page.getByLabel('Contacts: Read').selectOption('all')
  await page.getByLabel('Contacts: Write').selectOption('own')
  await page.getByLabel('Deals: Read').selectOption('own')
  await page.getByRole('checkbox', { name: /export/i }).check()
  await looked(page, 'role-edit', { dark: true })
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await told(page, 'The role Painter is saved')
  const made = await one('roles', 'name', 'Painter')
  assert.equal(made.permissions.contact.read, 'all')
  assert.equal(made.permissions.contact.write, 'own')
  assert.equal(made.permissions.deal.read, 'own')
  assert.deepEqual(made.features, ['export'])
  // A field is told by what people call it.
  const field = await api('POST', '/v1/fields', { resource: 'contact', name: 'hue_of_wall', label: 'Colour of the wall', kind: 'text' })
  await page.goto('/app/settings/audit')
  await page.getByRole('list', { name: 'Audit log' }).getByRole('listitem').filter({ hasText: 'Painter' }).first().waitFor()
  await page.getByRole('list', { name: 'Audit log' }).getByRole('listitem').filter({ hasText: 'Colour of the wall' }).first().waitFor()
  await looked(page, 'audit-names')
  await api('DELETE', `/v1/fields/${field.id}`)
  assert.deepEqual(page.complaints, [])
  await page.context().close()
})
