// Journeys of what is done to many records at once, and taken back.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { api, looked, open, told } from './app.mjs'

test('more rows than one search names are picked by hand, changed as one and taken back as one', { timeout: 600_000 }, async () => {
  for (let from = 0; from < 520; from += 40) {
    const operations = Array.from({ length: 40 }, (_, i) => ({ op: 'create', data: { name: `Plover ${String(from + i).padStart(3, '0')}` } }))
    assert.equal((await api('POST', '/v1/companies/batch', { operations })).meta.failed, 0)
  }
  const tagged = async () => (await api('POST', '/v1/companies/search', { filters: [{ field: 'tags', operator: 'contains', value: 'wader' }], limit: 1, total: true })).meta.total
  const page = await open('/app/companies?q=plover&sort=name')
  await page.getByRole('checkbox', { name: 'Select Plover 000' }).click()
  await page.evaluate(() => (document.querySelector('[role=grid]').scrollTop = 36 * 505))
  await page.getByRole('checkbox', { name: 'Select Plover 509' }).click({ modifiers: ['Shift'] })
  const bar = page.getByRole('region', { name: 'Selection' })
  await bar.getByText('510 selected').waitFor()
  await bar.getByRole('button', { name: 'Tags' }).click()
  const tags = page.getByRole('dialog', { name: 'Tags' })
  await tags.getByRole('textbox', { name: 'Tags to add' }).fill('wader')
  await page.keyboard.press('Enter')
  await tags.getByRole('button', { name: 'Change 510 records' }).click()
  await told(page, 'Tags changed in 510 records')
  assert.equal(await tagged(), 510)
  await page.locator('.notice').filter({ hasText: 'Tags changed' }).getByRole('button', { name: 'Undo' }).click()
  await told(page, 'Taken back: 510 changes')
  assert.equal(await tagged(), 0)
  assert.deepEqual(page.complaints, [])
  await page.context().close()
})

const named = (text) => ({ filters: [{ field: 'name', operator: 'starts_with', value: text }] })

