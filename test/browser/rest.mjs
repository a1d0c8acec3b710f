// A screen at rest: no request is under way, nothing is about to happen by itself, nothing moves, and all of it is drawn.
// Whatever a test does or reads waits for that by itself, so that no test depends on how fast the machine is.

import assert from 'node:assert/strict'

// What acts on a page or reads it at once. What waits by itself, such as waitFor, needs no rest.
const ofLocators = [
  'allInnerTexts', 'blur', 'boundingBox', 'check', 'clear', 'click', 'count', 'dblclick', 'evaluate', 'evaluateAll', 'fill',
  'focus', 'getAttribute', 'hover', 'innerText', 'inputValue', 'isVisible', 'press', 'selectOption', 'setInputFiles', 'tap',
  'textContent', 'uncheck',
]
const ofKeyboards = ['press', 'type']
const ofPages = ['goto', 'reload']

// watched is a page whose requests and timers are counted, and on which everything is done at rest.
export async function watched(page) {
  page.underWay = new Set()
  page.on('request', (request) => !isStream(request.url()) && page.underWay.add(request))
  for (const end of ['requestfinished', 'requestfailed']) page.on(end, (request) => page.underWay.delete(request))
  await page.addInitScript(count)
  const locator = Object.getPrototypeOf(page.locator('body'))
  if (!locator.rests) {
    locator.rests = true
    for (const name of ofLocators) waitFirst(locator, name, (it) => it.page())
  }
  for (const name of ofKeyboards) waitFirst(page.keyboard, name, () => page)
  for (const name of ofPages) waitFirst(page, name, () => page)
  // Until a frame is drawn the page does not know of its other size, and whoever only waits for what that changes waits in vain.
  const resize = page.setViewportSize
  page.setViewportSize = async (size) => {
    await resize.call(page, size)
    await atRest(page)
  }
  return page
}

// The stream of changes is under way for as long as a page is open.
const isStream = (url) => new URL(url).pathname === '/v1/changes/stream'

function waitFirst(owner, name, pageOf) {
  const act = owner[name]
  assert.equal(typeof act, 'function', name)
  owner[name] = async function (...args) {
    await atRest(pageOf(this))
    return act.apply(this, args)
  }
}

// hurried does something without waiting: what is about a screen that is not at rest, and what is done so often that waiting each
// time takes too long.
export async function hurried(page, act) {
  const before = page.hurried
  page.hurried = true
  try {
    return await act()
  } finally {
    page.hurried = before
  }
}

export async function atRest(page) {
  if (page.hurried || !page.underWay) return
  const until = Date.now() + 30_000
  for (;;) {
    let busy
    try {
      busy = await page.evaluate((ms) => window.atRest?.(ms) ?? '', 5_000)
      busy ||= [...page.underWay].map((request) => request.url()).join(' ')
    } catch (error) {
      if (page.isClosed()) throw error
      busy = error.message // another page came in its place
    }
    if (!busy) return
    assert.ok(Date.now() < until, `the screen does not come to rest: ${busy}`)
    if (busy === 'no frame') {
      // Once in many runs Chromium draws none after another size was set, until the page is brought to the front.
      console.log('the browser draws nothing')
      await page.bringToFront()
    }
  }
}

// count runs in every document before its own scripts.
function count() {
  // Timers that are so short belong to what was begun: a search while somebody types, a pop-up that finds its place.
  const soon = 400
  const { setTimeout: later, clearTimeout: never, fetch: send } = window
  const timers = new Map()
  window.setTimeout = (what, ms = 0, ...args) => {
    if (typeof what !== 'function' || ms > soon) return later(what, ms, ...args)
    const id = later(() => (timers.delete(id), what(...args)), ms)
    timers.set(id, ms)
    return id
  }
  window.clearTimeout = (id) => (timers.delete(id), never(id))

  // A request is over once all of its answer is there, and not when it begins to come.
  const calls = new Set()
  window.fetch = async (...args) => {
    const url = String(args[0]?.url ?? args[0])
    if (new URL(url, location.href).pathname === '/v1/changes/stream') return send(...args)
    const call = { url }
    const over = () => later(() => calls.delete(call))
    calls.add(call)
    try {
      const answer = await send(...args)
      answer.clone().arrayBuffer().then(over, over)
      return answer
    } catch (error) {
      over()
      throw error
    }
  }

  const frame = () => new Promise((resolve) => {
    requestAnimationFrame(() => resolve(true))
    later(() => resolve(false), 3_000)
  })
  const idle = () => new Promise((resolve) => requestIdleCallback(resolve, { timeout: 3_000 }))
  const moving = () => document.getAnimations().some((a) => a.playState === 'running' && a.effect?.getComputedTiming().endTime !== Infinity)
  const waiting = () => document.querySelector('[aria-busy=true], .bone')

  const busy = () => {
    if (document.readyState !== 'complete') return 'the page is being loaded'
    if (calls.size) return [...calls].map((c) => c.url).join(' ')
    if (timers.size) return `timers: ${[...timers.values()].join(' ')} ms`
    if (moving()) return 'an animation'
    return waiting()?.outerHTML.slice(0, 100) ?? ''
  }
  window.atRest = async (ms) => {
    const until = performance.now() + ms
    for (let calm = 0; calm < 2; ) {
      if (!(await frame())) return 'no frame'
      await idle()
      const why = busy()
      if (why && performance.now() > until) return why
      calm = why ? 0 : calm + 1
    }
    return ''
  }
}
