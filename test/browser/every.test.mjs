// Every resource of the schema, looked at closely: its list, with all that opens on it, its forms and its page. Other journeys look at what they come by; this one goes where nobody has an errand, and a new resource is covered by itself.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { open } from './app.mjs'
import { canEdit, close, due, first, leavesOf, met, pathOf, prepare, see, tableOf, told, visit, whole } from './every.mjs'

test('every resource: its list, with all that opens on it, its forms and its page', { timeout: 1_800_000 }, async () => {
  const resources = await prepare()
  const page = await open('/app')
  for (const r of resources) {
    await visit(page, tableOf(r))
    await page.locator('.grid-row [data-place="0:1"]').waitFor()
    await see(page, `list-${r.name}`)
    await seeTools(page, r)
    await seeSelection(page, r)
    await seeForm(page, r)
    await seeEditors(page, r)
    await visit(page, tableOf(r))
    await page.locator('[data-place="0:1"]').click()
    await page.locator('.record .facts').waitFor()
    await seeRecord(page, r)
  }
  await page.context().close()
  told()
})

async function seeTools(page, r) {
  const tools = page.locator('.tools')
  if (due('columns')) {
    await tools.getByRole('button', { name: 'Columns' }).click()
    const columns = page.getByRole('dialog', { name: 'Columns' })
    await columns.waitFor()
    await see(page, `columns-${r.name}`, { phones: false })
    await close(page, columns)
  }
  if (due('views')) {
    await tools.getByRole('button', { name: 'Views' }).click()
    const menu = page.getByRole('menu')
    await menu.waitFor()
    await see(page, `views-${r.name}`, { phones: false })
    if (first('naming')) {
      await menu.getByRole('menuitem', { name: 'Save as a view' }).click()
      const naming = page.getByRole('dialog', { name: 'Save as a view' })
      await naming.waitFor()
      await see(page, 'view-naming')
      await close(page, naming)
    } else await close(page, menu)
  }
  const sortable = page.locator('[role=columnheader][aria-sort=none] button').first()
  if (first('sorted')) {
    await sortable.click()
    await page.locator('[aria-sort=ascending]').waitFor()
    await see(page, 'sorted', { phones: false })
  }

  // A filter of each kind of field, in the pop-up and then side by side.
  const filters = []
  for (const f of leavesOf(r).filter((f) => f.operators.length > 0)) {
    for (const [operator, values] of operands(f)) {
      if (!first(`filter ${f.kind} ${operator}`)) continue
      filters.push(`f=${encodeURIComponent([f.path, operator, ...values].join('~'))}`)
      const adding = page.getByRole('dialog', { name: 'Add a filter' })
      if (!(await adding.isVisible())) await tools.getByRole('button', { name: 'Filter', exact: true }).click()
      const other = adding.getByRole('button', { name: 'Another field' })
      if (await other.count()) await other.click()
      const option = adding.locator(`[data-field="${f.path}"]`)
      if (!(await option.count())) await adding.getByRole('option', { name: 'More fields' }).click()
      await option.click()
      // Of few values any may be meant: one of them is what several are.
      const any = (f.options || f.kind === 'reference') && f.operators.includes('in')
      await adding.getByLabel('Condition').selectOption(any && operator === 'eq' ? 'in' : operator)
      if (whole || first(`filtering ${f.kind}`)) await see(page, `filter-${f.kind}-${operator}`, { phones: false })
    }
  }
  if (filters.length) {
    await close(page, page.getByRole('dialog', { name: 'Add a filter' }))
    await visit(page, `/app/${pathOf(r)}?${filters.slice(0, 12).join('&')}`)
    await page.locator('.chip').nth(Math.min(filters.length, 12) - 1).waitFor()
    await see(page, `filters-${r.name}`)
    await page.locator('.chip-text').first().click()
    const changing = page.getByRole('dialog', { name: 'Change the filter' })
    await changing.waitFor()
    if (first('changing a filter')) await see(page, 'filter-changing', { phones: false })
    await close(page, changing)
    await visit(page, tableOf(r))
  }
}

// operands gives conditions that a field can be filtered by, with something to compare with: one of each form that the pop-up takes.
function operands(f) {
  const value = { number: '3', integer: '3', percent: '3', decimal: '3', money: '3', date: '@today', datetime: '@today-7d', boolean: 'true', email: 'eve@every.example', url: 'https://every.example', phone: '030' }[f.kind] ?? f.options?.[0]?.value ?? 'x'
  if (f.kind === 'reference') return [['is_set', []], ...(f.target === 'user' ? [['eq', ['@me']], ['in', ['@me']]] : [])].filter(([o]) => f.operators.includes(o))
  return [[f.operators.includes('contains') ? 'contains' : f.operators.includes('gte') ? 'gte' : 'eq', [value]], ['in', [value]], ['between', [value, value]], ['is_not_set', []]].filter(([o]) => f.operators.includes(o) && (o !== 'in' || f.kind !== 'boolean'))
}

// opened is a dialog that somebody asked for. No list of choices opens with it by itself, over its buttons.
async function opened(page, name) {
  const dialog = page.getByRole('dialog', { name })
  await dialog.waitFor()
  assert.equal(await page.locator('.combo-list').count(), 0, `a list is open in ${name}`)
  return dialog
}

