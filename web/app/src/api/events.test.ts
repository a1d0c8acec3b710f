import { describe, expect, it } from 'vitest'
import { eventReader } from './events'

const text = 'retry: 1000\nid: 7\n\nid: 8\ndata: {"seq":8}\n\n:\n\nevent: end\r\ndata: a\r\ndata:b\r\n\r\n'
const events = [
  { id: '7', event: 'message', data: '' },
  { id: '8', event: 'message', data: '{"seq":8}' },
  { id: undefined, event: 'message', data: '' },
  { id: undefined, event: 'end', data: 'a\nb' },
]

describe('eventReader', () => {
  it('reads what comes at once', () => expect(eventReader()(text)).toEqual(events))
  it('reads what comes in pieces of any size', () => {
    for (let size = 1; size < 9; size++) {
      const read = eventReader()
      const got = []
      for (let i = 0; i < text.length; i += size) got.push(...read(text.slice(i, i + size)))
      expect(got, `pieces of ${size}`).toEqual(events)
    }
  })
  it('waits for the end of an event', () => {
    const read = eventReader()
    expect(read('id: 9\ndata: x\n')).toEqual([])
    expect(read('\n')).toEqual([{ id: '9', event: 'message', data: 'x' }])
  })
})
