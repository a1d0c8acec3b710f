// The journey of a file that comes in, is looked at before anything is written, and is taken back.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { api, looked, one, open, told } from './app.mjs'

const file = 'Name;E-Mail;Firma;Lieblingsfarbe;Notiz\r\nBodo Biber;bodo@biber.example;Biberbau GmbH;Blau;x\r\nBea Biber;keine Adresse;Biberbau GmbH;Rot;y\r\nBen Biber;ben@biber.example;;Grün;z\r\n'

test('a file is imported with a look before it, what is refused is told, and all of it is taken back', { timeout: 600_000 }, async () => {
  const page = await open('/app/contacts')
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
  await page.getByText(/still to be decided above/).waitFor()
  await looked(page, 'mapping')
  await field('Lieblingsfarbe').selectOption({ label: 'Create a new field' })
  await page.waitForFunction(() => document.querySelector('[aria-label="Field of the column Lieblingsfarbe"]').value === 'custom_fields.lieblingsfarbe')
  await page.getByLabel('Kind of the new field of Lieblingsfarbe').selectOption({ label: 'Single choice' })
  await page.waitForFunction(() => document.querySelector('[aria-label="Kind of the new field of Lieblingsfarbe"]').value === 'select')
  assert.equal(await page.getByText('Blau', { exact: true }).count(), 1) // the examples stay
  await field('Notiz').selectOption({ label: 'Skip' })
  await page.getByLabel('Find existing records by').selectOption({ label: 'E-mail' })
  await page.waitForFunction(() => !document.querySelector('.import-foot .button.primary').hasAttribute('data-disabled'))
  await page.getByRole('button', { name: 'Preview', exact: true }).click()
  const preview = page.getByRole('region', { name: 'Preview' })
  await preview.getByRole('heading', { name: 'Choose once for all rows with the same value' }).waitFor({ timeout: 60_000 })
  await preview.getByText('1 row').waitFor()
  assert.equal((await api('POST', '/v1/contacts/search', { search_text: 'biber.example' })).data.length, 0)
  // What is wrong comes before the columns, which are decided already.
  const order = await page.locator('.import-body > section').evaluateAll((all) => all.map((s) => s.querySelector('h2').textContent))
  assert.deepEqual(order, ['Preview', 'Which column is which field', 'Reading the file'])
  await looked(page, 'import-preview')
  await page.getByRole('button', { name: 'Go on without this row' }).click()
  await page.getByRole('region', { name: 'Result' }).getByText('1 row').waitFor({ timeout: 60_000 })
  const bodo = await one('contacts', 'email', 'bodo@biber.example')
  assert.equal(bodo.custom_fields.lieblingsfarbe, 'Blau')
  assert.equal((await one('fields', 'name', 'lieblingsfarbe')).kind, 'select')
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Refused rows as a file' }).click()])
  assert.match(readFileSync(await download.path()).toString(), /Bea Biber/)
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Undone', { exact: true }).waitFor({ timeout: 60_000 })
  assert.equal(await one('contacts', 'email', 'bodo@biber.example'), undefined)
  assert.deepEqual(page.complaints, [])
  await page.context().close()
})

test('a file of another program is known by the names of its columns, and it is told what is not read', { timeout: 600_000 }, async () => {
  const page = await open('/app/import?of=deal')
  const deals = 'Deal - Title,Deal - Value,Deal - Stage,Deal - Status,Deal - Organization,Deal - Deal created,Deal - Weighted value\r\nLuchs 1,1200,Proposal,Won,Luchs AG,2026-01-02,600\r\n'
  await page.getByLabel('Choose a file').setInputFiles({ name: 'deals.csv', mimeType: 'text/csv', buffer: Buffer.from(deals) })
  await page.waitForURL(/\/app\/import\/import_/)
  const field = (column) => page.getByLabel(`Field of the column Deal - ${column}`)
  await field('Title').waitFor()
  assert.equal(await field('Stage').inputValue(), 'stage.name')
  assert.equal(await field('Status').evaluate((select) => select.selectedOptions[0].text), 'Status')
  await page.getByText('not read: it cannot be written').waitFor()
  await page.getByRole('button', { name: 'Skip all columns without a field' }).click()
  await page.getByRole('button', { name: 'Import 1 row' }).click()
  await page.getByRole('button', { name: 'Undo' }).waitFor({ timeout: 60_000 })
  assert.equal((await one('deals', 'name', 'Luchs 1')).status, 'won')
  assert.deepEqual(page.complaints, [])
  await page.context().close()
})

