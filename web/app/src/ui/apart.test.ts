import { expect, test } from 'vitest'

const styles = import.meta.glob<string>('../**/*.css', { query: '?raw', import: 'default', eager: true })

// alone are the classes that a style sheet gives a look wherever they stand.
const alone = (css: string) => [...css.replace(/\/\*.*?\*\//gs, '').matchAll(/^(\.[\w-]+)(?=[\s,{:.[])/gm)].map((m) => m[1])

test('a style that is fetched with one screen changes no other', () => {
  const inAll = [...styles['./style.css'].matchAll(/@import "(.+)"/g)].map((m) => m[1])
  const shared = new Set(inAll.flatMap((file) => alone(styles[file])))
  const later = Object.keys(styles).filter((file) => !inAll.includes(file) && file !== './style.css')
  expect(shared).toContain('.day')
  expect(later).toContain('../records/calendar.css') // the test sees what there is
  for (const file of later)
    expect(
      alone(styles[file]).filter((c) => shared.has(c)),
      file,
    ).toEqual([])
})
