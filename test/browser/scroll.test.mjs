// A hundred thousand rows, scrolled from the first to the last; scripts/web-test makes this journey where KITH_TEST_ROWS says of how many.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { api, open } from './app.mjs'

test('all rows are scrolled with few of them in the page', { timeout: 900_000 }, async () => {
  const { meta } = await api('POST', '/v1/contacts/search', { limit: 1, total: true })
  const page = await open('/app/contacts?sort=name')
  await page.getByRole('grid').waitFor()
  // As fast as rows come: each step waits for the page of rows behind the end, and every frame is timed.
  const { frames, most, last } = await page.evaluate(async (total) => {
    const grid = document.querySelector('[role=grid]')
    const frames = []
    let most = 0, last = 0, idle = 0, before = performance.now()
    while (last < total && idle < 2_000) {
      grid.scrollTop = grid.scrollHeight
      await new Promise((resolve) => requestAnimationFrame(resolve))
      const now = performance.now()
      frames.push(now - before)
      before = now
      if (frames.length % 10 === 0) most = Math.max(most, document.querySelectorAll('*').length)
      const at = Math.max(0, ...[...grid.querySelectorAll('[role=row][aria-rowindex]')].map((r) => Number(r.getAttribute('aria-rowindex')) - 1))
      idle = at > last ? 0 : idle + 1
      last = Math.max(last, at)
    }
    return { frames, most, last }
  }, meta.total)
  frames.sort((a, b) => a - b)
  const at = (part) => frames[Math.floor(frames.length * part)].toFixed(1)
  console.log(`${last} of ${meta.total} rows in ${frames.length} frames: median ${at(0.5)} ms, p95 ${at(0.95)} ms, p99 ${at(0.99)} ms; at most ${most} elements in the page`)
  assert.equal(last, meta.total, 'the last row is reached')
  assert.ok(most <= 1500, `${most} elements are in the page`)
  assert.deepEqual(page.complaints, [])
  await page.context().close()
})
