import type { ResourceName } from 'kith-client-names'
import { expect, test } from 'vitest'

const texts = import.meta.glob<string>(['./**/*.ts', './**/*.tsx', '!./**/*.test.ts', '!./**/*.test.tsx'], {
  query: '?raw',
  import: 'default',
  eager: true,
})
const sources = Object.keys(texts)

const byPlace = new Map(sources.map((s) => [new URL(s, 'file://x/').href.replace(/\.tsx?$/, ''), s]))

// imported are the sources that one needs before it can run: neither types nor what it fetches later.
function imported(source: string): string[] {
  return [...texts[source].matchAll(/^(?:import|export) (?!type )(?:[^'"]*? from )?'(\.[^']+)'/gm)].flatMap(
    (m) => byPlace.get(new URL(m[1], `file://x/${source}`).href) ?? [],
  )
}

// Two sources that need each other are one thing in two places, and which of them runs first is chance.
test('no source needs itself in a circle', () => {
  const needs = new Map(sources.map((s) => [s, imported(s)]))
  expect(needs.get('./records/list.tsx')).toContain('./schema/schema.ts') // the test sees what there is
  const clear = new Set<string>()
  const walk = (source: string, way: string[]): void => {
    if (way.includes(source)) throw new Error([...way.slice(way.indexOf(source)), source].join(' → '))
    if (clear.has(source)) return
    for (const next of needs.get(source)!) walk(next, [...way, source])
    clear.add(source)
  }
  for (const source of sources) walk(source, [])
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
  lifecycle_stage: true,
  note: true,
  pipeline: true,
  product: true,
  quote: true,
  role: true,
  task: true,
  token: true,
  user: true,
  view: true,
  webhook: true,
} satisfies Record<ResourceName, true>)

// What is made for one kind may name it: the list of kinds has what is special about others.
const own: Record<string, string[]> = {
  './records/associated.tsx': ['association'],
  './records/names.ts': ['user'],
  './records/views.tsx': ['view'],
}

// namesOf are the kinds that a source decides by, or asks for.
function namesOf(text: string): string[] {
  const said = [
    /(?:name|target|kind|resource|of) (?:===|!==) '(\w+)'/g,
    /\b(?:name|target|kind|resource): '(\w+)'/g,
    /useResource\('(\w+)'\)/g,
    /\/v1\/(\w+?)s?(?=[/'`?])/g,
    /\[((?:'\w+'(?:, )?)+)\]\.includes\(\w+\.(?:name|target)\)/g,
  ].flatMap((form) => [...text.matchAll(form)].flatMap((m) => m[1].replaceAll("'", '').split(', ')))
  return kinds.filter((k) => said.includes(k) || said.includes(k.replace(/y$/, 'ie')))
}

test('what works for any kind of record names none', () => {
  expect(namesOf("res.name === 'deal' && call('POST', '/v1/activities', {}) && ['contact', 'user'].includes(res.name)")).toEqual([
    'activity',
    'contact',
    'deal',
    'user',
  ]) // the test sees what there is
  const generic = sources.filter((s) => /^\.\/(api|schema|ui|records)\/|^\.\/i18n\/\w+\.ts$/.test(s) && !s.includes('test-data'))
  expect(generic).toContain('./records/record.tsx')
  for (const source of generic)
    expect(
      namesOf(texts[source]).filter((k) => !own[source]?.includes(k)),
      source,
    ).toEqual([])
})
