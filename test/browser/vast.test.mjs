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

// worked scrolls something by so much for each of so many frames. It tells what the page itself worked for one, in milliseconds of its
// thread: how busy the machine is with anything else is not in it. How long the frames took is told beside it.
async function worked(page, selector, by, frames) {
  await page.bringToFront()
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  const soFar = async () => (await session.send('Performance.getMetrics')).metrics.find((m) => m.name === 'TaskDuration').value * 1000
  const scroll = (by, frames) =>
    page.evaluate(async ([selector, by, frames]) => {
      const scroller = document.querySelector(selector)
      const step = by ?? scroller.scrollHeight / frames
      const took = []
      scroller.scrollTop = 0
      for (let i = 1, before = performance.now(); i <= frames; i++) {
        scroller.scrollTop = i * step
        await new Promise((resolve) => requestAnimationFrame(resolve))
        took.push(performance.now() - before)
        before = performance.now()
      }
      return took
    }, [selector, by, frames])
  await scroll(by, 5)
  const before = await soFar()
  const took = await scroll(by, frames)
  const work = ((await soFar()) - before) / frames
  await session.detach()
  return { work, took }
}

// barePage has what the page shows in a scroller, element by element and in the same style, and nothing of the app: the elements are lent
// to what comes in sight and their words changed, in the fewest lines that do it. Less work than that no app can do for a frame of it.
async function barePage(page, selector, items) {
  const shown = await page.evaluate((selector) => {
    const scroller = document.querySelector(selector)
    const { clientWidth: width, clientHeight: height } = scroller
    return { width, height, html: scroller.outerHTML, css: [...document.styleSheets].flatMap((s) => [...s.cssRules].map((r) => r.cssText)).join('') }
  }, selector)
  const bare = await page.context().newPage()
  await bare.setContent(`<style>${shown.css}</style>${shown.html}`)
  await bare.evaluate(([selector, items, { width, height }]) => {
    const scroller = document.querySelector(selector)
    scroller.style.cssText = `flex: none; width: ${width}px; height: ${height}px`
    const lent = [...scroller.querySelectorAll(items)].map((element) => {
      const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
      const words = []
      while (texts.nextNode()) words.push([texts.currentNode, texts.currentNode.data])
      return { element, words, at: -1 }
    })
    const tops = lent.map(({ element }) => new DOMMatrix(getComputedStyle(element).transform).f).sort((a, b) => a - b)
    const high = tops[2] - tops[1] // the last may be far away, where the focus is
    // Words are other ones in each row, as those of records are: the browser has what it did with the same letters before.
    const other = (words, i) => words.replace(/[a-z]/gi, (letter, k) => String.fromCharCode(97 + ((letter.charCodeAt(0) + ((i * 7919) >> (k % 8))) % 26)))
    const draw = () => {
      const first = Math.max(0, Math.floor(scroller.scrollTop / high) - 6)
      for (let i = first; i < first + lent.length; i++) {
        const one = lent[i % lent.length]
        if (one.at === i) continue
        one.at = i
        one.element.style.transform = `translateY(${i * high}px)`
        for (const [text, before] of one.words) text.data = other(before, i)
      }
    }
    scroller.addEventListener('scroll', draw)
    draw()
  }, [selector, items, shown])
  return bare
}

// heldTo measures in turns what a frame takes while something of a page is scrolled, and what it takes at the least. What others do on
// the machine meanwhile only ever adds to it, and more to what is larger: the calmest turn of each counts.
async function heldTo(page, selector, items, ways) {
  const bare = await barePage(page, selector, items)
  for (const [how, by, most] of ways) {
    const [ours, least] = [[], []]
    for (let i = 0; i < 5; i++) {
      ours.push(await worked(page, selector, by, 60))
      least.push(await worked(bare, selector, by, 60))
    }
    const work = (all) => Math.min(...all.map((w) => w.work))
    const told = (all) => `${work(all).toFixed(1)} ms of work, ${timed(all.flatMap((w) => w.took))}`
    const ratio = work(ours) / work(least)
    console.log(`${how}: ${told(ours)}; the same without the app: ${told(least)}; ratio ${ratio.toFixed(2)}`)
    assert.ok(ratio <= most, `${how}, a frame works ${ratio.toFixed(2)} times as much as without the app`)
  }
  await bare.close()
  await page.bringToFront()
}

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
  for (const stage of [far, near]) await column(stage).locator('.card').first().waitFor()
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
  await heldTo(page, '.cards-scroll', '.cards-list > li', [['cards rolled', 120, 4.2], ['cards scrolled', 400, 4.2]])
  await column(far).locator('.cards-scroll').evaluate((cards) => (cards.scrollTop = cards.scrollHeight))

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
  // What a frame takes is held to what it takes at the least.
  const back = () => page.evaluate(() => document.querySelector('[role=grid]').scrollTo(0, 0))
  await back()
  await page.locator('[data-place="0:1"]').waitFor()
  await heldTo(page, '[role=grid]', '.grid-body > [role=row]', [['rolled', 120, 2.8], ['scrolled', 600, 2.8], ['dragged', undefined, 1.25]])
  await back()
  // The names stay in sight while one looks at columns far to the right, and only then do they stick, which costs a layer for each.
  const name = page.locator('[data-place="1:1"]')
  const { x } = await name.boundingBox()
  const sticks = () => name.evaluate((link) => getComputedStyle(link.closest('[role=gridcell]')).position)
  assert.equal(await sticks(), 'relative')
  await page.evaluate(() => (document.querySelector('[role=grid]').scrollLeft = 300))
  assert.equal((await name.boundingBox()).x, x)
  assert.equal(await sticks(), 'sticky')
  await page.evaluate(() => (document.querySelector('[role=grid]').scrollLeft = 0))
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
