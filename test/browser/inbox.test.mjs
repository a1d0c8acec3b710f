// The inbox: who is mentioned, given something, or follows a record, is told; with two people.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { api, colleague, looked, one, open, wide } from './app.mjs'

test('a mention comes to the inbox of who is mentioned, and leads to the record', async () => {
  const deal = (await api('POST', '/v1/deals', { name: 'Mention me' })).id
  const nora = await colleague('member', 'nora@harbour.example', { viewport: wide })
  const page = await open(`/app/deals/${deal}`)
  const text = page.getByRole('textbox', { name: 'Note' })
  await text.fill('Please look at what they wrote about the delivery, ')
  await text.press('End')
  await page.keyboard.type('@nor')
  const offered = page.getByRole('option', { name: 'Nora member' })
  await offered.waitFor()
  await looked(page, 'mention')
  await page.keyboard.press('Enter')
  assert.equal(await text.inputValue(), 'Please look at what they wrote about the delivery, @Nora member ')
  await page.getByRole('button', { name: 'Add note' }).click()
  await page.getByText('Please look at what they wrote about the delivery, @Nora member').waitFor()
  // Also where a title is the beginning of the text, nobody reads an id.
  assert.doesNotMatch(await page.getByRole('list', { name: 'Timeline' }).innerText(), /user_/)

  await nora.getByText('1 unread').first().waitFor({ state: 'attached' })
  await nora.getByRole('link', { name: /^Inbox/ }).click()
  const told = nora.getByRole('link', { name: /mentioned you · Mention me/ })
  await told.waitFor()
  await nora.getByText('Please look at what they wrote about the delivery, @Nora member').waitFor()
  await looked(nora, 'inbox')
  assert.doesNotMatch(await nora.locator('main').innerText(), /user_/)
  await told.click()
  await nora.getByRole('heading', { name: 'Mention me' }).waitFor()
  await nora.getByText('1 unread').first().waitFor({ state: 'detached' })
})

