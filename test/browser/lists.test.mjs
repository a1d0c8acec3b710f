// Journeys through lists: how dense they are, how they are gone through by letters.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { api, looked, open } from './app.mjs'

const focused = (page) => page.evaluate(() => document.activeElement?.dataset.place)

test('rows are as high as one likes, and the name takes the room that is left', { timeout: 300_000 }, async () => {
  const page = await open('/app/companies', { viewport: { width: 1900, height: 900 } })
  const row = page.locator('.grid-body .grid-row').first()
  await row.waitFor()
  const height = async () => (await row.boundingBox()).height
  assert.equal(await height(), 36)
  const wide = (at) => page.locator(`[role=columnheader][aria-colindex="${at}"]`).evaluate((e) => e.getBoundingClientRect().width)
  assert.ok((await wide(2)) > 260, 'the name does not grow')
  await page.getByRole('button', { name: 'Columns' }).click()
  await page.getByRole('button', { name: 'Tight' }).click()
  await page.waitForFunction(() => document.querySelector('.grid-body .grid-row').getBoundingClientRect().height === 30)
  await looked(page, 'tight', { phones: false })
  await page.keyboard.press('Escape')
  // It is this browser that is asked again, whatever the list.
  await page.goto('/app/contacts')
  await row.waitFor()
  assert.equal(await height(), 30)
  // Who makes the name as wide as it is to be has it so.
  await page.locator('[data-place="-1:1"]').focus()
  await page.keyboard.press('Shift+ArrowLeft')
  const narrower = await wide(2)
  await page.keyboard.press('Shift+ArrowLeft')
  await page.waitForFunction((before) => document.querySelector('[role=columnheader][aria-colindex="2"]').getBoundingClientRect().width === before - 24, narrower)
  assert.deepEqual(page.complaints, [])
  await page.context().close()
})

test('J and K go through a list, X selects, and Enter opens', { timeout: 300_000 }, async () => {
  const page = await open('/app/companies?sort=name')
  await page.locator('[data-place="2:1"]').waitFor()
  const key = (k) => page.keyboard.press(k)
  await key('j')
  assert.equal(await focused(page), '0:1', 'the first J shows where one is')
  await key('j')
  await key('ArrowRight')
  await key('j')
  assert.equal(await focused(page), '2:1')
  await key('k')
  assert.equal(await focused(page), '1:1')
  await key('x')
  await page.getByRole('region', { name: 'Selection' }).getByText('1 selected').waitFor()
  await key('x')
  await page.getByRole('region', { name: 'Selection' }).waitFor({ state: 'detached' })
  // Where one writes they are letters.
  await page.getByRole('searchbox').focus()
  await page.keyboard.type('jk')
  assert.equal(await page.getByRole('searchbox').inputValue(), 'jk')
  await key('Escape')
  await page.waitForURL((url) => !url.search.includes('q='))
  await page.locator('[data-place="1:1"]').focus()
  const name = await page.locator('[data-place="1:1"]').innerText()
  await key('Enter')
  await page.getByRole('heading', { name: name.split('\n').at(-1) }).waitFor()
  assert.deepEqual(page.complaints, [])
  await page.context().close()
})

test('in a list what a reference leads to is opened by the arrow beside it, with Ctrl and by keys, and edited by what edits any cell', { timeout: 300_000 }, async () => {
  const company = await api('POST', '/v1/companies', { name: 'Bollard Works' })
  await api('POST', '/v1/contacts', { first_name: 'Bo', last_name: 'Bollard', company_id: company.id })
  const page = await open('/app/contacts?q=bo+bollard')
  const cell = page.getByRole('gridcell', { name: /^Bollard Works/ })
  const arrow = cell.getByRole('link', { name: 'Open Bollard Works' })
  const opened = async () => {
    await page.waitForURL(`**/app/companies/${company.id}`)
    await page.getByRole('heading', { name: 'Bollard Works' }).waitFor()
    await page.goBack()
    await cell.waitFor()
  }
  await cell.waitFor()
  assert.equal(await arrow.count(), 0, 'the arrow is there for who looks for it')
  await cell.hover()
  await looked(page, 'cell-arrow', { phones: false })
  await arrow.click()
  await opened()
  // By keys: one comes back to the cell, opens it again, and edits it.
  await page.waitForFunction(() => document.activeElement?.matches('[role=gridcell]'))
  await page.keyboard.press('Control+Enter')
  await opened()
  await page.keyboard.press('Enter')
  const choice = page.getByRole('combobox', { name: 'Company' })
  await choice.waitFor()
  for (let i = 0; i < 3 && (await choice.count()); i++) await page.keyboard.press('Escape')
  const [other] = await Promise.all([page.context().waitForEvent('page'), cell.getByText('Bollard Works').click({ modifiers: ['Control'] })])
  await other.waitForURL(`**/app/companies/${company.id}`)
  await other.close()
  assert.equal(await choice.count(), 0)
  await cell.dblclick()
  await choice.waitFor()
  assert.deepEqual(page.complaints, [])
  await page.context().close()
})

