// The audit log, as an administrator looks through it.

import assert from 'node:assert/strict'
import { look } from './browser.mjs'

export async function readAudit(page) {
  await page.goto('/account/security')
  await Promise.all([page.waitForURL('**/account/audit'), page.getByRole('link', { name: 'Audit log', exact: true }).click()])
  assert.ok(await page.getByText('Login succeeded').count() > 1)
  await look(page, '60-audit')
  await page.getByLabel('What happened').selectOption('Token created')
  await page.getByRole('button', { name: 'Show' }).click()
  await page.waitForURL(/action=token\.created/)
  assert.equal(await page.locator('.rows').getByText('Login succeeded').count(), 0)
  assert.ok(await page.locator('.rows').getByText('Token created').count() > 0)
  await page.goto('/account/audit?user=nobody%40juniper.test')
  assert.match(await page.locator('#f-user-error').innerText(), /is nobody’s here/)
  await look(page, '61-audit-nobody')
}
