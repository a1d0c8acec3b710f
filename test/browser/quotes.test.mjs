// A quote from its first line to the customer's yes: written in the app, sent, shared, accepted on its public page by somebody without an account, and revised.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { inflateSync } from 'node:zlib'
import { test } from 'node:test'
import { api, browser, looked, open, told, wide } from './app.mjs'
import { look, newPage } from './browser.mjs'

// printed is the text on a PDF: each string that a page shows, whose codes are those of Unicode.
function printed(pdf) {
  const said = []
  for (let at = 0; (at = pdf.indexOf('stream\n', at)) >= 0; at += 7) {
    if (pdf.subarray(at - 3, at).toString() === 'end') continue
    let page
    try {
      page = inflateSync(pdf.subarray(at + 7, pdf.indexOf('endstream', at)), { finishFlush: 2 }).toString('latin1')
    } catch {
      continue // a picture, or something else that is no page
    }
    for (const [, text] of page.matchAll(/\(((?:\\.|[^\\)])*)\)\s*Tj/gs)) {
      const raw = Buffer.from(text.replace(/\\([nrtbf()\\])/gs, (_, c) => ({ n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' })[c] ?? c), 'latin1')
      said.push(raw.swap16().toString('utf16le'))
    }
  }
  return said.join('\n')
}

test('a quote is written, sent, accepted by its customer, and revised', { timeout: 600_000 }, async () => {
  const product = await api('POST', '/v1/products', { name: 'Tower crane', sku: 'TC-1', price: '1234.5', tax_rate: 20, currency: 'EUR', description: 'With its hook' })
  assert.equal(product.status, 'active', JSON.stringify(product))
  const company = await api('POST', '/v1/companies', { name: 'Lind & Sons' })
  const made = await api('POST', '/v1/quotes', { title: 'Cranes for the quay', company_id: company.id, currency: 'EUR', valid_until: '2099-12-31' })
  const quote = async () => api('GET', `/v1/quotes/${made.id}`)

  const page = await open(`/app/quotes/${made.id}`)
  const lines = page.getByRole('form', { name: 'Lines' })
  await lines.getByText('There is nothing on this quote yet').waitFor()
  await lines.getByRole('combobox', { name: 'Add a product' }).fill('tower')
  await page.getByRole('option', { name: /Tower crane/ }).click()
  const part = (line, name) => lines.getByRole('textbox', { name: `Line ${line}: ${name}`, exact: true })
  // What is typed next is how many, in place of the one that stands there.
  await page.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'Line 1: Quantity')
  await page.keyboard.type('2')
  assert.equal(await part(1, 'Quantity').inputValue(), '2')
  await part(1, 'Discount').fill('10')
  // By keys alone: a line of one's own, with numbers as people of other countries type them.
  await lines.getByRole('button', { name: 'Add a line' }).focus()
  await page.keyboard.press('Enter')
  await page.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'Line 2: Name')
  await page.keyboard.type('Delivery')
  await part(2, 'Unit price').fill('0,335')
  await part(2, 'Quantity').fill('3')
  const sums = lines.locator('.sums')
  await sums.getByText('€2,667.53').waitFor()
  assert.match((await sums.innerText()).replaceAll('\n', ' '), /Subtotal €2,470\.01.*€246\.90.*€444\.42.*Total €2,667\.53/)
  assert.equal(await page.getByRole('button', { name: 'Mark as sent', exact: true }).isDisabled(), true, 'what is not saved is not sent')
  await looked(page, 'quote-editing')
  await part(2, 'Unit price').fill('abc')
  await lines.getByRole('button', { name: 'Save lines' }).click()
  await lines.getByRole('alert').getByText(/^Unit price/).waitFor()
  await part(2, 'Unit price').fill('0.335')
  await lines.getByRole('button', { name: 'Move Delivery up' }).click()
  // A line in which nothing was typed is left out, and what another lacks is said under it.
  for (const _ of [3, 4]) await lines.getByRole('button', { name: 'Add a line' }).click()
  await part(4, 'Description').fill('In boxes')
  await part(4, 'Unit price').fill('1')
  await lines.getByRole('button', { name: 'Save lines' }).click()
  await lines.getByRole('alert').getByText('Fill in Name.', { exact: true }).waitFor()
  await page.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'Line 3: Name')
  await looked(page, 'quote-line-without-a-name')
  await lines.getByRole('button', { name: 'Remove Line 3' }).click()
  await lines.getByRole('button', { name: 'Add a line' }).click()
  await lines.getByRole('button', { name: 'Save lines' }).click()
  await told(page, 'Line items saved')
  const kept = await quote()
  assert.deepEqual([kept.subtotal, kept.discount_total, kept.tax_total, kept.total], ['2470.01', '246.90', '444.42', '2667.53'], 'the sums are those of the server')
  assert.deepEqual(kept.line_items.map((l) => [l.name, l.sku, l.description]), [['Delivery', null, null], ['Tower crane', 'TC-1', 'With its hook']])

  await page.getByRole('button', { name: 'Mark as sent', exact: true }).click()
  await told(page, 'Cranes for the quay is marked as sent. It was not e-mailed.')
  await lines.waitFor({ state: 'detached' }) // what was sent is not edited
  const dialog = page.getByRole('dialog', { name: 'Customer’s link' })
  await page.locator('.notice').getByRole('button', { name: 'Customer’s link' }).click()
  await dialog.getByRole('button', { name: 'Make the link' }).waitFor()
  await page.keyboard.press('Escape')
  await page.setViewportSize({ width: 1440, height: 900 }) // where three columns stand beside each other, the totals are in sight as well
  assert.equal(await page.getByRole('region', { name: 'Line items' }).evaluate((e) => e.scrollWidth - e.clientWidth), 0)
  await page.setViewportSize(wide)
  const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'PDF', exact: true }).click()])
  assert.equal(file.suggestedFilename(), `quote-${made.number}.pdf`)
  const pdf = readFileSync(await file.path())
  assert.equal(pdf.subarray(0, 5).toString(), '%PDF-')
  const paper = printed(pdf)
  for (const text of ['Lindqvist Coffee Supply', 'Lind & Sons', 'Cranes for the quay', 'Tower crane', 'With its hook', 'Delivery', '2,470.01', '444.42', '2,667.53', String(made.number)]) assert.ok(paper.includes(text), `the paper has no ${text}: ${paper}`)

  await page.getByRole('button', { name: 'Customer’s link' }).click()
  await dialog.getByRole('button', { name: 'Make the link' }).click()
  const link = await dialog.getByRole('textbox', { name: 'Customer’s link' }).inputValue()
  assert.match(link, /\/quote\/kith_quote_\w{71}$/)
  await looked(page, 'quote-link', { phones: false })
  await page.keyboard.press('Escape')

  const customer = await newPage(browser)
  const answer = await customer.goto(link)
  const headers = answer.headers()
  assert.match(headers['content-security-policy'], /default-src 'none'/)
  assert.doesNotMatch(headers['content-security-policy'], /script-src/)
  assert.equal(headers['cache-control'], 'no-store')
  assert.equal(headers['x-robots-tag'], 'noindex, nofollow')
  await customer.getByRole('heading', { name: 'Cranes for the quay' }).waitFor()
  assert.match(await customer.locator('main').innerText(), /EUR\s2,667\.53/)
  await look(customer, 'quote-1-open')
  await customer.getByRole('button', { name: 'Accept this quote' }).click()
  assert.match(await customer.locator('h1').innerText(), /Cranes/, 'a name is needed')
  await customer.getByLabel('Your name').fill('Ada Lind')
  await Promise.all([customer.waitForEvent('domcontentloaded'), customer.getByRole('button', { name: 'Accept this quote' }).click()])
  await customer.getByText('This quote is accepted').waitFor()
  await look(customer, 'quote-2-accepted')
  assert.deepEqual(await customer.context().cookies(), [], 'the page leaves no cookie')
  await customer.goto(link.slice(0, -1) + (link.endsWith('x') ? 'y' : 'x'))
  await look(customer, 'quote-3-gone')
  assert.deepEqual(customer.complaints, [])
  await customer.context().close()

  const sold = await quote()
  assert.deepEqual([sold.status, sold.accepted_by], ['accepted', 'Ada Lind'])
  // Whose own the quote is need not look for it.
  const [answered] = (await api('POST', '/v1/notifications/search', { filters: [{ field: 'kind', operator: 'eq', value: 'followed' }], order_by: 'at', sort_direction: 'desc' })).data
  assert.deepEqual([answered.event, answered.about_id, answered.actor_id], ['quote.accepted', sold.id, null])
  await page.reload()
  await page.getByRole('list', { name: 'Timeline' }).getByText('The customer', { exact: true }).waitFor()
  await looked(page, 'quote-accepted', { phones: false })
  await page.getByRole('button', { name: 'Revise', exact: true }).click()
  await lines.waitFor()
  assert.equal(await part(2, 'Name').inputValue(), 'Tower crane')
  assert.deepEqual(page.complaints, [])
  await page.context().close()
})