async function seeSelection(page, r) {
  if (!due('selection')) return
  await page.locator('[data-place="0:0"]').click()
  const bar = page.getByRole('region', { name: 'Selection' })
  await bar.waitFor()
  await see(page, `selected-${r.name}`)
  for (const name of ['Edit a field', 'Tags', 'Assign', 'Export']) {
    if (!(await bar.getByRole('button', { name, exact: true }).count()) || !due(name)) continue
    await bar.getByRole('button', { name, exact: true }).click()
    const dialog = await opened(page, name)
    await see(page, `${name.toLowerCase().replaceAll(' ', '-')}-${r.name}`)
    if (name === 'Edit a field')
      for (const f of leavesOf(r).filter((f) => canEdit(r, f) && !f.unique && f.kind !== 'tags')) {
        if (!first(`changing ${f.kind}`)) continue
        await dialog.locator('select').first().selectOption(f.path)
        await see(page, `change-${f.kind}`, { phones: false })
      }
    await close(page, dialog)
  }
  await bar.getByRole('button', { name: 'Clear the selection' }).click()
}

async function seeForm(page, r) {
  const button = page.getByRole('button', { name: `New ${r.label.toLowerCase()}`, exact: true })
  if (!(await button.count())) return
  const fields = [...new Set(leavesOf(r).filter((f) => !f.read_only).map((f) => f.kind))]
  if (!whole && !fields.some((kind) => !met.has(`form ${kind}`))) return
  fields.forEach((kind) => met.add(`form ${kind}`))
  await button.click()
  const dialog = await opened(page, `New ${r.label.toLowerCase()}`)
  await see(page, `new-${r.name}-form`)
  const more = dialog.getByRole('button', { name: 'Show all fields' })
  if (await more.count()) {
    await more.click()
    await see(page, `new-${r.name}-all`)
  }
  const choices = page.locator('.dialog .combo input').first()
  if ((await choices.count()) && first('choices')) {
    await choices.click()
    await page.locator('.combo-list [role=option]').first().waitFor()
    await see(page, 'choices', { phones: false })
    await choices.fill('nobody is called this')
    await page.locator('.combo-list').getByText(/^(Nothing found|Create “nobody is called this”)$/).waitFor()
    await see(page, 'choices-none', { phones: false })
  }
  await close(page, dialog)
}

// seeEditors opens a cell of each kind of field, and the same field on the page of the record.
async function seeEditors(page, r) {
  for (const f of leavesOf(r).filter((f) => canEdit(r, f) && f.path !== r.named_by[0])) {
    if (met.has(`editor ${f.kind}`)) continue
    await visit(page, `/app/${pathOf(r)}?cols=${encodeURIComponent(f.path)}`)
    const cell = page.locator('[role=gridcell][aria-readonly=false]').first()
    await page.locator('[role=columnheader]').nth(2).waitFor()
    if (!(await cell.count())) continue
    met.add(`editor ${f.kind}`)
    const row = (await cell.getAttribute('data-place')).split(':')[0]
    await cell.focus()
    await page.keyboard.press('F2')
    const editor = page.locator('.cell-editor')
    await editor.waitFor()
    await see(page, `editor-${f.kind}`, { phones: false })
    await page.keyboard.press('Escape')
    if (await editor.count()) await page.keyboard.press('Escape')
    await editor.waitFor({ state: 'detached' })
    await page.locator(`[data-place="${row}:1"]`).click()
    await page.locator('.record .facts').waitFor()
    const label = f.path.includes('.') && !f.path.startsWith('custom_fields') ? undefined : f.label
    const edit = page.getByRole('button', { name: label ? `Edit ${label}` : new RegExp(`^Edit .*: ${f.label}$`, 'i'), exact: true })
    if (!(await edit.count())) await page.getByRole('button', { name: /empty field/ }).click()
    await edit.click()
    await editor.waitFor()
    await see(page, `fact-${f.kind}`, { phones: false })
    await page.keyboard.press('Escape')
    if (await editor.count()) await page.keyboard.press('Escape')
    await editor.waitFor({ state: 'detached' })
  }
}

async function seeRecord(page, r) {
  await see(page, `record-${r.name}`)
  const empty = page.getByRole('button', { name: /empty field/ })
  if (due('all fields of a record') && (await empty.count())) {
    await empty.click()
    await see(page, `record-${r.name}-all`, { phones: false })
  }
  const acts = page.locator('.acts')
  const menu = page.getByRole('menu')
  const more = acts.getByRole('button', { name: 'More', exact: true })
  if ((await more.count()) && due('more')) {
    await more.click()
    await menu.waitFor()
    await see(page, `more-${r.name}`, { phones: false })
    await close(page, menu)
  }
  // What asks before it is done.
  for (const action of r.actions.filter((a) => a.body.some((f) => f.kind !== 'group'))) {
    let button = acts.getByRole('button', { name: action.label, exact: true })
    if (!(await button.count())) {
      if (!(await more.count())) continue
      await more.click()
      await menu.waitFor()
      button = menu.getByRole('menuitem', { name: action.label, exact: true })
      if (!(await button.count())) {
        await close(page, menu)
        continue
      }
    }
    await button.click()
    const dialog = await opened(page, action.name === 'lose' ? 'lost' : action.label)
    if (due(`action ${action.name}`)) await see(page, `${r.name}-${action.name}`)
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await dialog.waitFor({ state: 'detached' })
  }
  const changes = page.getByRole('tab', { name: 'Changes' })
  if ((await changes.count()) && due('changes')) {
    await changes.click()
    await see(page, `changes-${r.name}`)
  }
}