test('numbers and days are first sorted from the largest and the latest, words from the first', { timeout: 300_000 }, async () => {
  const page = await open('/app/deals?layout=table')
  const head = (name) => page.getByRole('columnheader', { name, exact: true })
  const press = async (name, sorted) => {
    await head(name).getByRole('button').click()
    await page.waitForFunction(([name, sorted]) => [...document.querySelectorAll('[role=columnheader]')].some((h) => h.innerText === name && h.ariaSort === sorted), [name, sorted])
  }
  await press('Amount', 'descending')
  await press('Amount', 'ascending')
  await press('Amount', 'none')
  await press('Expected close', 'descending')
  await press('Name', 'ascending')
  await press('Name', 'descending')
  assert.deepEqual(page.complaints, [])
  await page.context().close()
})

// many makes companies with numbers in their names, and gives their ids.
async function many(word, count) {
  const ids = []
  for (let from = 0; from < count; from += 100) {
    const operations = Array.from({ length: Math.min(100, count - from) }, (_, i) => ({ op: 'create', data: { name: `${word} ${String(from + i).padStart(3, '0')}` } }))
    ids.push(...(await api('POST', '/v1/companies/batch', { atomic: true, operations })).data.map((d) => d.record.id))
  }
  return ids
}
const erased = async (ids) => {
  for (let from = 0; from < ids.length; from += 100) await api('POST', '/v1/companies/batch', { operations: ids.slice(from, from + 100).map((id) => ({ op: 'delete', id })) })
}
const top = (page) => page.evaluate(() => document.querySelector('[role=grid]').scrollTop)

test('whoever comes back from a record finds the list as it was: its place, its row, what is selected', { timeout: 300_000 }, async () => {
  const ids = await many('Raft', 330)
  const page = await open('/app/companies?q=raft&sort=name')
  const key = (k) => page.keyboard.press(k)
  const row = (n) => page.getByRole('link', { name: `Raft ${n}` })
  await row('000').waitFor()
  await page.locator('.count').getByText('330', { exact: true }).waitFor()
  await page.getByRole('checkbox', { name: 'Select Raft 001' }).click()
  await page.evaluate(() => (document.querySelector('[role=grid]').scrollTop = 36 * 150))
  await row('155').waitFor()
  const was = await top(page)
  await row('155').click()
  await page.getByRole('heading', { name: 'Raft 155' }).waitFor()
  await page.getByText('156 of 330').waitFor()
  await page.goBack()
  await row('155').waitFor()
  assert.equal(await top(page), was)
  assert.equal(await focused(page), '155:1')
  await page.getByRole('region', { name: 'Selection' }).getByText('1 selected').waitFor()
  // By keys: on to the record after it, and beyond what was loaded.
  await key('Enter')
  await page.getByRole('heading', { name: 'Raft 155' }).waitFor()
  for (let i = 156; i <= 232; i++) {
    await page.getByRole('button', { name: 'Next' }).and(page.locator(':not([disabled])')).waitFor()
    await key('j')
    await page.getByText(`${i + 1} of 330`).waitFor()
  }
  await key('k')
  await page.getByRole('heading', { name: 'Raft 231' }).waitFor()
  await page.locator('.crumbs .back').click()
  await row('231').waitFor()
  await page.waitForFunction(() => document.activeElement?.dataset.place === '231:1')
  // Elsewhere and here again by the menu it begins anew.
  await page.getByRole('link', { name: 'Today' }).click()
  await page.goBack()
  await row('231').waitFor()
  await page.getByRole('navigation').getByRole('link', { name: 'Companies' }).click()
  await page.locator('[data-place="0:1"]').waitFor()
  assert.equal(await top(page), 0)
  assert.deepEqual(page.complaints, [])
  await page.context().close()
  await erased(ids)
})

