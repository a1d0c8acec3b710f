// The journey of a webhook: made, tried, seen, sent again.

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { api, enter, looked, told } from './app.mjs'

test('a webhook is made, what it was sent is seen, and sent again', { timeout: 600_000 }, async () => {
  const got = []
  const receiver = createServer((request, response) => {
    let text = ''
    request.on('data', (piece) => (text += piece))
    request.on('end', () => {
      got.push(JSON.parse(text))
      response.end('thank you')
    })
  })
  await new Promise((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  const page = await enter()
  try {
    await page.goto('/app/settings/webhooks')
    await page.getByRole('button', { name: 'New webhook' }).click()
    const dialog = page.getByRole('dialog', { name: 'New webhook' })
    await dialog.getByLabel('Address').fill('ftp://nowhere')
    await dialog.getByRole('button', { name: 'Create' }).click()
    await dialog.locator('.field.wrong .error').getByText(/^Address /).waitFor()
    await dialog.getByLabel('Address').fill(`http://127.0.0.1:${receiver.address().port}/told`)
    await dialog.getByLabel('Name', { exact: true }).fill('Teller')
    await dialog.getByRole('radio', { name: 'Only of these' }).check()
    await dialog.getByRole('checkbox', { name: 'Contacts' }).check()
    await looked(page, 'webhook')
    await dialog.getByRole('button', { name: 'Create' }).click()
    const secret = page.getByRole('dialog', { name: 'The signing secret' })
    await secret.getByText(/^whsec_/).waitFor()
    await secret.getByRole('button', { name: 'Close' }).last().click()
    const made = await api('POST', '/v1/contacts', { name: 'Told of' })
    const own = page.getByRole('region', { name: 'Teller' })
    await own.getByRole('button', { name: 'What was sent' }).click()
    const list = page.getByRole('list', { name: 'What was sent' })
    await list.getByText('contact.created').first().waitFor({ timeout: 60_000 })
    await list.getByText('Delivered').or(list.getByText('delivered')).first().waitFor({ timeout: 60_000 })
    await list.locator('summary').first().click()
    await list.getByText('thank you').waitFor()
    await looked(page, 'webhooks')
    await list.getByRole('button', { name: 'Send again: contact.created' }).click()
    await told(page, 'It is being sent again')
    await list.getByText('again', { exact: true }).first().waitFor({ timeout: 60_000 })
    await own.getByRole('button', { name: 'Send a test' }).click()
    await told(page, 'The test is on its way')
    await list.getByText('webhook.test', { exact: true }).first().waitFor({ timeout: 60_000 })
    assert.ok(got.filter((e) => e.data?.record_id === made.id).length >= 2)
    assert.deepEqual(page.complaints, [])
  } finally {
    await page.context().close()
    receiver.close()
  }
})
