// Journeys of several people in the same business: who may do what, and what each sees of the others.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { api, colleague, looked, open, told } from './app.mjs'

// What changes records, in the words of the app; people keep views and tokens of their own whatever their role is.
const forbidden = /^(New |Import$|Delete|Edit |Add |Log |Create |Task$|Note$|Merge$|Pin$|Unpin$|Won$|Lost$|Reopen$|Send$|Accepted$|Declined$|Revise$|Change |Complete |Postpone |Move |Drag |Tags$|Assign$|Restore|Invite|Save|Customer’s link|Remove |Make an app|Export$)/

test('a viewer sees no control of what they may not do, and the API refuses it anyway', { timeout: 600_000 }, async () => {
  const page = await colleague('viewer', 'vita@kith.example')
  const offered = async (where) => {
    const names = await page.locator('main').getByRole('button').or(page.locator('main').getByRole('menuitem')).evaluateAll((all) => all.filter((b) => !b.closest('[role=columnheader]')).map((b) => b.getAttribute('aria-label') ?? b.textContent.trim()))
    assert.deepEqual(names.filter((n) => forbidden.test(n) && !n.startsWith('Remove the filter')), [], where)
    assert.equal(await page.locator('main').locator('textarea, [role=gridcell][aria-readonly=false]').count(), 0, where)
  }
  const { resources } = await page.evaluate(async () => (await fetch('/v1/schema', { headers: { Version: 'v1' } })).json())
  const closed = resources.filter((r) => r.permissions.write === 'none')
  assert.ok(closed.length > 10)
  await page.locator('.tasks, .todo .empty').first().waitFor()
  await offered('today')
  await page.getByRole('navigation', { name: 'Main' }).getByRole('button', { name: 'More' }).click()
  // Every list, and a record of each, by the links that the app gives.
  for (const r of closed.filter((r) => !r.feature && !r.personal && !['report', 'association'].includes(r.name))) {
    await page.getByRole('navigation', { name: 'Main' }).locator(`a[href="/app/${r.path.slice(4)}"]`).click()
    if (r.name === 'deal') await page.getByRole('button', { name: 'List', exact: true }).click()
    await page.locator('.grid-cell.name a').first().waitFor()
    await offered(r.name)
    await page.locator('.grid-body input[type=checkbox]').first().click()
    await page.getByRole('region', { name: 'Selection' }).waitFor()
    await offered(`${r.name}, selected`)
    await page.locator('.grid-cell.name a').first().click()
    await page.locator('.record .facts').waitFor()
    await page.getByRole('list', { name: 'Timeline' }).locator('.event-body').first().waitFor()
    await offered(`${r.name}, opened`)
    if (r.name === 'deal') await looked(page, 'viewing', { phones: false })
  }
  await page.goto('/app/deals?layout=board')
  await page.locator('.card').first().waitFor()
  await offered('board')
  await page.goto('/app/settings')
  await page.getByRole('heading', { name: 'You', exact: true }).waitFor()
  const parts = page.getByRole('navigation', { name: 'Settings' }).getByRole('link')
  assert.deepEqual((await parts.allInnerTexts()).filter((s) => /^Business|^Webhooks/.test(s)), [])
  for (const part of ['People', 'Roles', 'Pipelines and stages', 'Custom fields', 'Bin']) {
    await parts.filter({ hasText: part }).first().click()
    await page.locator('.settings-body').getByRole('heading', { name: part, exact: true }).waitFor()
    await page.locator('.settings-body').locator('table, li, .empty, .soft').nth(1).waitFor()
    await offered(part)
    assert.equal(await page.locator('.settings-body input:read-write').count(), 0, part)
  }

  // With the very session of this browser.
  const refused = await page.evaluate(async (all) => {
    const ask = async (method, path, body) => (await fetch(path, { method, headers: { Version: 'v1', ...(body ? { 'Content-Type': 'application/json' } : {}) }, body: body && JSON.stringify(body) })).status
    const told = []
    for (const r of all) {
      const [known] = r.operations.includes('search') && r.permissions.read !== 'none' ? (await (await fetch(r.path + '/search', { method: 'POST', headers: { Version: 'v1', 'Content-Type': 'application/json' }, body: '{"limit":1}' })).json()).data : []
      if (r.operations.includes('create')) told.push([r.name, 'create', await ask('POST', r.path, { name: 'x' })])
      if (known && r.operations.includes('patch')) told.push([r.name, 'patch', await ask('PATCH', `${r.path}/${known.id}`, { name: 'x' })])
      if (known && r.operations.includes('delete')) told.push([r.name, 'delete', await ask('DELETE', `${r.path}/${known.id}`)])
      if (known && r.actions[0]) told.push([r.name, r.actions[0].name, await ask('POST', `${r.path}/${known.id}/${r.actions[0].name}`, {})])
      if (r.operations.includes('batch') && known) told.push([r.name, 'batch', await (async () => {
        const answer = await fetch(r.path + '/batch', { method: 'POST', headers: { Version: 'v1', 'Content-Type': 'application/json' }, body: JSON.stringify({ operations: [{ op: 'delete', id: known.id }] }) })
        return answer.status === 200 ? (await answer.json()).data[0].status : answer.status
      })()])
      if (r.operations.includes('export')) told.push([r.name, 'export', await ask('POST', r.path + '/export', { format: 'csv' })])
    }
    told.push(['business', 'patch', await ask('PATCH', '/v1/business', { name: 'x' })], ['import', 'create', await ask('POST', '/v1/imports', { resource: 'contact' })])
    return told
  }, closed)
  assert.ok(refused.length > 40, `${refused.length} were tried`)
  assert.deepEqual(refused.filter(([, , status]) => status !== 403), [])
  assert.deepEqual(page.complaints, [])
  await page.context().close()
})