test('far down in a list one sees what others do, and selects through rows that nobody has seen', { timeout: 300_000 }, async () => {
  const ids = await many('Sloop', 420)
  const page = await open('/app/companies?q=sloop&sort=name')
  const link = (n) => page.getByRole('link', { name: `Sloop ${n}` })
  await link('000').waitFor()
  await page.evaluate(() => (document.querySelector('[role=grid]').scrollTop = 36 * 400))
  await link('410').waitFor()
  // One before these goes, one changes its name, one comes.
  await api('DELETE', `/v1/companies/${ids[3]}`)
  await page.locator('.count').getByText('419', { exact: true }).waitFor()
  await page.locator('[aria-rowindex="411"]').getByRole('link', { name: 'Sloop 410' }).waitFor()
  await api('PATCH', `/v1/companies/${ids[412]}`, { name: 'Sloop 412 Ltd' })
  await page.getByRole('link', { name: 'Sloop 412 Ltd' }).waitFor()
  ids.push((await api('POST', '/v1/companies', { name: 'Sloop 409 and a half' })).id)
  await page.getByRole('link', { name: 'Sloop 409 and a half' }).waitFor()
  await page.locator('.count').getByText('420', { exact: true }).waitFor()
  // From the first row to the last, of which the middle was never seen.
  await page.locator('[data-place="300:1"]').or(link('410')).first().waitFor()
  await page.evaluate(() => (document.querySelector('[role=grid]').scrollTop = 0))
  await page.getByRole('checkbox', { name: 'Select Sloop 000' }).click()
  await page.evaluate(() => (document.querySelector('[role=grid]').scrollTop = 36 * 400))
  await page.getByRole('checkbox', { name: 'Select Sloop 410' }).click({ modifiers: ['Shift'] })
  await page.getByRole('region', { name: 'Selection' }).getByText('411 selected').waitFor()
  assert.deepEqual(page.complaints, [])
  await page.context().close()
  await erased(ids)
})

test('a list tells in its foot what it comes to, and is shown in groups that fold', { timeout: 300_000 }, async () => {
  const company = await api('POST', '/v1/companies', { name: 'Barge & Co' })
  const [first, second] = (await api('POST', '/v1/pipelines/search', { filters: [{ field: 'is_default', operator: 'eq', value: true }] })).data[0].stages
  const made = [['Barge one', '100.10', 'EUR', first], ['Barge two', '200.20', 'EUR', first], ['Barge three', '50.00', 'USD', second]]
  for (const [name, amount, currency, stage] of made) await api('POST', '/v1/deals', { name, amount, currency, stage_id: stage.id, company_id: company.id })
  const page = await open('/app/deals?layout=table&q=barge&cols=name,amount,stage_id,company_id')
  const foot = page.locator('.grid-foot')
  await foot.getByText('3 deals').waitFor()
  await foot.getByText('€300.30').waitFor()
  await page.getByRole('button', { name: 'Group' }).click()
  await page.getByRole('menuitem', { name: 'Stage', exact: true }).click()
  await page.waitForURL(/group=stage_id/)
  const group = (name) => page.locator('.grid-row.group').filter({ hasText: name })
  await group(first.name).getByText('€300.30').waitFor()
  await page.getByRole('link', { name: 'Barge three' }).waitFor()
  await page.waitForFunction(() => document.querySelectorAll('.grid-body .grid-row').length === 5)
  await looked(page, 'groups')
  // A group folds by a click and by keys, and its rows are not among those that one goes through.
  await group(first.name).getByRole('button').click()
  await page.getByRole('link', { name: 'Barge one' }).waitFor({ state: 'detached' })
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'Barge one' }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'Barge one' }).waitFor({ state: 'detached' })
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Barge three' }).waitFor()
  await page.goBack()
  await page.getByRole('link', { name: 'Barge three' }).waitFor()
  assert.equal(await page.getByRole('link', { name: 'Barge one' }).count(), 0, 'what was folded is')
  // Somebody else moves one: it goes to its group, and the sums with it.
  const [one] = (await api('POST', '/v1/deals/search', { search_text: 'barge one' })).data
  await api('POST', `/v1/deals/${one.id}/change_stage`, { stage_id: second.id })
  await page.getByRole('link', { name: 'Barge one' }).waitFor()
  await group(first.name).getByText('€200.20').waitFor()
  // It is kept with the view, and what is grouped by month says which.
  await page.getByRole('button', { name: 'Views' }).click()
  await page.getByRole('menuitem', { name: 'Save as a view' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Barges by stage')
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Barges by stage' }).waitFor()
  await page.locator('.grid-row.group').first().waitFor()
  const [view] = (await api('POST', '/v1/views/search', { filters: [{ field: 'name', operator: 'eq', value: 'Barges by stage' }] })).data
  assert.equal(view.group_by, 'stage_id')
  await page.goto('/app/deals?layout=table&q=barge&group=created_at')
  await page.locator('.grid-row.group').getByText(new Date().toLocaleDateString('en-GB', { month: 'long', year: 'numeric' })).waitFor()
  await page.goto('/app/deals?layout=table&q=barge&group=company_id')
  await page.locator('.grid-row.group').getByText('Barge & Co').waitFor()
  assert.deepEqual(page.complaints, [])
  await page.context().close()
  await api('DELETE', `/v1/views/${view.id}`)
})
