// Reports: what they are about is chosen and stays in the address, and every figure leads to the records that it counts.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { api, looked, one, open, tabTo, told } from './app.mjs'

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
  for (let i = 0; i < 3; i++) await page.keyboard.press('ArrowDown')
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
  assert.match(await step.innerText(), /usually \d+ days?, \d+ on average/)
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

test('a report of one’s own is made with a preview, placed, shared, duplicated, deleted and back', { timeout: 600_000 }, async () => {
  const page = await open('/app/reports?period=all')
  const dialog = page.getByRole('dialog', { name: 'New report' })
  const make = async (name, chart) => {
    await page.getByRole('button', { name: 'New report' }).click()
    await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill(name)
    await dialog.getByRole('combobox', { name: 'Report on' }).selectOption({ label: 'Deals' })
    await dialog.getByRole('combobox', { name: 'Figure' }).selectOption({ label: 'Amount: sum' })
    await dialog.getByRole('combobox', { name: 'Shown as' }).selectOption({ label: chart })
  }
  await make('Sums by person', 'Bars')
  await dialog.getByRole('combobox', { name: 'By', exact: true }).selectOption({ label: 'Owner' })
  await dialog.getByRole('region', { name: 'Preview' }).getByRole('row').nth(1).waitFor()
  await looked(page, 'report-new')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await told(page, 'The report Sums by person is made')
  const first = page.getByRole('region', { name: 'Sums by person', exact: true })
  await first.getByRole('row').nth(1).waitFor()

  // By keys alone: a second one, as a number.
  const button = page.getByRole('button', { name: 'New report' })
  await tabTo(page, button)
  await page.keyboard.press('Enter')
  await dialog.waitFor()
  await page.keyboard.type('Won in all')
  await dialog.getByRole('combobox', { name: 'Report on' }).selectOption({ label: 'Deals' })
  await dialog.getByRole('combobox', { name: 'Shown as' }).selectOption({ label: 'One number' })
  await page.keyboard.press('Enter')
  const second = page.getByRole('region', { name: 'Won in all', exact: true })
  await second.waitFor()
  const all = await api('POST', '/v1/deals/aggregate', {})
  assert.match((await second.innerText()).replace(/[,.]/g, ''), new RegExp(`\\b${all.data[0].count}\\b`))
  await looked(page, 'reports-of-ones-own')

  const act = async (name, item) => {
    await page.getByRole('button', { name: `What to do with ${name}` }).first().click()
    await page.getByRole('menuitem', { name: item, exact: true }).click()
  }
  await act('Won in all', 'Move forward')
  await page.locator('section[aria-labelledby=own-reports] .panel').first().filter({ hasText: 'Won in all' }).waitFor()
  await act('Won in all', 'Share with everybody')
  await told(page, 'Everybody sees the report now')
  await act('Sums by person', 'Edit')
  const edit = page.getByRole('dialog', { name: 'Edit report' })
  await edit.getByRole('combobox', { name: 'Shown as' }).selectOption({ label: 'Line' })
  await edit.getByRole('combobox', { name: 'By', exact: true }).selectOption({ label: 'Expected close' })
  await edit.getByRole('button', { name: 'Save' }).click()
  await told(page, 'The report Sums by person is saved')
  await first.locator('.line-chart').waitFor()
  await act('Sums by person', 'Duplicate')
  await page.getByRole('region', { name: 'Sums by person (copy)' }).waitFor()
  await act('Sums by person (copy)', 'Delete this report')
  await told(page, 'The report Sums by person (copy) is deleted')
  await page.getByRole('region', { name: 'Sums by person (copy)' }).waitFor({ state: 'detached' })
  await page.locator('.notice').filter({ hasText: '(copy) is deleted' }).getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('region', { name: 'Sums by person (copy)' }).waitFor()
  const kept = (await api('POST', '/v1/reports/search', { order_by: 'position', sort_direction: 'asc' })).data.filter((r) => / in all|by person/.test(r.name))
  assert.deepEqual(kept.map((r) => [r.name, r.chart, r.shared]), [['Won in all', 'number', true], ['Sums by person', 'line', false], ['Sums by person (copy)', 'line', false]])
  await first.getByRole('link').first().click()
  await page.getByRole('grid').waitFor()
  assert.deepEqual(page.complaints, [])
  await page.context().close()
})