test('all that a search finds is tagged, assigned, changed, exported and deleted, and taken back', { timeout: 600_000 }, async () => {
  for (let from = 0; from < 120; from += 40) {
    const operations = Array.from({ length: 40 }, (_, i) => ({ op: 'create', data: { name: `Otter ${String(from + i).padStart(3, '0')}`, tags: i % 2 ? ['river'] : ['sea', 'river'] } }))
    assert.equal((await api('POST', '/v1/contacts/batch', { operations })).meta.failed, 0)
  }
  const count = async (...filters) => (await api('POST', '/v1/contacts/search', { ...named('Otter'), filters: [...named('Otter').filters, ...filters], limit: 1, total: true })).meta.total
  const page = await open('/app/contacts?f=name~starts_with~Otter&sort=name')
  await page.getByRole('checkbox', { name: 'Select Otter 000' }).waitFor()

  // By keys: a row is ticked, then all that are loaded, then all that there are.
  await page.locator('[data-place="0:1"]').focus()
  await page.keyboard.press('Space')
  const bar = page.getByRole('region', { name: 'Selection' })
  await bar.getByText('1 selected').waitFor()
  assert.equal(await bar.getByRole('button', { name: /Select all/ }).count(), 0)
  await page.getByRole('checkbox', { name: 'Select all' }).click()
  await bar.getByText('100 selected').waitFor()
  await bar.getByRole('button', { name: 'Select all 120' }).click()
  await bar.getByText('120 selected').waitFor()
  await looked(page, 'selection')

  await bar.getByRole('button', { name: 'Tags' }).click()
  const tags = page.getByRole('dialog', { name: 'Tags' })
  await tags.getByText('You will see what would change').waitFor()
  await tags.getByRole('textbox', { name: 'Tags to add' }).fill('fur')
  await page.keyboard.press('Enter')
  await tags.getByRole('textbox', { name: 'Tags to remove' }).fill('SEA')
  await page.keyboard.press('Enter')
  await tags.getByText('120 records. Checked the first 100: 100 would change.').waitFor()
  await looked(page, 'tagging')
  await tags.getByRole('button', { name: 'Change 120 records' }).click()
  await told(page, 'Tags changed in 120 records')
  assert.equal(await count({ field: 'tags', operator: 'contains', value: 'fur' }), 120)
  assert.equal(await count({ field: 'tags', operator: 'contains', value: 'sea' }), 0)
  assert.equal(await count({ field: 'tags', operator: 'contains', value: 'river' }), 120)
  await page.locator('.notice').filter({ hasText: 'Tags changed' }).getByRole('button', { name: 'Undo' }).click()
  await told(page, 'Taken back: 120 changes')
  assert.equal(await count({ field: 'tags', operator: 'contains', value: 'sea' }), 60)

  // A field of what is selected, by keys alone; a second time there is nothing to do.
  await page.locator('[data-place="0:1"]').focus()
  await page.keyboard.press('Space')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Space')
  await bar.getByText('2 selected').waitFor()
  await bar.getByRole('button', { name: 'Edit a field' }).focus()
  await page.keyboard.press('Enter')
  const change = page.getByRole('dialog', { name: 'Edit a field' })
  await change.locator('select').first().selectOption({ label: 'Job title' })
  await change.getByRole('textbox', { name: 'New value' }).fill('Swimmer')
  await change.getByText('2 would change.').waitFor()
  await change.locator('.diff li').nth(1).getByText('Swimmer').waitFor()
  await page.keyboard.press('Enter')
  await told(page, 'Job title changed in 2 records')
  assert.equal(await count({ field: 'job_title', operator: 'eq', value: 'Swimmer' }), 2)

  await page.locator('[data-place="0:1"]').focus()
  await page.keyboard.press('Space')
  await bar.getByRole('button', { name: 'Assign' }).click()
  const assign = page.getByRole('dialog', { name: 'Assign' })
  await assign.getByRole('combobox', { name: 'Owner' }).fill('a')
  await page.getByRole('option').first().click()
  await assign.getByText(/1 would change|1 needs no change/).waitFor()
  await page.keyboard.press('Escape')
  await bar.getByRole('button', { name: 'Clear the selection' }).click()

  // Files: the search with the columns of the list, and only what is selected.
  const saved = async (button, format, more = async () => {}) => {
    await button.click()
    const dialog = page.getByRole('dialog', { name: 'Export' })
    await dialog.getByRole('radio', { name: format }).check()
    await more(dialog)
    const [file] = await Promise.all([page.waitForEvent('download'), dialog.getByRole('button', { name: 'Export' }).click()])
    return { name: file.suggestedFilename(), text: readFileSync(await file.path()) }
  }
  const csv = await saved(page.locator('.tools').getByRole('button', { name: 'Export' }), /CSV/, (dialog) => looked(page, 'export'))
  assert.match(csv.name, /contacts.*\.csv$/)
  const lines = csv.text.toString().trim().split('\r\n')
  assert.equal(lines.length, 121)
  assert.match(lines[0], /^name,/)
  assert.match(lines[1], /^Otter 000,/)
  await page.locator('[data-place="3:1"]').focus()
  await page.keyboard.press('Space')
  const jsonl = await saved(bar.getByRole('button', { name: 'Export' }), /JSON/, (dialog) => dialog.getByRole('radio', { name: 'All fields' }).check())
  assert.equal(JSON.parse(jsonl.text.toString()).name, 'Otter 003')
  const xlsx = await saved(bar.getByRole('button', { name: 'Export' }), /Excel/)
  assert.equal(xlsx.text.subarray(0, 2).toString(), 'PK')

  // A few are deleted at once, many after a look.
  await bar.getByRole('button', { name: 'Delete' }).click()
  await told(page, '1 record was moved to the bin.')
  await page.getByRole('checkbox', { name: 'Select Otter 003' }).waitFor({ state: 'hidden' })
  await page.locator('.notice').filter({ hasText: 'moved to the bin' }).getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('checkbox', { name: 'Select Otter 003' }).waitFor()
  await page.getByRole('checkbox', { name: 'Select all' }).click()
  await bar.getByRole('button', { name: 'Select all 120' }).click()
  await bar.getByRole('button', { name: 'Delete' }).click()
  const asking = page.getByRole('dialog', { name: 'Delete' })
  await asking.getByText('120 records. Checked the first 100: 100 would be deleted.').waitFor()
  await looked(page, 'deleting', { phones: false })
  await asking.getByRole('button', { name: 'Delete 120 records' }).click()
  await told(page, '120 records were moved to the bin.')
  await page.getByRole('heading', { name: 'No results' }).waitFor()
  await page.locator('.notice').filter({ hasText: 'moved to the bin' }).getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('checkbox', { name: 'Select Otter 000' }).waitFor()
  assert.equal(await count(), 120)
  assert.deepEqual(page.complaints, [])
  await page.context().close()
})