test('a cell that is wrong is corrected where it is told, and the corrected value is imported', { timeout: 600_000 }, async () => {
  const page = await open('/app/import?of=contact')
  await page.getByLabel('Choose a file').setInputFiles({ name: 'otter.csv', mimeType: 'text/csv', buffer: Buffer.from('Name,E-Mail\r\nOda Otter,oda@otter.example\r\nOle Otter,keine Adresse\r\n') })
  await page.waitForURL(/\/app\/import\/import_/)
  await page.getByRole('button', { name: 'Preview', exact: true }).click()
  const cell = page.getByLabel('Instead of keine Adresse in E-Mail')
  await cell.waitFor({ timeout: 60_000 })
  assert.equal(await cell.inputValue(), 'keine Adresse')
  await cell.fill('ole@otter.example')
  await cell.press('Enter')
  await page.getByText('Corrected: preview again').waitFor()
  await looked(page, 'import-correction')
  await page.getByRole('button', { name: 'Import 2 rows' }).click()
  await page.getByRole('region', { name: 'Result' }).waitFor({ timeout: 60_000 })
  await page.getByRole('button', { name: 'Undo' }).waitFor({ timeout: 60_000 })
  assert.equal((await one('contacts', 'email', 'ole@otter.example')).name, 'Ole Otter')
  assert.deepEqual(page.complaints, [])
  await page.context().close()
})

test('wrong values are told at once, each is chosen once for all its rows, and one goes on without the rest', { timeout: 600_000 }, async () => {
  const rows = Array.from({ length: 9 }, (_, i) => `Dora Dachs ${i},dachs${i}@dachs.example,${i % 3 ? 'Kunde' : 'Customer'},${i === 8 ? 'viel' : i}`)
  const page = await open('/app/import?of=contact')
  await page.getByLabel('Choose a file').setInputFiles({ name: 'dachs.csv', mimeType: 'text/csv', buffer: Buffer.from(['Name,E-Mail,Lifecycle stage,Lead score', ...rows].join('\r\n')) })
  await page.waitForURL(/\/app\/import\/import_/)
  // The e-mail tells who is meant.
  await page.waitForFunction(() => [...document.querySelectorAll('select')].some((s) => s.value === 'email' && s.closest('label')?.textContent.includes('Find existing records by')))
  await page.getByRole('button', { name: 'Preview', exact: true }).click()
  const stage = page.getByLabel('Instead of Kunde in Lifecycle stage')
  await stage.waitFor({ timeout: 60_000 })
  await page.getByText('Lifecycle stage · 6 rows').waitFor()
  await page.getByLabel('Instead of viel in Lead score').waitFor()
  await page.getByRole('button', { name: 'Go on without these 6 rows' }).waitFor()
  await looked(page, 'import-wrong-values')
  await stage.selectOption('Customer')
  await page.getByText('Corrected: preview again').waitFor()
  await page.getByRole('button', { name: 'Preview', exact: true }).click()
  await page.getByRole('button', { name: 'Go on without this row' }).click({ timeout: 60_000 })
  await page.getByRole('button', { name: 'Undo' }).waitFor({ timeout: 60_000 })
  const made = await api('POST', '/v1/contacts/search', { filters: [{ field: 'name', operator: 'starts_with', value: 'Dora Dachs' }], fields: ['name', 'lifecycle_stage.name'], limit: 100 })
  assert.deepEqual([...new Set(made.data.map((c) => c.lifecycle_stage.name))], ['Customer'])
  assert.equal(made.data.length, 8)
  assert.deepEqual(page.complaints, [])
  await page.context().close()
})

