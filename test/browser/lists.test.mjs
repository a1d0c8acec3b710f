// Journeys through lists: how dense they are, how they are gone through by letters.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { looked, open } from './app.mjs'

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
