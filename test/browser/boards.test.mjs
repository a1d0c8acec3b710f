// Lists of any resource as boards and calendars.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { api, looked, one, open, told } from './app.mjs'

// drag carries something by mouse from where it can be taken to a place in another element.
async function drag(page, from, to, place = { x: 60, y: 90 }) {
  const a = await from.boundingBox()
  const b = await to.boundingBox()
  await page.mouse.move(a.x + 8, a.y + 8)
  await page.mouse.down()
  await page.mouse.move(a.x + 30, a.y + 14, { steps: 4 })
  await page.mouse.move(b.x + place.x, b.y + place.y, { steps: 8 })
  await page.mouse.up()
}

test('any list with a choice is a board, too: moved by mouse, keys and menu, taken back, and kept as a view', { timeout: 600_000 }, async () => {
  const { data: steps } = await api('POST', '/v1/lifecycle_stages/search', { order_by: 'position', sort_direction: 'asc' })
  const made = await api('POST', '/v1/contacts', { name: 'Boarded Zoë', email: 'zoe@boarded.example', lifecycle_stage_id: steps[0].id })
  const page = await open('/app/contacts?q=boarded')
  const column = (name) => page.getByRole('region', { name, exact: true })
  const inColumn = (step) => column(step.name).getByRole('link', { name: 'Boarded Zoë' })
  const kept = async (step) => assert.equal((await api('GET', `/v1/contacts/${made.id}`)).lifecycle_stage_id, step.id)
  await page.getByRole('button', { name: 'Board', exact: true }).click()
  await inColumn(steps[0]).waitFor()
  assert.match(page.url(), /layout=board/)
  assert.equal(await column(steps[0].name).locator('.count').innerText(), '1')
  // The bar over a column has the colour of its step.
  const bars = await page.locator('.column header').evaluateAll((all) => all.map((e) => getComputedStyle(e).borderTopColor))
  assert.ok(new Set(bars).size > 2, bars.join())

  await drag(page, column(steps[0].name).locator('.card'), column(steps[1].name))
  await told(page, `Boarded Zoë moved to ${steps[1].name}`)
  await inColumn(steps[1]).waitFor()
  await kept(steps[1])
  await page.getByRole('button', { name: 'Drag Boarded Zoë' }).focus()
  await page.keyboard.press('Space')
  await page.getByText('Lifted Boarded Zoë.').waitFor({ state: 'attached' })
  await page.keyboard.press('ArrowRight')
  await page.getByText(`Over ${steps[2].name}.`).waitFor({ state: 'attached' })
  await page.keyboard.press('Space')
  await inColumn(steps[2]).waitFor()
  await told(page, `Boarded Zoë moved to ${steps[2].name}`)
  await kept(steps[2])
  await page.keyboard.press('Control+z')
  await inColumn(steps[1]).waitFor()
  await kept(steps[1])
  await page.getByRole('button', { name: 'Move Boarded Zoë' }).click()
  await page.getByRole('menuitem', { name: `Move to ${steps[0].name}` }).click()
  await inColumn(steps[0]).waitFor()
  await kept(steps[0])
  // What somebody else moves is where it is by then.
  await api('PATCH', `/v1/contacts/${made.id}`, { lifecycle_stage_id: steps[1].id })
  await inColumn(steps[1]).waitFor()
  await inColumn(steps[0]).waitFor({ state: 'detached' })

  // Tasks stand by their status or their priority, and a view keeps which.
  await api('POST', '/v1/tasks', { title: 'Boarded call', priority: 'high' })
  await page.goto('/app/tasks?layout=board&q=boarded')
  await column('Open').getByRole('link', { name: 'Boarded call' }).waitFor()
  await page.getByRole('button', { name: 'Group: Status' }).click()
  await page.getByRole('menuitem', { name: 'Priority' }).click()
  await column('High').getByRole('link', { name: 'Boarded call' }).waitFor()
  await drag(page, column('High').locator('.card'), column('Urgent'))
  await told(page, 'Boarded call moved to Urgent')
  assert.equal((await one('tasks', 'title', 'Boarded call')).priority, 'urgent')
  await page.getByRole('button', { name: 'Views' }).click()
  await page.getByRole('menuitem', { name: 'Save as a view' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('Tasks on board')
  await page.keyboard.press('Enter')
  await told(page, 'Tasks on board')
  await page.goto('/app/tasks?layout=table')
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Tasks on board' }).click()
  await column('Urgent').getByRole('link', { name: 'Boarded call' }).waitFor()
  const view = await one('views', 'name', 'Tasks on board')
  assert.deepEqual([view.layout, view.group_by], ['board', 'priority'])
  await page.goto('/app/tasks?layout=board')
  await page.locator('.card').nth(3).waitFor()
  await looked(page, 'board-of-tasks')

  // Quotes are sent and accepted by what does that, and cannot be carried there.
  await page.goto('/app/quotes?layout=board')
  await column('Draft').waitFor()
  assert.equal(await column('Draft').getByRole('button', { name: /^Drag/ }).count(), 0)
  assert.deepEqual(page.complaints, [])
  await page.context().close()
})
