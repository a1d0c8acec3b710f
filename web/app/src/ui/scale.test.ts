import { expect, test } from 'vitest'

const styles = import.meta.glob<string>(['../**/*.css', '!./tokens.css', '!./fonts.css'], { query: '?raw', import: 'default', eager: true })

// outside are the declarations of type that are no step of the scale in tokens.css.
const outside = (css: string) => [
  ...(css.match(/font-size: (?!var\(--text|inherit|0;)[^;]+/g) ?? []),
  ...(css.match(/font-weight: (?!var\(--|400|inherit)[^;]+/g) ?? []),
]

test('type goes by the steps of one scale', () => {
  expect(outside('a { font-size: 0.8125rem; font-weight: 560; } b { font-size: var(--text-s); font-weight: 400; }')).toEqual([
    'font-size: 0.8125rem',
    'font-weight: 560',
  ]) // the test sees what there is
  expect(styles['../records/record.css']).toContain('font-size: var(--text)')
  for (const [file, css] of Object.entries(styles)) expect(outside(css), file).toEqual([])
})