test('a quote that is begun from a deal has its lines', { timeout: 600_000 }, async () => {
  const made = (name) => api('POST', '/v1/products', { name, sku: name, price: '100', tax_rate: 20, currency: 'USD' })
  const [chair, stool] = [await made('Oak chair'), await made('Oak stool')]
  const company = await api('POST', '/v1/companies', { name: 'Oak & Elm' })
  const deal = await api('POST', '/v1/deals', {
    name: '40 oak chairs',
    company_id: company.id,
    currency: 'USD',
    line_items: [
      { product_id: chair.id, quantity: '40', unit_price: '90', discount_percent: 5, description: 'Oiled' },
      { product_id: stool.id, quantity: '2' },
      { name: 'Delivery', unit_price: '49.5', tax_rate: 7 },
    ],
  })
  await api('PATCH', `/v1/products/${stool.id}`, { status: 'archived' })
  const page = await open(`/app/deals/${deal.id}`)
  const form = page.getByRole('dialog', { name: 'New quote' })
  const begin = async () => {
    await page.getByRole('button', { name: 'New quote', exact: true }).first().click()
    await form.getByText('Line items: 3 are taken over').waitFor()
  }
  const quote = async () => {
    await page.waitForURL('**/app/quotes/*')
    return api('GET', `/v1/quotes/${page.url().split('/').at(-1)}`)
  }
  const told3 = (q) => [q.title, q.currency, ...q.line_items.map((l) => [l.name, l.product_id ?? null, l.description ?? null, l.quantity, l.unit_price, l.discount_percent, l.tax_rate].map(String).join(' '))]
  await begin()
  await looked(page, 'quote-from-deal')
  await form.getByRole('button', { name: 'Create', exact: true }).click()
  const first = await quote()
  assert.deepEqual(told3(first), told3({ ...deal, title: deal.name, line_items: deal.line_items.map((l) => (l.product_id === stool.id ? { ...l, product_id: null } : l)) }))
  await page.getByRole('form', { name: 'Lines' }).waitFor()

  // Beside the deal an amount says its currency itself; in another currency the numbers stay.
  await page.goBack()
  const beside = page.getByRole('region', { name: 'Quotes' })
  await beside.getByText('US$').waitFor()
  assert.doesNotMatch(await beside.innerText(), /USD/)
  await looked(page, 'quote-beside-deal')
  await begin()
  await form.getByLabel('Currency').fill('EUR')
  await form.getByRole('button', { name: 'Create', exact: true }).click()
  const second = await quote()
  assert.deepEqual([second.currency, second.line_items.map((l) => l.unit_price)], ['EUR', ['90.00', '100.00', '49.50']])
  assert.deepEqual(page.complaints, [])
  await page.context().close()
})

