// Server-sent events, read from a stream of text that comes in pieces.

export type StreamEvent = { id?: string; event: string; data: string }

// eventReader gives a function that takes the next piece and gives the events that are whole by it. A comment is an event without anything.
export function eventReader(): (piece: string) => StreamEvent[] {
  let rest = ''
  let now: { id?: string; event?: string; data: string[]; any: boolean } = { data: [], any: false }
  return (piece) => {
    const whole: StreamEvent[] = []
    const lines = (rest + piece).split('\n')
    rest = lines.pop()!
    for (const raw of lines) {
      const line = raw.endsWith('\r') ? raw.slice(0, -1) : raw
      if (line === '') {
        if (now.any) whole.push({ id: now.id, event: now.event ?? 'message', data: now.data.join('\n') })
        now = { data: [], any: false }
        continue
      }
      now.any = true
      const colon = line.indexOf(':')
      const name = colon < 0 ? line : line.slice(0, colon)
      const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '')
      if (name === 'id') now.id = value
      else if (name === 'event') now.event = value
      else if (name === 'data') now.data.push(value)
    }
    return whole
  }
}
