// Screens and states that belong to no resource, looked at closely: the board, the palette, the settings with their dialogs, what became of files, what is empty, and what went wrong.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { api, colleague, demo, enter, looked, open } from './app.mjs'
import { base, startApp } from './browser.mjs'
import { close, due, found, prepare, see, tableOf, told, visit, whole } from './every.mjs'

test('the board, the palette, the account, and what is taken back', { timeout: 600_000 }, async () => {
  const page = await open('/app/deals?layout=board')
  await page.locator('.card').nth(3).waitFor()
  for (const [column, name] of [['.column.open', 'open'], ['.column.won', 'won'], ['.column.lost', 'lost']]) {
    await page.locator(`${column} .card button[aria-label^=Move]`).first().click()
    const menu = page.getByRole('menu')
    await menu.waitFor()
    await see(page, `board-menu-${name}`, { phones: false })
    await close(page, menu)
  }
  await page.getByRole('button', { name: 'Filter', exact: true }).click()
  await see(page, 'board-filter', { phones: false })
  await close(page, page.getByRole('dialog', { name: 'Add a filter' }))

  await page.keyboard.press('Control+k')
  const palette = page.getByRole('dialog', { name: 'Search everything' })
  await palette.waitFor()
  await see(page, 'palette-opened')
  await page.getByRole('combobox', { name: 'Search everything' }).fill('nobody is called this')
  await palette.getByText('Nothing found').waitFor()
  await see(page, 'palette-nothing')
  await close(page, palette)
  await page.getByRole('button', { name: /^Your account/ }).click()
  await page.getByRole('menu').waitFor()
  await see(page, 'account', { phones: false })
  await close(page, page.getByRole('menu'))

  const made = await api('POST', '/v1/contacts', { name: 'Gone Soon' })
  await visit(page, `/app/contacts/${made.id}`)
  await page.locator('.acts').getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.locator('.notice').filter({ hasText: 'Gone Soon was moved to the bin' }).waitFor()
  await see(page, 'notice')
  await visit(page, `/app/contacts/${made.id}`)
  await page.getByText('This record is in the bin.').waitFor()
  await see(page, 'in-bin')
  await page.context().close()
  told()
})

test('the settings, with what they ask and show once', { timeout: 600_000 }, async () => {
  await prepare()
  const page = await open('/app/settings')
  const app = await startApp('Field notes')
  await page.goto(app.ask('contact.read'))
  await Promise.all([page.waitForURL('**/done'), page.getByRole('button', { name: 'Allow' }).click()])
  app.close()
  await page.goto('/app/settings')
  await api('POST', '/v1/products/bulk', { filters: [], op: 'tag', data: { add: ['every'] } })
  await page.getByRole('navigation', { name: 'Settings' }).waitFor()
  const sections = await page.locator('.settings-nav a[href^="/app/settings/"]').evaluateAll((all) => all.map((a) => a.getAttribute('href')))
  assert.ok(sections.length > 10)
  for (const at of sections) {
    await visit(page, at)
    await see(page, `settings-${at.split('/').at(-1)}`)
  }
  const go = (section) => visit(page, `/app/settings/${section}`)
  const ask = async (button, name, shown, answer = 'Cancel') => {
    await button.click()
    const dialog = page.getByRole('dialog', { name })
    await dialog.waitFor()
    await see(page, shown)
    await dialog.getByRole('button', { name: answer, exact: true }).last().click()
    await dialog.waitFor({ state: 'detached' })
  }

  await go('people')
  const [other] = (await api('POST', '/v1/users/search', { filters: [{ field: 'email', operator: 'neq', value: demo.email }, { field: 'status', operator: 'eq', value: 'active' }], limit: 1 })).data
  await page.getByRole('button', { name: `Edit ${other.name}`, exact: true }).click()
  const person = page.getByRole('dialog', { name: other.name })
  await ask(person.getByRole('button', { name: 'Suspend' }), `Suspend ${other.name}`, 'people-suspend')
  await page.getByRole('button', { name: `Edit ${other.name}`, exact: true }).click()
  await ask(person.getByRole('button', { name: 'New link' }), `Hand this link to ${other.email}`, 'people-link', 'Done')
  await page.getByRole('button', { name: `Edit ${other.name}`, exact: true }).click()
  await ask(person.getByRole('button', { name: 'Delete' }), `Delete ${other.name}`, 'people-delete')

  await go('access')
  await ask(page.getByRole('button', { name: /^Revoke / }).first(), /^Revoke /, 'token-revoke')
  // Who logged in long ago is asked for the password.
  await page.route('**/v1/tokens', (route) => route.fulfill({ status: 403, contentType: 'application/problem+json', json: { code: 'confirmation_required', detail: 'Confirm.' } }), { times: 1 })
  await page.getByRole('button', { name: 'Make a token' }).click()
  await page.getByLabel('Name').fill('Never made')
  const making = page.getByRole('dialog', { name: 'Make a token' })
  await ask(making.getByRole('button', { name: 'Make a token' }), 'Confirm that it is you', 'confirm')
  await close(page, making)

  await go('connected')
  await ask(page.getByRole('button', { name: /^Disconnect / }).first(), /^Disconnect /, 'disconnect')
  await ask(page.getByRole('button', { name: 'Edit Shop window' }), 'Edit Shop window', 'app-edit')
  await ask(page.getByRole('button', { name: 'New secret for Shop window' }), 'New secret for Shop window', 'app-secret')
  await ask(page.getByRole('button', { name: 'Delete Shop window' }), 'Delete Shop window', 'app-delete')

  await go('own-fields')
  await page.getByLabel('Fields of').selectOption('activity')
  await see(page, 'fields-many')
  await ask(page.getByRole('button', { name: 'Edit Every select' }), 'Edit Every select', 'field-edit')

  await go('webhooks')
  await ask(page.getByRole('button', { name: 'Edit Ledger' }), 'Edit Ledger', 'webhook-edit')
  await page.getByRole('button', { name: 'Edit Ledger' }).click()
  await ask(page.getByRole('dialog', { name: 'Edit Ledger' }).getByRole('button', { name: 'New secret' }), 'The signing secret', 'webhook-secret', 'Close')
  await page.getByRole('button', { name: 'What was sent' }).last().click()
  await see(page, 'webhook-sent')

  await go('audit?about=refused&from=2020-01-01&to=2020-01-02')
  await page.getByText('Nothing like this has happened').waitFor()
  await see(page, 'audit-none')
  await page.context().close()
  told()
})