test('choices that a field lacks are made on the way where one says so', { timeout: 600_000 }, async () => {
  assert.equal((await api('POST', '/v1/fields', { resource: 'contact', name: 'fell', label: 'Fell', kind: 'select', options: [{ value: 'braun' }] })).status, 201)
  const page = await open('/app/import?of=contact')
  await page.getByLabel('Choose a file').setInputFiles({ name: 'marder.csv', mimeType: 'text/csv', buffer: Buffer.from('Name,E-Mail,Fell\r\nMia Marder,mia@marder.example,golden\r\n') })
  await page.waitForURL(/\/app\/import\/import_/)
  const choices = page.getByLabel('Values that are not among the choices of a field')
  await choices.selectOption({ label: 'Add them to the choices' })
  await page.waitForFunction(() => [...document.querySelectorAll('select')].some((s) => s.value === 'make'))
  await page.getByRole('button', { name: 'Import 1 row' }).click()
  await page.getByRole('button', { name: 'Undo' }).waitFor({ timeout: 60_000 })
  assert.equal((await one('contacts', 'email', 'mia@marder.example')).custom_fields.fell, 'golden')
  assert.deepEqual((await one('fields', 'name', 'fell')).options.map((o) => o.value), ['braun', 'golden'])
  assert.deepEqual(page.complaints, [])
  await page.context().close()
})

// packed is a zip of some texts, as they are.
function packed(files) {
  const parts = [], directory = []
  let at = 0
  for (const [name, text] of Object.entries(files)) {
    const data = Buffer.from(text)
    let crc = ~0
    for (const byte of data) for (let bit = 0, b = byte; bit < 8; bit++, b >>>= 1) crc = (crc >>> 1) ^ (0xedb88320 & -((crc ^ b) & 1))
    const about = Buffer.alloc(26)
    about.writeUInt16LE(10, 0)
    about.writeUInt32LE(~crc >>> 0, 10)
    about.writeUInt32LE(data.length, 14)
    about.writeUInt32LE(data.length, 18)
    about.writeUInt16LE(name.length, 22)
    const place = Buffer.alloc(14)
    place.writeUInt32LE(at, 10)
    directory.push(Buffer.from('PK\x01\x02\x0a\0', 'latin1'), about, place, Buffer.from(name))
    parts.push(Buffer.from('PK\x03\x04', 'latin1'), about, Buffer.from(name), data)
    at += 30 + name.length + data.length
  }
  const end = Buffer.alloc(18)
  const length = Buffer.concat(directory).length
  end.writeUInt16LE(Object.keys(files).length, 4)
  end.writeUInt16LE(Object.keys(files).length, 6)
  end.writeUInt32LE(length, 8)
  end.writeUInt32LE(at, 12)
  return Buffer.concat([...parts, ...directory, Buffer.from('PK\x05\x06', 'latin1'), end])
}

test('the archive of another business comes in, and is taken back', { timeout: 600_000 }, async () => {
  const id = '01kh4xv1qcf0mvq8gk8d8mvxd9'
  const other = packed({
    'business.json': `{"id":"business_${id}","name":"Dachsbau"}\n`, 'schema.json': '{"resources":[]}\n',
    'contacts.jsonl': `{"id":"contact_${id}","first_name":"Dora","last_name":"Dachs","name":"Dora Dachs","email":"dora@dachs.example"}\n`,
  })
  const page = await open('/app/import')
  await page.getByLabel('What the rows are').selectOption({ label: 'A whole business (archive)' })
  await page.getByLabel('Choose a file').setInputFiles({ name: 'business.zip', mimeType: 'application/zip', buffer: other })
  await page.waitForURL(/\/app\/import\/import_/)
  await page.getByRole('button', { name: 'Preview', exact: true }).click()
  await page.getByRole('region', { name: 'Preview' }).getByText('New').waitFor({ timeout: 60_000 })
  await looked(page, 'import-archive')
  assert.equal(await one('contacts', 'email', 'dora@dachs.example'), undefined)
  await page.getByRole('button', { name: /^Import \d+ rows?$/ }).click()
  await page.getByRole('button', { name: 'Undo' }).waitFor({ timeout: 60_000 })
  assert.equal((await one('contacts', 'email', 'dora@dachs.example')).name, 'Dora Dachs')
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Undone', { exact: true }).waitFor({ timeout: 60_000 })
  assert.equal(await one('contacts', 'email', 'dora@dachs.example'), undefined)
  assert.deepEqual(page.complaints, [])
  await page.context().close()
})
