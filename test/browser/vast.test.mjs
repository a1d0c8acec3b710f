// The journey through very many records.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { open } from './app.mjs'

test('twenty thousand rows are scrolled with few of them in the page', { timeout: 240_000 }, async () => {
  // The demo business gets another token with them, which is told to the journeys that follow.
  writeFileSync(process.env.KITH_TEST_DEMO, execFileSync(process.env.KITH_TEST_BIN, ['demo', '--json', '--contacts', '20000'], { stdio: ['ignore', 'pipe', 'pipe'] }))
  const page = await open('/app/contacts?sort=name')
  await page.getByRole('grid').waitFor()
  // Down for as far as rows have come, again and again, and every frame is timed.
  const { frames, most, rows, last } = await page.evaluate(async () => {
    const grid = document.querySelector('[role=grid]')
    const told = { frames: [], most: 0, rows: 0, last: 0 }
    for (let before = performance.now(); told.last < 2_000; ) {
      grid.scrollTop = Math.min(grid.scrollTop + 600, grid.scrollHeight)
      await new Promise((resolve) => requestAnimationFrame(resolve))
      told.frames.push(performance.now() - before)
      before = performance.now()
      const all = grid.querySelectorAll('[role=row]')
      told.most = Math.max(told.most, document.querySelectorAll('*').length)
      told.rows = Math.max(told.rows, all.length)
      told.last = Math.max(told.last, ...[...all].map((r) => Number(r.getAttribute('aria-rowindex'))))
    }
    return told
  })
  frames.sort((a, b) => a - b)
  console.log(`${last} of 20,000 rows in ${frames.length} frames: median ${frames[frames.length >> 1].toFixed(1)} ms, p95 ${frames[Math.floor(frames.length * 0.95)].toFixed(1)} ms; at most ${most} elements in the page`)
  assert.ok(rows < 80, `${rows} rows are in the page`)
  assert.ok(most <= 1500, `${most} elements are in the page`)
  // The focus stays with its row, however far the grid is scrolled.
  await page.evaluate(() => (document.querySelector('[role=grid]').scrollTop = 0))
  await page.locator('[data-place="0:1"]').focus()
  await page.keyboard.press('Control+End')
  await page.waitForFunction(() => Number(document.activeElement?.closest('[role=row]')?.getAttribute('aria-rowindex')) > 500)
  await page.evaluate(() => (document.querySelector('[role=grid]').scrollTop = 0))
  await page.locator('[data-place="0:1"]').waitFor()
  assert.ok(await page.evaluate(() => Number(document.activeElement?.closest('[role=row]')?.getAttribute('aria-rowindex')) > 500), 'the focus is kept')
  // More rows that are refused are asked for again after a while, and not as fast as they are refused.
  const refused = []
  await page.route('**/v1/contacts/search', (route) => {
    if (!JSON.parse(route.request().postData()).cursor || refused.length === 2) return route.continue()
    refused.push(Date.now())
    return route.fulfill({ status: 400, contentType: 'application/problem+json', body: '{"type":"urn:kith:problem:invalid_cursor","title":"No","status":400,"detail":"No","code":"invalid_cursor"}' })
  })
  await page.goto('/app/contacts?sort=-name')
  await page.locator('[data-place="0:1"]').waitFor()
  await page.waitForFunction(() => {
    const grid = document.querySelector('[role=grid]')
    grid.scrollTop = grid.scrollHeight
    return [...grid.querySelectorAll('[role=row]')].some((r) => Number(r.getAttribute('aria-rowindex')) > 110)
  }, undefined, { timeout: 30_000 })
  assert.equal(refused.length, 2)
  assert.ok(refused[1] - refused[0] > 2_000, 'they are asked for again at once')
  assert.deepEqual(page.complaints, [])
  await page.context().close()
})