test('files that came in, and what became of them', { timeout: 600_000 }, async () => {
  const begin = async (file) => {
    const { id } = await api('POST', '/v1/imports', { resource: 'contact' })
    if (file) {
      const answer = await fetch(`${base}/v1/imports/${id}/file`, { method: 'PUT', headers: { authorization: `Bearer ${demo.token}`, version: 'v1', 'content-type': 'application/octet-stream' }, body: file })
      assert.equal(answer.status, 200, await answer.text())
    }
    return id
  }
  const done = async (id) => {
    for (;;) {
      const now = await api('GET', `/v1/imports/${id}`)
      if (!['previewing', 'running', 'undoing'].includes(now.status)) return now
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
  const id = await begin('Name,E-Mail\r\nEve Every,eve@every.example\r\nEarl Every,no address\r\n')
  await api('POST', `/v1/imports/${id}/run`)
  assert.equal((await done(id)).run.created, 1)
  const page = await open(`/app/import/${id}`)
  await page.getByRole('button', { name: 'Undo' }).waitFor()
  await see(page, 'import-done')
  await api('POST', `/v1/imports/${id}/undo`)
  assert.equal((await done(id)).status, 'undone')
  await page.reload()
  await page.getByText('Undone', { exact: true }).waitFor()
  await see(page, 'import-undone')
  await visit(page, `/app/import/${await begin()}`)
  await page.getByText('There is no file any more.').waitFor()
  await see(page, 'import-without-file')
  await visit(page, '/app/import')
  await page.getByRole('heading', { name: 'Earlier imports' }).waitFor()
  await see(page, 'import-earlier')
  await visit(page, '/app/import/import_01kh4xv1qcf0mvq8gk8d8mvxd9')
  await page.getByText('This import is not there any more.').waitFor()
  await see(page, 'import-gone')
  await page.context().close()
  told()
})

test('what is empty has something to say', { timeout: 600_000 }, async () => {
  execFileSync(process.env.KITH_TEST_BIN, ['business', 'create', '--name', 'Blank Page', '--admin-email', 'blanche@blank.example', '--admin-name', 'Blanche Page', '--admin-password', 'a quiet harbour'], { stdio: 'pipe' })
  const page = await enter('blanche@blank.example', 'a quiet harbour')
  const all = await page.evaluate(async () => (await (await fetch('/v1/schema', { headers: { Version: 'v1' } })).json()).resources)
  for (const r of all.filter((r) => r.name !== 'report')) {
    await visit(page, tableOf(r))
    await page.locator('.grid, .empty').first().waitFor()
    if ((await page.locator('.empty').count()) && due(`nothing there${['contact', 'association'].includes(r.name) ? r.name : ''}`)) await see(page, `empty-${r.name}`)
  }
  await visit(page, '/app/contacts?q=nobody')
  await page.getByText('No results').waitFor()
  await see(page, 'no-match')
  await visit(page, '/app/deals?layout=board')
  await page.getByText('Nothing here').first().waitFor()
  await see(page, 'empty-board')
  await visit(page, '/app/reports')
  await page.getByText('Nothing to count yet.').first().waitFor()
  await see(page, 'empty-reports')
  for (const at of ['own-fields', 'webhooks', 'access', 'connected', 'work', 'bin']) {
    await visit(page, `/app/settings/${at}`)
    await see(page, `empty-settings-${at}`)
  }
  // With one contact, and nothing to do.
  await page.evaluate(() => fetch('/v1/contacts', { method: 'POST', headers: { Version: 'v1', 'Content-Type': 'application/json' }, body: '{"name":"Only One"}' }))
  await page.goto('/app')
  await page.getByText('All done').waitFor()
  await see(page, 'empty-today')
  await page.getByRole('link', { name: 'Only One' }).click()
  await page.locator('.record .facts').waitFor()
  await page.getByRole('region', { name: 'Next step' }).getByText('Nothing planned').waitFor()
  await see(page, 'empty-related')
  await page.context().close()
  told()
})

test('what went wrong is told', { timeout: 600_000 }, async () => {
  const page = await open('/app')
  const down = { status: 503, contentType: 'application/problem+json', json: { code: 'database_unavailable', detail: 'The database cannot be reached, or cannot work at the moment. Nothing was written. Try again in a moment.' } }
  await visit(page, '/app/contacts/contact_01kh4xv1qcf0mvq8gk8d8mvxd9')
  await page.getByRole('heading', { name: 'This record does not exist' }).waitFor()
  await see(page, 'record-not-there')
  await visit(page, '/app/settings/nowhere')
  await page.getByRole('heading', { name: 'There is nothing here' }).waitFor()
  await see(page, 'settings-nowhere')
  await page.route('**/v1/companies/search', (route) => route.fulfill(down))
  await page.route('**/v1/search/batch', (route) => route.fulfill(down))
  await visit(page, '/app/companies').catch(() => {})
  await page.getByText('This could not be loaded').waitFor()
  await see(page, 'list-failed')
  await visit(page, '/app/companies/company_01kh4xv1qcf0mvq8gk8d8mvxd9').catch(() => {})
  await page.getByText('This could not be loaded').waitFor()
  await see(page, 'record-failed')
  await page.route('**/v1/audit/search', (route) => route.fulfill(down))
  await visit(page, '/app/settings/audit').catch(() => {})
  await page.getByRole('alert').waitFor()
  await see(page, 'audit-failed')

  // A form that the server refuses for a reason that is no field of it.
  await page.route('**/v1/products', (route) => route.fulfill(down))
  await visit(page, '/app/products')
  await page.getByRole('button', { name: 'New product' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('Never made')
  await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click()
  await page.locator('.notice.bad').waitFor()
  await see(page, 'form-failed')
  await close(page, page.getByRole('dialog'))

  await page.unrouteAll()
  await page.route('**/v1/me', (route) => route.abort())
  await page.reload()
  await page.getByText('This could not be loaded').waitFor()
  try {
    await looked(page, 'app-failed', { dark: whole, phones: false })
  } catch (error) {
    found.push(error.message)
  }
  await page.context().close()

  const viewer = await colleague('viewer', 'ewa@kith.example', { at: '/app/settings/business' })
  await viewer.getByRole('heading', { name: 'There is nothing here' }).waitFor()
  await see(viewer, 'settings-forbidden')
  await visit(viewer, '/app/webhooks')
  await viewer.getByRole('heading', { name: 'There is nothing here' }).waitFor()
  await see(viewer, 'list-forbidden')
  await viewer.context().close()
  told()
})
