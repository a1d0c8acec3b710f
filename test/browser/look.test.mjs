// Journeys to how the app looks: colours that say a state before it is read.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { api, looked, one, open } from './app.mjs'

test('stages and options have their colours wherever they are shown', { timeout: 600_000 }, async () => {
  const { stages } = (await api('POST', '/v1/pipelines/search', { filters: [{ field: 'is_default', operator: 'eq', value: true }] })).data[0]
  const stage = stages.find((s) => s.kind === 'open')
  assert.ok(stage.colour)
  await api('POST', '/v1/deals', { name: 'Painted fence', stage_id: stage.id })

  const page = await open('/app/deals?q=Painted+fence')
  const row = page.getByRole('row').filter({ hasText: 'Painted fence' })
  await row.locator(`.chip-${stage.colour}`, { hasText: stage.name }).waitFor()
  await row.locator('.chip-blue', { hasText: 'Open' }).waitFor()
  await looked(page, 'chips', { dark: true })
  const { id } = await one('deals', 'name', 'Painted fence')
  await page.goto(`/app/deals/${id}`)
  await page.locator(`main .chip-${stage.colour}`, { hasText: stage.name }).first().waitFor()
  await page.goto('/app/deals?layout=board')
  await page.locator(`.column .chip-${stage.colour}`, { hasText: stage.name }).first().waitFor()
  assert.deepEqual(page.complaints, [])
  await page.context().close()
})
