import { expect, test } from 'vitest'
import { nextAddress } from './next-address'

test('nobody is sent elsewhere after setting up a second factor', () => {
  const to = (next: string) => nextAddress(`?${new URLSearchParams({ next })}`, '/app')
  expect(nextAddress('', '/app')).toBe('/app')
  expect(to('/app/contacts?q=bo')).toBe('/app/contacts?q=bo')
  expect(to('/oauth/authorize?client_id=x&state=y')).toBe('/oauth/authorize?client_id=x&state=y')
  for (const evil of [
    'https://evil.example.com/',
    '//evil.example.com/app',
    '/\\evil.example.com',
    'javascript:alert(1)',
    '/logout',
    '/app/../logout',
    '/oauth/authorize/../../logout',
    '/application',
    'app',
    '/',
    '/\t/evil.example.com/app',
  ])
    expect(to(evil), evil).toBe('/app')
})