test('a note is answered under it, by mouse and keys; what was begun is kept, and a mention in an answer leads to it', async () => {
  const deal = (await api('POST', '/v1/deals', { name: 'Answer me' })).id
  const first = await api('POST', '/v1/notes', { body: 'They want to see the boat.', deal_id: deal })
  for (let i = 0; i < 40; i++) await api('PATCH', `/v1/deals/${deal}`, { probability: i + 1, next_step: `Step ${i}` })
  for (let i = 0; i < 31; i++) await api('POST', '/v1/tasks', { title: `Errand ${i}`, deal_id: deal })
  const second = await api('POST', '/v1/notes', { body: 'They came twice.', deal_id: deal })
  const nadia = await colleague('member', 'nadia@harbour.example', { viewport: wide })
  const page = await open(`/app/deals/${deal}`)
  const note = page.locator(`[id="${second.id}"]`)
  await note.getByRole('button', { name: 'Reply' }).click()
  const box = note.getByRole('textbox', { name: 'Reply' })
  await page.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'Reply')
  await page.keyboard.type('Once at dawn, ')
  await looked(page, 'answering')
  // Who leaves finds it again, and Escape only closes it.
  await page.keyboard.press('Escape')
  await page.waitForFunction(() => document.activeElement?.textContent.includes('Reply'))
  await page.reload()
  assert.equal(await box.inputValue(), 'Once at dawn, ')
  await box.focus()
  await page.keyboard.press('End')
  await page.keyboard.type('@nad')
  await page.getByRole('option', { name: 'Nadia member' }).waitFor()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Control+Enter')
  const answers = note.getByRole('list', { name: 'Replies' }).getByRole('listitem')
  await answers.getByText('Once at dawn, @Nadia member').waitFor()
  const made = await one('notes', 'in_reply_to_id', second.id)
  assert.equal(made.deal_id, deal)
  assert.equal(await page.locator('.timeline').getByText('Once at dawn').count(), 1, 'it stands under its note alone')
  // By mouse another one; of many the last are shown, the oldest first.
  await note.getByRole('button', { name: 'Reply' }).click()
  await box.fill('And once at dusk')
  await note.getByRole('button', { name: 'Add reply' }).click()
  await answers.nth(1).waitFor()
  for (const body of ['Third', 'Fourth', 'Fifth']) await api('POST', '/v1/notes', { body, in_reply_to_id: second.id })
  await answers.getByText('Fifth').waitFor()
  assert.deepEqual(await answers.locator('.rich').allInnerTexts(), ['Third', 'Fourth', 'Fifth'])
  await note.getByRole('button', { name: '2 earlier replies' }).click()
  assert.equal((await answers.locator('.rich').allInnerTexts())[1], 'And once at dusk')
  await looked(page, 'answers')

  // The mention leads to the answer, also where it waits behind later ones, or far down.
  await nadia.goto('/app/inbox')
  await nadia.getByRole('link', { name: /mentioned you · Answer me/ }).click()
  await nadia.waitForURL(`**/app/deals/${deal}#${made.id}`)
  await nadia.locator(`[id="${made.id}"].meant`).waitFor()
  await nadia.waitForFunction((id) => { const { top, bottom } = document.getElementById(id).getBoundingClientRect(); return top >= 0 && bottom <= innerHeight }, made.id)
  await nadia.goto(`/app/deals/${deal}#${first.id}`)
  await nadia.locator(`[id="${first.id}"].meant`).getByText('They want to see the boat.').waitFor()
  await nadia.waitForFunction((id) => { const { top, bottom } = document.getElementById(id).getBoundingClientRect(); return top >= 0 && bottom <= innerHeight }, first.id)
  assert.deepEqual(nadia.complaints, [])
  assert.deepEqual(page.complaints, [])
  // Who may not write notes reads the answers, and has no button for one.
  const vito = await colleague('viewer', 'vito@harbour.example', { at: `/app/deals/${deal}` })
  await vito.getByText('Fifth').waitFor()
  assert.equal(await vito.getByRole('button', { name: 'Reply' }).count(), 0)
  await vito.context().close()
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

test('of a job one is told by what it did, and led to where that is seen', async () => {
  const contact = await api('POST', '/v1/contacts', { first_name: 'Jobbed' })
  const mine = { filters: [{ field: 'id', operator: 'eq', value: contact.id }], op: 'tag', data: { add: ['jobbed'] } }
  const job = await api('POST', '/v1/contacts/bulk', mine)
  const reminder = await api('POST', '/v1/notifications', { text: 'Look after it' })
  const page = await open('/app')
  // as of one that took a while, which this one does not
  await page.route('**/v1/notifications/search', async (route) => {
    const answer = await route.fetch({ headers: { ...route.request().headers(), 'sec-fetch-site': 'same-origin' } })
    const list = await answer.json()
    const data = list.data.map((n) =>
      n.id === reminder.id ? { ...n, kind: 'job', text: null, job_id: job.id, event: 'job.succeeded' } : n,
    )
    await route.fulfill({ response: answer, json: { ...list, data } })
  })
  await page.goto('/app/inbox')
  const told = page.getByRole('link', { name: 'Background job done · Bulk tagging · Contacts' })
  await told.waitFor()
  await looked(page, 'inbox-job')
  await told.click()
  await page.getByText('Longer tasks of the last 30 days').waitFor()
  await page.unrouteAll({ behavior: 'wait' })
})

test('what one does not want to be told of does not come', async () => {
  const page = await colleague('member', 'pia@harbour.example', { viewport: wide })
  // as with a mail server, which the one of the tests has none
  await page.route('**/v1/me', async (route) => {
    if (route.request().method() !== 'GET') return route.continue()
    const answer = await route.fetch({ headers: { ...route.request().headers(), 'sec-fetch-site': 'same-origin' } })
    await route.fulfill({ response: answer, json: { ...(await answer.json()), sends_mail: true } })
  })
  await page.goto('/app/settings')
  const mail = page.getByLabel('A task of yours is due: By mail')
  const chosen = page.waitForResponse((r) => r.url().endsWith('/v1/me') && r.request().method() === 'PATCH')
  await mail.selectOption('At once')
  assert.equal((await chosen).status(), 200)
  const given = page.getByRole('checkbox', { name: 'Something is given to you: In the app' })
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
  assert.equal(await mail.inputValue(), 'now')
  await page.unrouteAll({ behavior: 'wait' })
  await page.context().close()
})

test('notifications are switched on and off for a device that can have them, and shown there', async () => {
  const page = await colleague('member', 'petra@harbour.example', { viewport: wide })
  await page.context().grantPermissions(['notifications'])
  // as a browser that has a push service, which the one of the tests has none
  await page.addInitScript(() => {
    const key = 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4'
    PushManager.prototype.subscribe = async ({ applicationServerKey }) => {
      window.subscribedWith = applicationServerKey
      return { toJSON: () => ({ endpoint: 'https://push.example/petra', keys: { p256dh: key, auth: 'BTBZMqHH6r4Tts7J_aSIgg' } }) }
    }
  })
  await page.goto('/app/settings')
  const here = page.getByRole('checkbox', { name: /^Notifications on this device/ })
  await here.scrollIntoViewIfNeeded()
  await page.waitForFunction(() => !document.querySelector('label.check input:disabled'))
  await looked(page, 'settings-push')
  const switched = (method) => page.waitForResponse((r) => r.url().endsWith('/v1/me/push') && r.request().method() === method)
  const on = switched('PUT')
  await here.click() // which is checked once the server knows
  assert.equal((await on).status(), 204)
  await page.reload()
  await page.waitForFunction(() => document.querySelector('label.check input:checked'))
  // What is pushed is shown, with where it leads.
  const devtools = await page.context().newCDPSession(page)
  const found = new Promise((known) => {
    devtools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const own = registrations.find((r) => r.scopeURL.endsWith('/app/installed/'))
      if (own) known(own.registrationId)
    })
  })
  await devtools.send('ServiceWorker.enable')
  // A browser without a desktop has no place to show it: what it is asked to show is kept here.
  const worker = page.context().serviceWorkers().find((w) => w.url().endsWith('/app/installed/push.js'))
  await worker.evaluate(() => {
    self.registration.showNotification = async (title, { body, data }) => {
      self.shown = { title, body, data }
    }
  })
  await devtools.send('ServiceWorker.deliverPushMessage', {
    origin: new URL(page.url()).origin,
    registrationId: await found,
    data: JSON.stringify({ title: 'Nora mentioned you', body: 'Boat', path: '/app/inbox', tag: 'notification_1' }),
  })
  const shown = await worker.evaluate(async () => {
    for (let i = 0; i < 300 && !self.shown; i++) await new Promise((ready) => setTimeout(ready, 100))
    return self.shown
  })
  assert.deepEqual(shown, { title: 'Nora mentioned you', body: 'Boat', data: '/app/inbox' })
  const off = switched('DELETE')
  await here.click()
  assert.equal((await off).status(), 204)
  await page.waitForFunction(() => document.querySelector('label.check input:not(:checked):not(:disabled)'))
  await page.addInitScript(() => delete window.PushManager)
  await page.reload()
  await page.getByRole('heading', { name: 'Notifications', exact: true }).waitFor()
  assert.equal(await here.count(), 0, 'a browser that cannot be pushed to offers it')
  await page.context().close()
})