test('reports of one’s own follow the period and the person, say so, and open what they count', { timeout: 600_000 }, async () => {
  const won = { field: 'status', operator: 'eq', value: 'won' }
  const { owner_id } = (await api('POST', '/v1/deals/aggregate', { group_by: ['owner_id'], filters: [won] })).data[0]
  const name = (await one('users', 'id', owner_id)).name
  for (const [title, resource, aggregate] of [
    ['Sold', 'deal', { filters: [won] }],
    ['Ahead', 'deal', { group_by: ['expected_close_date:month'] }],
    ['On the list', 'product', {}],
  ])
    await api('POST', '/v1/reports', { name: title, resource, aggregate, chart: aggregate.group_by ? 'table' : 'number', shared: true })
  const page = await open(`/app/reports?period=own&from=2020-01-01&to=2024-12-31&owner=${owner_id}`)
  const card = (title) => page.getByRole('region', { name: title, exact: true })
  await card('Sold').getByText(`Closed: 1 Jan 2020 – 31 Dec 2024 · Owner: ${name}`).waitFor()
  await card('Sold').locator('.big-figure').getByText('0', { exact: true }).waitFor()
  await page.getByRole('combobox', { name: 'Period' }).selectOption({ label: 'Last 12 months' })
  const since = [won, { field: 'owner_id', operator: 'eq', value: owner_id }, { field: 'closed_at', operator: 'gte', value: '@month_start-11m' }]
  const { count } = (await api('POST', '/v1/deals/aggregate', { filters: since })).data[0]
  assert.ok(count > 0)
  await card('Sold').locator('.big-figure').getByText(String(count), { exact: true }).waitFor()
  // Days that lie ahead are of no period; a person is asked for all the same.
  await card('Ahead').getByText(`Period: its own · Owner: ${name}`).waitFor()
  await card('On the list').getByText('Created: Last 12 months').waitFor()
  await looked(page, 'reports-narrowed')
  await card('Sold').getByRole('link').click()
  await page.locator('.title-row .count').filter({ hasText: new RegExp(`^${count}$`) }).waitFor()
  assert.deepEqual(page.complaints, [])
  await page.context().close()
})

test('a report is saved as a file with exact numbers, and prints light, whole and without navigation', { timeout: 600_000 }, async () => {
  const page = await open('/app/reports?period=own&from=2020-01-01', { colorScheme: 'dark' })
  const saved = async (press) => {
    const [file] = await Promise.all([page.waitForEvent('download'), press()])
    const lines = readFileSync(await file.path(), 'utf8').split('\r\n')
    return { name: file.suggestedFilename(), lines }
  }
  const won = { filters: [{ field: 'status', operator: 'eq', value: 'won' }], group_by: ['closed_at:month'], metrics: ['sum:amount', 'count'] }
  const [first] = (await api('POST', '/v1/deals/aggregate', { ...won, order_by: 'closed_at:month', sort_direction: 'asc' })).data
  const months = await saved(() => page.getByRole('button', { name: 'Save Won by month as CSV' }).click())
  assert.equal(months.name, 'Won by month.csv')
  assert.equal(months.lines[0], '\ufeffMonth,Sum,Number,Currency')
  assert.ok(months.lines[1].endsWith(`,${first['sum:amount']},${first.count},${first.currency}`), months.lines[1])

  await api('POST', '/v1/reports', { name: 'Kept: sums', resource: 'deal', aggregate: { ...won, group_by: undefined }, chart: 'number', shared: true })
  await page.reload()
  await page.getByRole('region', { name: 'Kept: sums' }).locator('.big-figure').first().waitFor()
  const kept = await saved(async () => {
    await page.getByRole('button', { name: 'What to do with Kept: sums' }).click()
    await page.getByRole('menuitem', { name: 'Save as CSV' }).click()
  })
  assert.equal(kept.name, 'Kept- sums.csv')
  assert.match(kept.lines[1], /^Amount: sum,\d+\.\d{2,4},[A-Z]{3}$/)

  await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
  assert.equal(await page.getByRole('navigation', { name: 'Main' }).isVisible(), false)
  assert.equal(await page.getByRole('button', { name: 'New report' }).isVisible(), false)
  const paper = await page.evaluate(() => {
    const screen = document.querySelector('.screen')
    return { ground: getComputedStyle(document.querySelector('.panel')).backgroundColor, cut: screen.scrollHeight - screen.clientHeight }
  })
  assert.equal(paper.ground, 'rgb(255, 255, 255)')
  assert.ok(paper.cut <= 1, `${paper.cut} pixels are cut off`)
  assert.deepEqual(page.complaints, [])
  await page.context().close()
})
