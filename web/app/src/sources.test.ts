import type { ResourceName } from 'kith-client-names'
import { expect, test } from 'vitest'

const texts = import.meta.glob<string>(['./**/*.ts', './**/*.tsx', '!./**/*.test.ts', '!./**/*.test.tsx'], {
  query: '?raw',
  import: 'default',
  eager: true,
})
const sources = Object.keys(texts)

const byPlace = new Map(sources.map((s) => [new URL(s, 'file://x/').href.replace(/\.tsx?$/, ''), s]))

// imported are the sources that one needs: for their types as well, and those that it fetches later.
function imported(source: string): string[] {
  return [...texts[source].matchAll(/(?:^(?:import|export) (?:[^'"]*? from )?|\bimport\()'(\.[^']+)'/gm)].flatMap(
    (m) => byPlace.get(new URL(m[1], `file://x/${source}`).href) ?? [],
  )
}

// Two sources that need each other are one thing in two places; which of them runs first is chance, and neither is read alone.
test('no source needs itself in a circle', () => {
  const needs = new Map(sources.map((s) => [s, imported(s)]))
  expect(needs.get('./records/filters.tsx')).toContain('./schema/schema.ts') // the test sees what there is
  expect(needs.get('./records/filters.tsx')).toContain('./records/filter-box.tsx')
  const clear = new Set<string>()
  const walk = (source: string, way: string[]): void => {
    if (way.includes(source)) throw new Error([...way.slice(way.indexOf(source)), source].join(' → '))
    if (clear.has(source)) return
    for (const next of needs.get(source)!) walk(next, [...way, source])
    clear.add(source)
  }
  for (const source of sources) walk(source, [])
})

// What browsers say of a field is in their own language, and in a bubble that is gone soon. A form says it itself.
test('no form leaves it to the browser to say what is missing', () => {
  const forms = (source: string) => [...texts[source].matchAll(/<form\b/g)].length
  expect(forms('./records/form.tsx')).toBe(1) // the test sees what there is
  for (const source of sources) expect([...texts[source].matchAll(/\bnoValidate\b/g)].length, source).toBe(forms(source))
})

// The compiler keeps this list to what there is.
const kinds = Object.keys({
  activity: true,
  app: true,
  association: true,
  business: true,
  company: true,
  contact: true,
  deal: true,
  field: true,
  follow: true,
  lifecycle_stage: true,
  loss_reason: true,
  note: true,
  notification: true,
  pipeline: true,
  product: true,
  quote: true,
  report: true,
  role: true,
  task: true,
  token: true,
  user: true,
  view: true,
  webhook: true,
} satisfies Record<ResourceName, true>)

// What is made for kinds may name them, and the lists that collect what is special about each: the rest works for any kind, and asks those.
const special =
  /^\.\/(activities|contacts|deals|inbox|quotes|samples|settings)\/|^\.\/(today\/|reports\/)?kinds\.ts$|\/messages\/|test-data/
const generic = sources.filter((s) => !special.test(s))

// Some of it is made for a kind that serves all others.
const own: Record<string, string[]> = {
  './api/records.ts': ['token'], // what a kind's type is called
  './imports/columns.tsx': ['field'], // a column can become a field
  './imports/upload.tsx': ['business', 'pipeline'], // the archive of a business, for who may set it up
  './sidebar.tsx': ['view'],
  './records/associated.tsx': ['association'],
  './records/associated-with.ts': ['association'],
  './records/names.ts': ['user'],
  './records/timeline.tsx': ['app'], // which may have changed something
  './records/views.tsx': ['view'],
  './reports/own.tsx': ['report'],
}

// Words that are said of other things as well; what is decided by them is found nevertheless.
const everyday = ['field', 'report', 'user', 'view']

// namesOf are the kinds that a source decides by, asks for, or has a word for.
function namesOf(text: string): string[] {
  const find = (forms: RegExp[]) => forms.flatMap((form) => [...text.matchAll(form)].flatMap((m) => m[1].replaceAll("'", '').split(', ')))
  const decided = find([
    /(?:name|target|kind|resource|of) (?:===|!==) '(\w+)'/g,
    /\b(?:name|target|kind|resource): '(\w+)'/g,
    /useResource\('(\w+)'\)/g,
    /\/v1\/(\w+?)s?(?=[/'`?])/g,
    /\[((?:'\w+'(?:, )?)+)\]\.includes\(\w+\.(?:name|target)\)/g,
  ])
  const said = find([/['"`](\w+)['"`]/g, /\b(\w+)_id\b/g])
  return kinds.filter(
    (k) =>
      [k, k.replace(/y$/, 'ie')].some((name) => decided.includes(name)) ||
      (!everyday.includes(k) && [k, `${k}s`, k.replace(/y$/, 'ies')].some((name) => said.includes(name))),
  )
}

test('what works for any kind of record names none', () => {
  expect(namesOf("res.name === 'deal' && call('POST', '/v1/activities', {}) && ['contact', 'user'].includes(res.name)")).toEqual([
    'activity',
    'contact',
    'deal',
    'user',
  ]) // the test sees what there is
  expect(namesOf("['task', mine], record.quote_id, <Icon name=\"note\" /> && go(root + 'companies') && t('field')")).toEqual([
    'company',
    'note',
    'quote',
    'task',
  ])
  for (const source of ['./records/record.tsx', './today/today.tsx', './today/start.tsx', './reports/reports.tsx', './shell.tsx'])
    expect(generic).toContain(source)
  for (const source of generic)
    expect(
      namesOf(texts[source]).filter((k) => !own[source]?.includes(k)),
      source,
    ).toEqual([])
})

// What is special about a kind is reached by what collects it. Stages are no kind, and are named like records; pages have the composer.
const reached: Record<string, string[]> = {
  './records/fields.tsx': ['deals/stages'],
  './records/names.ts': ['deals/stages'],
  './records/page/head.tsx': ['activities/composer'],
  './records/page/reach.tsx': ['activities/composer'],
  './records/record.tsx': ['activities/composer'],
}

test('what works for any kind of record reaches into the folder of none', () => {
  const into = (text: string) => [...text.matchAll(/'\.[^']*?\b((?:activities|contacts|deals|quotes)\/[^']+)'/g)].map((m) => m[1])
  expect(into("import { A } from '../deals/stages'; lazy(() => import('./quotes/quote'))")).toEqual(['deals/stages', 'quotes/quote'])
  for (const source of generic) expect(into(texts[source]), source).toEqual(reached[source] ?? [])
})
