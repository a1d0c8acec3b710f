// The reference at /docs, as somebody reads it who is not logged in and has a token to try it with.

import assert from 'node:assert/strict'
import { base } from './browser.mjs'

export async function browseReference(page, token) {
  // The viewer works through the whole description before it shows anything, which takes a slow machine a while.
  page.setDefaultTimeout(120_000)
  const elsewhere = []
  const errors = []
  page.on('request', (request) => {
    if (!/^(data|blob):/.test(request.url()) && new URL(request.url()).origin !== base) elsewhere.push(request.url())
  })
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text())
  })
  const answered = await page.goto('/docs')
  assert.match(answered.headers()['content-security-policy'], /^default-src 'none'; script-src 'self';/)

  const create = page.locator('#operations-contacts-createContact')
  await page.locator('#operations-tag-contacts').click()
  await create.locator('.opblock-summary-control').click()
  await create.getByText('Needs contact.write').waitFor()
  await create.getByText('Idempotency-Key').first().waitFor()

  const execute = async () => {
    const [answer] = await Promise.all([
      page.waitForResponse((r) => r.url() === `${base}/v1/contacts` && r.request().method() === 'POST'),
      create.getByRole('button', { name: 'Execute' }).click(),
    ])
    await create.locator('.live-responses-table .response-col_status', { hasText: String(answer.status()) }).waitFor()
    return answer
  }
  await create.getByRole('button', { name: 'Try it out' }).click()
  await create.locator('textarea').fill('{"name": "Made in the reference", "lead_score": 7}')
  assert.equal((await execute()).status(), 401)
  assert.match(errors.pop() ?? '', /401/, 'the browser notes the refusal, and nothing else')

  await page.locator('.btn.authorize').click()
  const dialog = page.locator('.auth-container', { hasText: 'personal access token' })
  await dialog.locator('input').fill(token)
  await dialog.locator('button.authorize').click()
  await page.locator('.dialog-ux .close-modal').click()
  const answer = await execute()
  assert.equal(answer.status(), 201)
  assert.match(await create.locator('.live-responses-table').innerText(), /"name": "Made in the reference"/)
  const made = await fetch(base + answer.headers().location, { headers: { authorization: `Bearer ${token}`, version: 'v1' } })
  assert.equal((await made.json()).lead_score, 7, 'the contact is there')

  const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]))
  assert.ok(!kept.includes(token), 'the token is kept nowhere but in the page')
  assert.deepEqual(elsewhere, [], 'the page asks nobody else')
  assert.deepEqual([...errors, ...page.complaints], [])
}
