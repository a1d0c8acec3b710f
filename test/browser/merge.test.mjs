// Two records of one person become one, and two again.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { api, looked, open, tabTo, told } from './app.mjs'

test('two records of one person are merged, looked at where they went, and separated', { timeout: 600_000 }, async () => {
  const company = await api('POST', '/v1/companies', { name: 'Twin Peaks Timber' })
  const stays = await api('POST', '/v1/contacts', { first_name: 'Mia', last_name: 'Meadow', email: 'mia@twin.test', job_title: 'Buyer' })
  const goes = await api('POST', '/v1/contacts', { first_name: 'Mia', last_name: 'Meadows', email: 'Mia@twin.test', job_title: 'Head of buying', phone: '+49 30 765432', company_id: company.id })
  const task = await api('POST', '/v1/tasks', { title: 'Ask Mia', contact_id: goes.id })
  const now = (path) => api('GET', `/v1/${path}`)
  const page = await open(`/app/contacts/${stays.id}`)
  const dialog = page.getByRole('dialog', { name: 'Merge into Mia Meadow' })
  const begin = async () => {
    await page.locator('.acts').getByRole('button', { name: 'More', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Merge' }).click()
    await dialog.waitFor()
  }

  // Who may be the same is proposed; what it would do is told, and either value can be kept.
  await begin()
  await dialog.getByText('alike by E-mail').waitFor()
  await dialog.getByRole('radio', { name: /^Mia Meadows/ }).click()
  await dialog.getByText('Comes along: 1 task').waitFor()
  await dialog.getByText('Takes over:').getByText('Twin Peaks Timber').waitFor()
  await dialog.getByRole('radio', { name: 'Job title: Head of buying' }).click()
  await looked(page, 'merge')
  assert.equal((await now(`contacts/${stays.id}`)).job_title, 'Buyer', 'nothing is done before it is confirmed')
  await dialog.getByRole('button', { name: 'Merge', exact: true }).click()
  await told(page, 'Mia Meadows is part of Mia Meadow now')
  const merged = await now(`contacts/${stays.id}`)
  assert.deepEqual([merged.job_title, merged.phone, merged.company_id, (await now(`tasks/${task.id}`)).contact_id], ['Head of buying', '+49 30 765432', company.id, stays.id])
  const story = page.getByRole('list', { name: 'Timeline' })
  await story.getByText('The other was Mia Meadows').waitFor()
  await story.getByText('Company Twin Peaks Timber').waitFor()

  // The other says where it went, and comes back from there.
  await page.goto(`/app/contacts/${goes.id}`)
  await page.getByText('This record was merged into Mia Meadow.').waitFor()
  await looked(page, 'merged')
  await page.getByRole('button', { name: 'Undo the merge' }).click()
  await told(page, 'Mia Meadows was restored')
  await page.getByText('This record was merged into').waitFor({ state: 'detached' })
  assert.deepEqual([(await now(`contacts/${stays.id}`)).job_title, (await now(`tasks/${task.id}`)).contact_id], ['Buyer', goes.id])

  // By keys: who is not the same is not proposed again, and anybody else can be chosen.
  await page.goto(`/app/contacts/${stays.id}`)
  await tabTo(page, page.locator('.acts').getByRole('button', { name: 'More', exact: true }))
  await page.keyboard.press('Enter')
  await page.getByRole('menu').waitFor()
  await page.keyboard.type('Merge')
  await page.keyboard.press('Enter')
  await tabTo(page, dialog.getByRole('button', { name: 'Mia Meadows is not the same' }))
  await page.keyboard.press('Enter')
  await dialog.getByText('May be the same').waitFor({ state: 'detached' })
  assert.deepEqual((await api('POST', '/v1/contacts/duplicates/search', { id: stays.id })).data, [])
  await tabTo(page, dialog.getByRole('combobox', { name: 'Merge with' }))
  await page.keyboard.type('Mia Meadow') // which is also the name of the one that stays
  await page.waitForFunction(() => document.querySelectorAll('[role=option]').length === 1)
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await dialog.getByText('Comes along: 1 task').waitFor()
  await tabTo(page, dialog.getByRole('button', { name: 'Merge', exact: true }))
  await page.keyboard.press('Enter')
  await told(page, 'Mia Meadows is part of Mia Meadow now')
  await page.locator('.notice').getByRole('button', { name: 'Undo' }).click()
  await told(page, 'Mia Meadows and Mia Meadow are two again')
  assert.equal((await now(`contacts/${goes.id}`)).id, goes.id)
  assert.deepEqual(page.complaints, [])
  await page.context().close()
})

test('choices are shown to who asks for them, by mouse and by keys, and cover nothing before', { timeout: 600_000 }, async () => {
  const lone = await api('POST', '/v1/companies', { name: 'Lone Larch' })
  await api('POST', '/v1/companies', { name: 'Lonely Lark' })
  const page = await open(`/app/companies/${lone.id}`)
  await page.route('**/v1/companies/search', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 500)) // as a slow network
    await route.continue()
  })
  const begin = async () => {
    await page.locator('.acts').getByRole('button', { name: 'More', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Merge' }).click()
  }
  const dialog = page.getByRole('dialog', { name: 'Merge into Lone Larch' })
  const box = dialog.getByRole('combobox', { name: 'Merge with' })
  const list = page.locator('.combo-list')
  await begin()
  await page.waitForFunction(() => document.activeElement?.getAttribute('role') === 'combobox')
  assert.equal(await list.count(), 0, 'it opened by itself')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'detached' })

  await begin()
  await box.click()
  await list.getByRole('option').first().waitFor()
  await page.keyboard.press('Escape')
  await list.waitFor({ state: 'detached' })
  await page.keyboard.press('ArrowDown')
  await list.getByRole('option').first().waitFor()
  await page.keyboard.press('Escape')
  await list.waitFor({ state: 'detached' })
  await page.keyboard.type('lonely')
  await list.getByRole('option', { name: 'Lonely Lark' }).click()
  await dialog.getByRole('columnheader', { name: 'The other', exact: true }).waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'detached' })
  assert.deepEqual(page.complaints, [])
  await page.unrouteAll({ behavior: 'wait' })
  await page.context().close()
})