test('two browsers see what the other does, also what they missed while the network was gone', { timeout: 600_000 }, async () => {
  const made = await api('POST', '/v1/contacts', { name: 'Mira Mole', email: 'mira@mole.example', lead_score: 5 })
  const [anna, ben] = [await open('/app/contacts?q=mole'), await colleague('manager', 'ben@kith.example', { at: '/app/contacts?q=mole' })]
  const cell = (page, value) => page.getByRole('gridcell', { name: value, exact: true })
  const rewrite = async (page, from, to) => {
    await cell(page, from).dblclick()
    await page.getByRole('textbox', { name: 'Lead score' }).fill(to)
    await page.keyboard.press('Enter')
  }
  await cell(anna, '5').waitFor()
  await cell(ben, '5').waitFor()
  await rewrite(anna, '5', '6')
  await told(anna, 'Lead score saved')
  await cell(ben, '6').waitFor()

  // Whoever is typing is not disturbed by it.
  await anna.locator('[data-place="0:2"]').focus()
  await anna.keyboard.press('F2')
  const input = anna.getByRole('textbox', { name: 'E-mail' })
  await input.fill('mira@hill.example')
  await rewrite(ben, '6', '41')
  await cell(anna, '41').waitFor()
  await ben.getByRole('button', { name: 'New contact' }).click()
  const form = ben.getByRole('dialog', { name: 'New contact' })
  await form.getByLabel('Last name').fill('Mole')
  await form.getByRole('button', { name: 'Show all fields' }).click()
  await form.getByLabel('Lead score').fill('7')
  await form.getByRole('button', { name: 'Create' }).click()
  await ben.getByRole('heading', { name: 'Mole' }).waitFor()
  await cell(anna, '7').waitFor()
  assert.equal(await input.inputValue(), 'mira@hill.example')
  await anna.keyboard.press('Enter')
  await told(anna, 'E-mail saved')
  assert.equal((await api('GET', `/v1/contacts/${made.id}`)).email, 'mira@hill.example')

  // Without the network this is told, nothing is pretended and nothing kept for later; what was missed comes with it.
  await ben.goBack()
  await cell(ben, '41').waitFor()
  await anna.context().setOffline(true)
  await anna.getByText('No connection to the server.').waitFor()
  await looked(anna, 'offline')
  await rewrite(anna, '7', '8')
  await told(anna, 'The server cannot be reached. Nothing was saved.')
  await cell(anna, '7').waitFor()
  await rewrite(ben, '41', '43')
  await told(ben, 'Lead score saved')
  await anna.context().setOffline(false)
  await anna.getByText('No connection to the server.').waitFor({ state: 'hidden' })
  await cell(anna, '43').waitFor()
  assert.equal(await cell(anna, '8').count(), 0)
  await ben.getByRole('link', { name: 'Mira Mole' }).click()
  await ben.locator('.acts').getByRole('button', { name: 'More', exact: true }).click()
  await ben.getByRole('menuitem', { name: 'Delete' }).click()
  await told(ben, 'Mira Mole was moved to the bin')
  await anna.getByRole('link', { name: 'Mira Mole' }).waitFor({ state: 'detached' })
  assert.deepEqual([...anna.complaints, ...ben.complaints], [])
  for (const page of [anna, ben]) await page.context().close()
})
