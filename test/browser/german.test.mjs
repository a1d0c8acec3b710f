// The app in another language, on all of its main screens.

import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { api, demo, open } from './app.mjs'
import { base } from './browser.mjs'
import { close, found, prepare, see, tableOf, told, visit, whole } from './every.mjs'

// What is English has two of these words; some others, such as was or die, are German, too.
const telling = /\b(the|is|are|of|and|you|your|not|with|when|given|what|it|this|that|for|has|have|its|which|from|only|must)\b/gi

// German is the proof that all words are in catalogues: nothing that the app, the schema or the server says in English is left on its screens.
test('in German no English is left', { timeout: 900_000, skip: !whole }, async () => {
  const source = (name) => readFileSync(new URL(`../../web/app/src/i18n/messages/${name}.ts`, import.meta.url), 'utf8')
  const german = source('de') + source('de-labels')
  const words = [...(source('en') + source('later')).matchAll(/(?<=:\s+)'((?:[^'\\]|\\.)*)'/g)].flatMap(([, text]) => text.replaceAll("\\'", "'").split(' || '))
  const resources = await prepare()
  const schema = await api('GET', '/v1/schema')
  const gather = (x) => [x.label, x.help, ...[...(x.fields ?? []), ...(x.body ?? []), ...(x.actions ?? []), ...(x.options ?? [])].filter((f) => !f.custom).flatMap(gather)]
  const said = [...schema.resources, schema.business].flatMap(gather).filter(Boolean)
  // Words that stand alone may be names that somebody gave, such as that of a stage.
  const english = [...new Set([...words, ...said])].filter((text) => text.includes(' ') && !text.includes('{') && !german.includes(`'${text}',`) && !german.includes(`'${text}' `))
  // What people wrote is in the language that they wrote it in.
  const written = JSON.stringify(await Promise.all(schema.resources.map((r) => api('POST', r.path + '/search', { limit: 100 }))))
  const isEnglish = (text) => new Set(text.toLowerCase().match(telling)).size > 1 && !written.includes(JSON.stringify(text.replace(/ auswählen$/, '')).slice(1, -1))
  const page = await open('/app', { locale: 'de-DE' })
  await page.getByRole('navigation', { name: 'Hauptmenü' }).waitFor()
  const check = async (name, parts) => {
    const left = await page.evaluate((all) => {
      const known = new Set(all)
      const texts = [...document.querySelectorAll('body *')].flatMap((e) => (e.closest('bdi, noscript') ? [] : [...[...e.childNodes].filter((n) => n.nodeType === 3).map((n) => n.data.trim()), e.getAttribute('aria-label'), e.getAttribute('placeholder'), e.getAttribute('title')]))
      return [...new Set(texts.filter(Boolean))].map((text) => [text, known.has(text)])
    }, english)
    const still = left.filter(([text, known]) => known || isEnglish(text)).map(([text]) => text)
    if (still.length) found.push(`${name}: ${still.join(' | ')}`)
    if (whole) await see(page, `de-${name}`, parts)
  }
  await check('today')
  for (const r of resources) {
    await visit(page, tableOf(r))
    await page.locator('.grid-row [data-place="0:1"]').waitFor()
    await check(`list-${r.name}`)
    const making = page.locator('.title-row .button.primary')
    if (await making.count()) {
      await making.click()
      await page.getByRole('dialog').waitFor()
      const all = page.getByRole('dialog').getByRole('button', { name: 'Alle Felder zeigen' })
      if (await all.count()) await all.click()
      await check(`new-${r.name}`)
      await close(page, page.getByRole('dialog'))
    }
    await page.locator('[data-place="0:1"]').click()
    await page.locator('.record .facts').waitFor()
    await check(`record-${r.name}`)
  }
  for (const [name, at] of [['board', '/app/deals?layout=board'], ['reports', '/app/reports'], ['import', '/app/import']]) {
    await visit(page, at)
    await check(name)
  }
  await visit(page, '/app/settings')
  for (const at of await page.locator('.settings-nav a[href^="/app/settings/"]').evaluateAll((all) => all.map((a) => a.getAttribute('href')))) {
    await visit(page, at)
    await check(`settings-${at.split('/').at(-1)}`)
  }
  const { id } = await api('POST', '/v1/imports', { resource: 'contact' })
  await fetch(`${base}/v1/imports/${id}/file`, { method: 'PUT', headers: { authorization: `Bearer ${demo.token}`, version: 'v1', 'content-type': 'application/octet-stream' }, body: 'Name,E-Mail,Farbe\r\nBodo Biber,bodo,blau\r\n' })
  await visit(page, `/app/import/${id}`)
  await check('mapping')
  // The server's own pages, too.
  for (const [at, title] of [['/logout', 'Abmelden?'], ['/account/switch', 'Unternehmen wechseln'], ['/nowhere', 'Diese Seite gibt es nicht']]) {
    await page.goto(at)
    await page.getByRole('heading', { name: title, level: 1 }).waitFor()
    await check(`page-${at.slice(1).replace('/', '-')}`, { phones: false }) // where there is no app around them
  }
  await page.context().close()
  told()
})
