// The audit log, as an administrator looks through it.

import { look } from './browser.mjs'

export async function readAudit(page) {
  await page.goto('/account/audit')
  await page.waitForURL('**/app/settings/audit')
  const lines = page.getByRole('list', { name: 'Audit log' })
  await lines.getByText('Log-in', { exact: true }).nth(1).waitFor()
  await look(page, '60-audit')
  await page.getByLabel('About').selectOption('token')
  await page.waitForURL(/about=token/)
  await lines.getByText('Log-in', { exact: true }).first().waitFor({ state: 'detached' })
  await lines.getByText('Personal access token: created').first().waitFor()
  await page.getByLabel('To', { exact: true }).fill('2020-01-01')
  await page.getByText('Nothing like this has happened').waitFor()
  await look(page, '61-audit-nothing')
}
