import { expect, test } from 'vitest'

const texts = import.meta.glob<string>(['./**/*.ts', './**/*.tsx', '!./**/*.test.ts'], { query: '?raw', import: 'default', eager: true })
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
