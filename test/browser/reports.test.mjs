// Reports: what they are about is chosen and stays in the address, and every figure leads to the records that it counts.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { api, looked, one, open, tabTo } from './app.mjs'

const titles = ['Forecast by month', 'How far new deals get', 'Won by month', 'Win rate by month', 'Why deals are lost', 'Open deals by stage', 'Activity by person']

// leads follows the row of a report, and waits for the list to have as many records as it said.
async function leads(page, title, name, count) {
  await page.getByRole('region', { name: title }).getByRole('link', { name, exact: true }).first().click()
  await page.getByRole('grid').waitFor()
  await page.locator('.title-row .count').filter({ hasText: new RegExp(`^${count}$`) }).waitFor()
  await page.goBack()
  await page.getByRole('region', { name: title }).waitFor()
}

test('reports are of a period, of somebody and of a pipeline, and their figures open their records', { timeout: 600_000 }, async () => {
  const seller = (await api('POST', '/v1/deals/aggregate', { group_by: ['owner_id'], filters: [{ field: 'status', operator: 'eq', value: 'lost' }] })).data[0].owner_id
  const reason = await one('loss_reasons', 'name', 'No decision')
  const page = await open('/app/reports?period=own&from=2020-01-01')
  for (const title of titles) await page.getByRole('region', { name: title, exact: false }).first().getByRole('row').nth(1).waitFor()
  await looked(page, 'reports-own-period')

  // By mouse: what is lost for a reason.
  const why = page.getByRole('region', { name: 'Why deals are lost' }).getByRole('row', { name: /^No decision/ })
  const lost = await api('POST', '/v1/deals/aggregate', { filters: [{ field: 'loss_reason_id', operator: 'eq', value: reason.id }] })
  assert.match(await why.innerText(), new RegExp(`\\b${lost.data[0].count}\\b`))
  await leads(page, 'Why deals are lost', 'No decision', lost.data[0].count)

  // By keys: whose, and when; it is in the address, and there again after it.
  const owner = page.getByRole('combobox', { name: 'Whose' })
  await tabTo(page, owner)
  await owner.selectOption(seller)
  const period = page.getByRole('combobox', { name: 'Period' })
  await period.selectOption({ label: 'Last 12 months' })
  assert.equal(new URL(page.url()).search, `?owner=${seller}`)
  await period.focus()
  await page.keyboard.type('This q')
  assert.equal(new URL(page.url()).searchParams.get('period'), 'quarter')
  await page.reload()
  assert.equal(await period.inputValue(), 'quarter')
  assert.equal(await owner.inputValue(), seller)

  // A forecast counts what is open and expected in its month.
  await page.goto(`/app/reports?owner=${seller}`)
  const row = page.getByRole('region', { name: 'Forecast by month' }).getByRole('row').nth(1)
  const count = Number((await row.innerText()).match(/in (\d+) deals?/)[1])
  await leads(page, 'Forecast by month', (await row.getByRole('link').innerText()).trim(), count)

  // The funnel's steps open who came at least as far.
  await page.goto('/app/reports?period=own&from=2020-01-01')
  const step = page.getByRole('region', { name: /^How far new deals get/ }).getByRole('row').nth(2)
  const far = Number((await step.locator('.figure').innerText()).replace(/\D/g, ''))
  await tabTo(page, step.getByRole('link'))
  await page.keyboard.press('Enter')
  await page.locator('.title-row .count').filter({ hasText: new RegExp(`^${far}$`) }).waitFor()

  assert.deepEqual(page.complaints, [])
  await page.context().close()
})

test('reports of nothing say what to do', { timeout: 600_000 }, async () => {
  const page = await open('/app/reports?period=own&from=2001-01-01&to=2001-01-02')
  await page.getByText('No deal began in this period.', { exact: false }).waitFor()
  await page.getByText('No deal was lost in this period.').waitFor()
  await looked(page, 'reports-nothing')
  assert.deepEqual(page.complaints, [])
  await page.context().close()
})
