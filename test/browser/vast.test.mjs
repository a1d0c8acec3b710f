// The journey through very many records.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { api, open, told } from './app.mjs'

// timed tells of frames how long they took.
function timed(frames) {
  frames.sort((a, b) => a - b)
  return `${frames.length} frames: median ${frames[frames.length >> 1].toFixed(1)} ms, p95 ${frames[Math.floor(frames.length * 0.95)].toFixed(1)} ms`
}

// worked scrolls something by so much for each of so many frames and tells what the page itself worked for one, in milliseconds of its
// thread: how busy the machine is with anything else is not in it.
async function worked(page, selector, by, frames) {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  const soFar = async () => (await session.send('Performance.getMetrics')).metrics.find((m) => m.name === 'TaskDuration').value * 1000
  const scroll = (by, frames) =>
    page.evaluate(async ([selector, by, frames]) => {
      const scroller = document.querySelector(selector)
      const step = by ?? scroller.scrollHeight / frames
      scroller.scrollTop = 0
      for (let i = 1; i <= frames; i++) {
        scroller.scrollTop = i * step
        await new Promise((resolve) => requestAnimationFrame(resolve))
      }
    }, [selector, by, frames])
  await scroll(by, 5)
  const before = await soFar()
  await scroll(by, frames)
  const each = ((await soFar()) - before) / frames
  await session.detach()
  return each
}

// plainPage has as many plain rows as a list has, and nothing else: what a browser works for a frame of it is the least there can be.
async function plainPage(context, rows) {
  const page = await context.newPage()
  const row = (i) => `<div style="height: 35px; border-bottom: 1px solid #ddd">Row ${i}</div>`
  await page.setContent(`<div id="plain" style="height: 600px; overflow: auto">${Array.from({ length: rows }, (_, i) => row(i)).join('')}</div>`)
  return page
}

// median of a few, so that one that was disturbed does not count.
const median = (all) => all.sort((a, b) => a - b)[all.length >> 1]

test('a thousand deals are on the board, scrolled, moved from far below, and seen where others moved them', { timeout: 600_000 }, async () => {
  const pipeline = await api('POST', '/v1/pipelines', { name: 'Many', stages: [{ name: 'Far', kind: 'open', probability: 10 }, { name: 'Near', kind: 'open', probability: 60 }, { name: 'Sold', kind: 'won' }, { name: 'Gone', kind: 'lost' }] })
  const [far, near] = pipeline.stages
  const ids = []
  for (let i = 0; i < 10; i++) {
    const operations = Array.from({ length: 100 }, (_, j) => ({ op: 'create', data: { name: `Crate ${String(i * 100 + j).padStart(3, '0')}`, amount: '10.00', pipeline_id: pipeline.id, stage_id: (j % 2 ? near : far).id } }))
    const { data } = await api('POST', '/v1/deals/batch', { atomic: true, operations })
    ids.push(...data.map((d) => d.record.id))
  }
  const page = await open('/app/deals?layout=board')
  await page.getByLabel('Pipeline').selectOption('Many')
  const column = (stage) => page.getByRole('region', { name: stage.name, exact: true })
  await column(far).getByText('500', { exact: true }).waitFor()
  await column(far).locator('.card').first().waitFor()
  // Both columns are scrolled to their ends, as far as cards have come, and every frame is timed.
  const { frames, most, last } = await page.evaluate(async () => {
    const told = { frames: [], most: 0, last: 0 }
    for (const cards of [...document.querySelectorAll('.cards-scroll')])
      for (let before = performance.now(), lowest = 0; lowest < 500; told.last += lowest === 500 ? lowest : 0) {
        cards.scrollTop = Math.min(cards.scrollTop + 400, cards.scrollHeight)
        await new Promise((resolve) => requestAnimationFrame(resolve))
        told.frames.push(performance.now() - before)
        before = performance.now()
        told.most = Math.max(told.most, document.querySelectorAll('*').length)
        lowest = Math.max(...[...cards.querySelectorAll('li')].map((card) => card.ariaPosInSet))
      }
    return told
  })
  console.log(`${last} of 1,000 deals in ${timed(frames)}; at most ${most} elements in the page`)
  assert.equal(last, 1000)
  assert.ok(most <= 1500, `${most} elements are in the page`)

  // From the end of a column into the other: it leaves the one and is first in the other, however much of both is loaded.
  const deep = column(far).locator('.card').last()
  const name = await deep.getByRole('link').innerText()
  await deep.scrollIntoViewIfNeeded()
  const from = await deep.locator('.card-foot').boundingBox()
  const to = await column(near).boundingBox()
  await page.mouse.move(from.x + 5, from.y + 5)
  await page.mouse.down()
  await page.mouse.move(from.x + 30, from.y + 10, { steps: 4 })
  await page.mouse.move(to.x + 60, to.y + 200, { steps: 12 })
  await page.mouse.up()
  await told(page, `${name} moved to Near`)
  await column(near).locator('.cards-scroll').evaluate((cards) => (cards.scrollTop = 0))
  await column(near).getByRole('link', { name }).waitFor()
  await column(far).getByText('499', { exact: true }).waitFor()
  assert.equal(await column(far).getByRole('link', { name }).count(), 0)

  // Somebody else moves one that is in sight.
  const other = await column(far).locator('.card').last().getByRole('link').innerText()
  await api('POST', `/v1/deals/${ids[Number(other.slice(6))]}/change_stage`, { stage_id: near.id })
  await column(near).getByRole('link', { name: other }).waitFor()
  await column(far).getByRole('link', { name: other }).waitFor({ state: 'detached' })
  assert.deepEqual(page.complaints, [])
  await page.context().close()
  for (let i = 0; i < 10; i++) await api('POST', '/v1/deals/batch', { atomic: true, operations: ids.slice(i * 100, i * 100 + 100).map((id) => ({ op: 'delete', id })) })
  assert.equal((await api('DELETE', `/v1/pipelines/${pipeline.id}`)).status, 204)
})

