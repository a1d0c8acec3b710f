import { expect, test } from 'vitest'

const texts = import.meta.glob<string>(['./**/*.ts', './**/*.tsx', '!./**/*.test.ts'], { query: '?raw', import: 'default', eager: true })
const sources = Object.keys(texts)

// imported are the sources that one needs before it can run: neither types nor what it fetches later.
function imported(source: string): string[] {
  const named = [...texts[source].matchAll(/^(?:import|export) (?!type )(?:[^'"]*? from )?'(\.[^']+)'/gm)].map(
    (m) => new URL(m[1], `file://x/${source}`).href,
  )
  return sources.filter((s) => named.includes(new URL(s, 'file://x/').href.replace(/\.tsx?$/, '')))
}

// Two sources that need each other are one thing in two places, and which of them runs first is chance.
test('no source needs itself in a circle', () => {
  const needs = new Map(sources.map((s) => [s, imported(s)]))
  expect(needs.get('./list.tsx')).toContain('./model.ts') // the test sees what there is
  const clear = new Set<string>()
  const walk = (source: string, way: string[]): void => {
    if (way.includes(source)) throw new Error([...way.slice(way.indexOf(source)), source].join(' → '))
    if (clear.has(source)) return
    for (const next of needs.get(source)!) walk(next, [...way, source])
    clear.add(source)
  }
  for (const source of sources) walk(source, [])
})
