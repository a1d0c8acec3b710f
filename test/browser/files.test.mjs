// The journey of a file that comes in, is looked at before anything is written, and is taken back.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { api, enter, looked, one, told } from './app.mjs'

const file = 'Name;E-Mail;Firma;Lieblingsfarbe;Notiz\r\nBodo Biber;bodo@biber.example;Biberbau GmbH;Blau;x\r\nBea Biber;keine Adresse;Biberbau GmbH;Rot;y\r\nBen Biber;ben@biber.example;;Grün;z\r\n'

test('a file is imported with a look before it, what is refused is told, and all of it is taken back', { timeout: 180_000 }, async () => {
  const page = await enter()
  await page.goto('/app/contacts')
  await page.getByRole('button', { name: 'Import' }).click()
  await page.getByRole('heading', { name: 'Import' }).waitFor()
  assert.equal(await page.getByLabel('What the rows are').inputValue(), 'contact')
  await looked(page, 'import')
  await page.getByLabel('Choose a file').setInputFiles({ name: 'leute.csv', mimeType: 'text/csv', buffer: Buffer.from(file, 'latin1') })
  await page.waitForURL(/\/app\/import\/import_/)
  const field = (column) => page.getByLabel(`Field of the column ${column}`)
  await field('E-Mail').waitFor()
  assert.equal(await field('E-Mail').inputValue(), 'email')
  assert.equal(await field('Firma').inputValue(), 'company.name')
  assert.ok(await page.getByRole('button', { name: 'Import 3 rows' }).isDisabled())
  await looked(page, 'mapping')
  await field('Lieblingsfarbe').selectOption({ label: 'Make a new field of it' })
  await page.waitForFunction(() => document.querySelector('[aria-label="Field of the column Lieblingsfarbe"]').value === 'custom_fields.lieblingsfarbe')
  await page.getByLabel('Kind of the new field of Lieblingsfarbe').selectOption({ label: 'One of several choices' })
  await page.waitForFunction(() => document.querySelector('[aria-label="Kind of the new field of Lieblingsfarbe"]').value === 'select')
  await field('Notiz').selectOption({ label: 'Not read' })
  await page.getByLabel('A row is about the record with the same').selectOption({ label: 'E-mail' })
  await page.waitForFunction(() => !document.querySelector('.import-foot .button.primary').hasAttribute('data-disabled'))
  await page.getByRole('button', { name: 'Try it' }).click()
  const preview = page.getByRole('region', { name: 'What would become of it' })
  await preview.getByText(/Row 2/).waitFor({ timeout: 60_000 })
  assert.equal((await api('POST', '/v1/contacts/search', { search_text: 'biber.example' })).data.length, 0)
  await looked(page, 'import-preview')
  await page.getByRole('button', { name: 'Import 3 rows' }).click()
  await page.getByRole('region', { name: 'What became of it' }).getByText(/Row 2/).waitFor({ timeout: 60_000 })
  const bodo = await one('contacts', 'email', 'bodo@biber.example')
  assert.equal(bodo.custom_fields.lieblingsfarbe, 'Blau')
  assert.equal((await one('fields', 'name', 'lieblingsfarbe')).kind, 'select')
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Refused rows as a file' }).click()])
  assert.match(readFileSync(await download.path()).toString(), /Bea Biber/)
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Taken back', { exact: true }).waitFor({ timeout: 60_000 })
  assert.equal(await one('contacts', 'email', 'bodo@biber.example'), undefined)
  assert.deepEqual(page.complaints, [])
  await page.context().close()
})