test('twenty thousand rows are scrolled with few of them in the page', { timeout: 600_000 }, async () => {
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
  console.log(`${last} of 20,000 rows in ${timed(frames)}; at most ${most} elements in the page`)
  assert.ok(rows < 80, `${rows} rows are in the page`)
  assert.ok(most <= 1500, `${most} elements are in the page`)
  // The focus stays with its row, however far the grid is scrolled.
  await page.evaluate(() => (document.querySelector('[role=grid]').scrollTop = 0))
  await page.locator('[data-place="0:1"]').focus()
  await page.keyboard.press('Control+End')
  const total = Number((await page.locator('h1 + .count').innerText()).replace(/\D/g, ''))
  assert.ok(total >= 20_000, `${total} are counted`)
  const onLast = () => page.waitForFunction((last) => document.activeElement?.closest('[role=row]:not(.waiting)')?.getAttribute('aria-rowindex') === String(last), total + 1)
  await onLast()
  await page.evaluate(() => (document.querySelector('[role=grid]').scrollTop = 0))
  await page.locator('[data-place="0:1"]').waitFor()
  await onLast()
  // The scrollbar spans all rows, and each place of it is that of its rows: what is not there yet is a quiet bar.
  const middle = await page.evaluate(async (skip) => {
    const body = JSON.stringify({ order_by: 'name', sort_direction: 'asc', skip, limit: 1, fields: ['name'] })
    return (await (await fetch('/v1/contacts/search', { method: 'POST', headers: { version: 'v1', 'content-type': 'application/json' }, body })).json()).data[0].name
  }, Math.floor(total / 2))
  await page.evaluate((row) => (document.querySelector('[role=grid]').scrollTop = row * 36), Math.floor(total / 2))
  await page.locator(`.grid-row:not(.waiting)[aria-rowindex="${Math.floor(total / 2) + 2}"]`).getByRole('link', { name: middle }).waitFor()
  // Dragged from end to end, no frame is long, whatever is asked for meanwhile.
  const dragged = await page.evaluate(async () => {
    const grid = document.querySelector('[role=grid]')
    const frames = []
    for (let i = 0, before = performance.now(); i <= 240; i++) {
      grid.scrollTop = (grid.scrollHeight * i) / 240
      await new Promise((resolve) => requestAnimationFrame(resolve))
      frames.push(performance.now() - before)
      before = performance.now()
    }
    return frames
  })
  console.log(`dragged from end to end in ${timed(dragged)}`)
  // What a frame takes is held to one of a page with as many plain rows, in turns.
  const plain = await plainPage(page.context(), total)
  for (const [how, by, most] of [['scrolled', 600, 4], ['dragged', undefined, 1.2]]) {
    const [ours, least] = [[], []]
    for (let i = 0; i < 3; i++) {
      await page.bringToFront()
      ours.push(await worked(page, '[role=grid]', by, 60))
      await plain.bringToFront()
      least.push(await worked(plain, '#plain', by, 60))
    }
    const [list, floor] = [median(ours), median(least)]
    console.log(`${how}, a frame of the list works ${list.toFixed(1)} ms, and one of as many plain rows ${floor.toFixed(1)} ms`)
    assert.ok(list <= most * floor, `${how}, a frame works ${(list / floor).toFixed(1)} times as much as one of plain rows`)
  }
  await plain.close()
  await page.bringToFront()
  // More rows that are refused are asked for again after a while, and not as fast as they are refused.
  const refused = []
  await page.route('**/v1/contacts/search', (route) => {
    const { cursor, skip } = JSON.parse(route.request().postData())
    if ((!cursor && !skip) || refused.length === 2) return route.continue()
    refused.push(Date.now())
    return route.fulfill({ status: 400, contentType: 'application/problem+json', body: '{"type":"urn:kith:problem:invalid_cursor","title":"No","status":400,"detail":"No","code":"invalid_cursor"}' })
  })
  await page.goto('/app/contacts?sort=-name')
  await page.locator('[data-place="0:1"]').waitFor()
  await page.waitForFunction(() => {
    const grid = document.querySelector('[role=grid]')
    grid.scrollTop = grid.scrollHeight
    return [...grid.querySelectorAll('[role=row]:not(.waiting)')].some((r) => Number(r.getAttribute('aria-rowindex')) > 110)
  }, undefined, { timeout: 30_000 })
  assert.equal(refused.length, 2)
  assert.ok(refused[1] - refused[0] > 2_000, 'they are asked for again at once')
  assert.deepEqual(page.complaints, [])
  await page.context().close()
})
