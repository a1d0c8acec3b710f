import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, test, vi } from 'vitest'
import type { Me } from '../../api/call'
import { AppContext } from '../../api/context'
import { leaves } from '../../schema/schema'
import { things } from '../../schema/things.test-data'
import { Row } from './rows'

// A row is drawn without a browser; its links only have to know where they are.
vi.hoisted(() => {
  vi.stubGlobal('location', new URL('https://kith.example/app'))
  vi.stubGlobal('addEventListener', () => {})
  vi.stubGlobal('navigator', { languages: ['en'] })
})

const columns = ['title', 'weight', 'made_by'].map((path) => ({ leaf: leaves(things).find((l) => l.path === path)!, width: 100 }))
const record = { id: 'thing_1', version: 1, title: 'A thing', weight: 7 }
const nothing = () => {}

const drawn = (more: Partial<Parameters<typeof Row>[0]> = {}) =>
  renderToStaticMarkup(
    <QueryClientProvider client={new QueryClient()}>
      <AppContext value={{ me: {} as Me, schema: { resources: [things] } }}>
        <Row
          res={things}
          record={record}
          row={4}
          columns={columns}
          top={0}
          height={36}
          template="1fr"
          ticked={false}
          acts={{ tick: nothing, canEdit: (_, l) => l.path === 'weight', choose: nothing, edit: nothing, done: nothing }}
          {...more}
        />
      </AppContext>
    </QueryClientProvider>,
  )

const cells = (html: string) => html.match(/<div role="gridcell"[^>]*>/g)!
const tabs = (html: string) => [...html.matchAll(/data-place="(\d+:\d+)" tabindex="(-?\d)"|tabindex="(-?\d)" data-place="(\d+:\d+)"/gi)]

describe('a row of a grid', () => {
  test('says where it and its cells are', () => {
    const html = drawn()
    expect(html).toContain('aria-rowindex="6"') // the head is the first
    expect(cells(html).map((c) => /aria-colindex="(\d)"/.exec(c)?.[1])).toEqual(['1', '2', '3', '4'])
    for (const place of ['4:0', '4:1', '4:2', '4:3']) expect(html).toContain(`data-place="${place}"`)
  })
  test('has one place at most that Tab leads to', () => {
    expect(tabs(drawn()).filter((m) => m[2] === '0' || m[3] === '0')).toEqual([])
    expect(tabs(drawn({ active: 2 })).flatMap((m) => (m[2] === '0' || m[3] === '0' ? [m[1] ?? m[4]] : []))).toEqual(['4:2'])
  })
  test('says which values can be changed', () => {
    expect(cells(drawn()).map((c) => /aria-readonly="(\w+)"/.exec(c)?.[1])).toEqual([undefined, undefined, 'false', 'true'])
  })
  test('says whether it is selected', () => {
    expect(drawn({ ticked: true })).toContain('aria-selected="true"')
    expect(drawn()).toContain('aria-selected="false"')
  })
  test('has more under the name where it is a card', () => {
    expect(drawn({ columns: columns.slice(0, 1), more: [columns[1].leaf] })).toMatch(/card-more.*7/)
  })
})