test('lines of a deal are edited; who was slower is told calmly, and who leaves is asked', { timeout: 600_000 }, async () => {
  const made = await api('POST', '/v1/deals', { name: 'Cranes for the pier', currency: 'EUR', amount: '5' })
  const deal = async () => api('GET', `/v1/deals/${made.id}`)
  const page = await open(`/app/deals/${made.id}`)
  await page.getByRole('button', { name: 'Add products and lines' }).click()
  const lines = page.getByRole('form', { name: 'Lines' })
  const part = (line, name) => lines.getByRole('textbox', { name: `Line ${line}: ${name}`, exact: true })
  await lines.getByRole('button', { name: 'Add a line' }).click()
  await part(1, 'Name').fill('Small crane')
  await part(1, 'Unit price').fill('100')
  await part(1, 'Quantity').fill('3')
  await part(1, 'Discount').fill('50')
  await lines.locator('.sums').getByText('€150.00').waitFor()
  await looked(page, 'deal-lines')

  // Somebody else changes the deal meanwhile.
  await api('PATCH', `/v1/deals/${made.id}`, { name: 'Cranes for the long pier' })
  await lines.getByRole('button', { name: 'Save lines' }).click()
  const dialog = page.getByRole('dialog', { name: /was changed meanwhile/ })
  await dialog.getByText('changed Name').waitFor()
  await looked(page, 'deal-lines-conflict', { phones: false })
  await dialog.getByRole('button', { name: 'Use mine' }).click()
  await told(page, 'Line items saved')
  const kept = await deal()
  assert.deepEqual([kept.name, kept.amount, kept.line_items.map((l) => l.name)], ['Cranes for the long pier', '150.00', ['Small crane']])
  // What is saved is a summary again, which opens for editing where it stands.
  const short = page.getByRole('region', { name: 'Line items' })
  await short.getByText('3 × Small crane').waitFor()
  await short.getByText('less 50%').waitFor()
  assert.equal(await lines.count(), 0)
  await looked(page, 'deal-lines-short')
  const edit = short.getByRole('button', { name: 'Edit lines' })
  await edit.click()
  await page.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'Line 1: Name')
  await lines.getByRole('button', { name: 'Close', exact: true }).click()
  await edit.click()

  // By a link, by the browser's own button: what is not saved asks.
  await part(1, 'Quantity').fill('4')
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Contacts', exact: true }).click()
  const leave = page.getByRole('dialog', { name: 'Leave without saving?' })
  await looked(page, 'leaving', { phones: false })
  await leave.getByRole('button', { name: 'Stay here' }).click()
  assert.equal(await part(1, 'Quantity').inputValue(), '4')
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Contacts', exact: true }).click()
  await leave.getByRole('button', { name: 'Save', exact: true }).press('Enter')
  await page.waitForURL('**/app/contacts')
  assert.equal((await deal()).amount, '200.00')
  await page.goBack()
  await short.getByText('€200.00').first().waitFor()
  await edit.click()
  await part(1, 'Quantity').fill('5')
  await page.goForward()
  await leave.getByRole('button', { name: 'Discard' }).click()
  await leave.waitFor({ state: 'hidden' })
  await page.waitForURL('**/app/contacts')
  assert.equal((await deal()).amount, '200.00')

  // Of many the first are shown, and a deal that is closed shows the others without being edited.
  const line_items = Array.from({ length: 5 }, (_, i) => ({ name: `Hook ${i + 1}`, quantity: '1', unit_price: '10' }))
  const closed = await api('POST', '/v1/deals', { name: 'Hooks', currency: 'EUR', line_items })
  await api('POST', `/v1/deals/${closed.id}/win`, {})
  await page.goto(`/app/deals/${closed.id}`)
  await short.getByText('and 2 more').waitFor()
  await short.getByText('€50.00').waitFor()
  assert.equal(await page.getByText('Hook 5').count(), 0)
  await short.getByRole('button', { name: 'Show all' }).click()
  await page.getByRole('cell', { name: 'Hook 5' }).waitFor()
  assert.deepEqual(page.complaints, [])
  await page.context().close()
})
