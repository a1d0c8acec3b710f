// The inbox: who is mentioned, given something, or follows a record, is told; with two people.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { api, colleague, looked, one, open, wide } from './app.mjs'

test('a mention comes to the inbox of who is mentioned, and leads to the record', async () => {
  const deal = (await api('POST', '/v1/deals', { name: 'Mention me' })).id
  const nora = await colleague('member', 'nora@harbour.example', { viewport: wide })
  const page = await open(`/app/deals/${deal}`)
  const text = page.getByRole('textbox', { name: 'Note' })
  await text.fill('Please look, ')
  await text.press('End')
  await page.keyboard.type('@nor')
  const offered = page.getByRole('option', { name: 'Nora member' })
  await offered.waitFor()
  await looked(page, 'mention')
  await page.keyboard.press('Enter')
  assert.equal(await text.inputValue(), 'Please look, @Nora member ')
  await page.getByRole('button', { name: 'Add note' }).click()
  await page.getByText('Please look, @Nora member').waitFor()

  await nora.getByText('1 unread').first().waitFor({ state: 'attached' })
  await nora.getByRole('link', { name: /^Inbox/ }).click()
  const told = nora.getByRole('link', { name: /mentioned you · Mention me/ })
  await told.waitFor()
  await nora.getByText('Please look, @Nora member').waitFor()
  await looked(nora, 'inbox')
  await told.click()
  await nora.getByRole('heading', { name: 'Mention me' }).waitFor()
  await nora.getByText('1 unread').first().waitFor({ state: 'detached' })
})

test('who follows a deal is told that it is won; snoozes it, and marks all as read', async () => {
  const deal = (await api('POST', '/v1/deals', { name: 'Followed' })).id
  const otto = await colleague('member', 'otto@harbour.example', { viewport: wide, at: `/app/deals/${deal}` })
  await otto.getByRole('button', { name: 'Follow' }).click()
  await otto.getByRole('button', { name: 'Following' }).waitFor()
  await api('POST', `/v1/deals/${deal}/win`)
  const given = await one('users', 'email', 'otto@harbour.example')
  await api('POST', '/v1/tasks', { title: 'Send the papers', assignee_id: given.id })
  await otto.getByText('2 unread').first().waitFor({ state: 'attached' })
  await otto.getByRole('link', { name: /^Inbox/ }).click()
  const won = otto.getByRole('listitem').filter({ hasText: 'won the deal · Followed' })
  await won.waitFor()
  await otto.getByRole('listitem').filter({ hasText: 'gave this to you · Send the papers' }).waitFor()
  await won.getByRole('button', { name: 'Remind me later' }).click()
  await otto.getByRole('menuitem', { name: 'Tomorrow at 9' }).click()
  await won.waitFor({ state: 'detached' })
  await otto.getByRole('button', { name: 'Mark all as read' }).click()
  await otto.getByText('You are up to date').waitFor()
  await looked(otto, 'inbox-read')
  await otto.getByRole('button', { name: 'All', exact: true }).click()
  const papers = otto.getByRole('listitem').filter({ hasText: 'Send the papers' })
  await papers.getByRole('button', { name: 'Mark as unread' }).click()
  await otto.getByText('1 unread').first().waitFor({ state: 'attached' })
  await otto.goBack()
  await otto.getByRole('button', { name: 'Following' }).click()
  await otto.getByRole('button', { name: 'Follow', exact: true }).waitFor()
})

test('a task is told of when it is due', async () => {
  const { id } = await api('POST', '/v1/tasks', { title: 'Ring the harbour', due_at: new Date(Date.now() + 1_000).toISOString() })
  const due = { field: 'about_id', operator: 'eq', value: id }
  const come = { filters: [due, { field: 'at', operator: 'lte', value: '@now' }] }
  while ((await api('POST', '/v1/notifications/search', come)).data.length === 0) await new Promise((ready) => setTimeout(ready, 200))
  const page = await open('/app/inbox')
  const told = page.getByRole('link', { name: 'Task due · Ring the harbour' })
  await told.waitFor()
  await looked(page, 'inbox-due')
  await told.click()
  await page.getByRole('heading', { name: 'Ring the harbour' }).waitFor()
})

test('what one does not want to be told of does not come', async () => {
  const page = await colleague('member', 'pia@harbour.example', { viewport: wide, at: '/app/settings' })
  const given = page.getByRole('checkbox', { name: 'Something is given to you' })
  await given.scrollIntoViewIfNeeded()
  await looked(page, 'settings-told')
  const saved = page.waitForResponse((r) => r.url().endsWith('/v1/me') && r.request().method() === 'PATCH')
  await given.uncheck()
  assert.equal((await saved).status(), 200)
  const { id } = await one('users', 'email', 'pia@harbour.example')
  await api('POST', '/v1/deals', { name: 'Given quietly', owner_id: id })
  const deal = await api('POST', '/v1/deals', { name: 'Told aloud' })
  await api('POST', '/v1/notes', { body: `@[${id}]`, deal_id: deal.id })
  await page.goto('/app/inbox')
  await page.getByRole('link', { name: /mentioned you · Told aloud/ }).waitFor()
  assert.equal(await page.getByText('Given quietly').count(), 0)
  await page.goto('/app/settings')
  await given.waitFor()
  assert.equal(await given.isChecked(), false)
})
