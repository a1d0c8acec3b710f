import { KithError } from './errors.js'
import type { ResourceName } from './names.gen.js'
import { Resource, type Change, type Kind } from './resource.js'
import { plurals, type Business, type BusinessInput, type Resources, type User } from './resources.gen.js'
import { pause, Transport, type CallOptions, type Options, type Request, type WriteOptions } from './transport.js'

/** Which changes of the business are wanted. */
export interface ChangesQuery {
  /** The number behind which to begin; 0 is the beginning. */
  after?: number
  /** Only changes of these; all that may be read when not given. */
  resources?: readonly ResourceName[]
}

/** Who the token stands for, and what they may do. */
export interface Me {
  business: Business
  user: User
  role: string
  features: string[]
  scopes: string[]
  permissions: Record<string, unknown>
  sends_mail: boolean
}

// eslint-disable-next-line @typescript-eslint/no-unsafe-declaration-merging
export interface Kith extends Resources {}

/** A connection to a server on behalf of one user of one business. Each resource is a member: kith.contacts.search(). */
// eslint-disable-next-line @typescript-eslint/no-unsafe-declaration-merging
export class Kith {
  private readonly transport: Transport
  private readonly retries: number

  constructor(options: Options) {
    this.transport = new Transport(options)
    this.retries = options.retries ?? 4
    for (const plural of plurals) {
      Object.defineProperty(this, plural, { value: new Resource<Kind>(this.transport, plural), enumerable: true })
    }
  }

  /** Who the token stands for, and what they may do. */
  me(options: CallOptions = {}): Promise<Me> {
    return this.transport.json({ method: 'GET', path: '/me', options })
  }

  business(options: CallOptions = {}): Promise<Business> {
    return this.transport.json({ method: 'GET', path: '/business', options })
  }

  updateBusiness(data: BusinessInput, options: WriteOptions = {}): Promise<Business> {
    return this.transport.json({ method: 'PATCH', path: '/business', body: data, writes: true, options })
  }

  /** Takes back what a request did. */
  undo(
    requestId: string, options: WriteOptions = {},
  ): Promise<{ data: unknown[]; meta: { total: number; undone: number; left: number; request_id: string } }> {
    return this.transport.json({ method: 'POST', path: '/undo', body: { request_id: requestId }, writes: true, options })
  }

  /** Makes any other request, in the same way. */
  request<T>(request: Request): Promise<T> {
    return this.transport.json(request)
  }

  /** Walks through the changes of the business in the order in which they were made, up to the newest that there is. */
  async *changes(query: ChangesQuery = {}, options: CallOptions = {}): AsyncGenerator<Change, void, undefined> {
    for (let after = query.after ?? 0; ; ) {
      const page = await this.transport.json<{ data: Change[]; meta: { latest: number; next: number } }>({
        method: 'POST', path: '/changes/search', body: { limit: 100, ...query, after }, options,
      })
      yield* page.data
      if (page.meta.next >= page.meta.latest || page.meta.next <= after) return
      after = page.meta.next
    }
  }

  /**
   * Walks through the changes of the business as they are made: those behind the number after, and then what happens from now on;
   * without it only the latter. It does not end by itself. A connection that breaks is come back to, and nothing is missed or told
   * twice.
   */
  async *listen(query: ChangesQuery = {}, options: CallOptions = {}): AsyncGenerator<Change, void, undefined> {
    let at = query.after
    for (let failed = 0; ; failed++) {
      const asked = new URLSearchParams()
      if (at !== undefined) asked.set('after', String(at))
      if (query.resources?.length) asked.set('resources', query.resources.join(','))
      const path = '/changes/stream' + (asked.size > 0 ? `?${asked}` : '')
      const broken = new AbortController()
      const signal = options.signal ? AbortSignal.any([options.signal, broken.signal]) : broken.signal
      try {
        const response = await this.transport.raw({ method: 'GET', path, headers: { Accept: 'text/event-stream' }, options: { signal } })
        let id = at
        for await (const [name, value] of lines(response, () => broken.abort())) {
          if (name === 'id') id = Number(value)
          else if (name === '') at = id // an event without data tells how far there was nothing to tell
          else if (name === 'data') {
            const change = JSON.parse(value) as Change
            if (change.seq === undefined || (at !== undefined && change.seq <= at)) continue // what the server says of its end has no seq
            at = change.seq
            failed = 0
            yield change
          }
        }
      } catch (error) {
        if (options.signal?.aborted || error instanceof KithError || failed >= this.retries) throw error
      } finally {
        broken.abort()
      }
      await pause(Math.min(100 * 2 ** failed, 30_000) * (1 - Math.random() / 2), options.signal)
    }
  }
}

/** The server says something every 15 seconds. */
const silence = 45_000

/** The lines of a stream of events, as names and values. */
async function* lines(response: Response, giveUp: () => void): AsyncGenerator<[string, string], void, undefined> {
  const reader = (response.body ?? new ReadableStream<Uint8Array>()).getReader()
  const decoder = new TextDecoder()
  let rest = ''
  for (;;) {
    const quiet = setTimeout(giveUp, silence)
    const { done, value } = await reader.read().finally(() => clearTimeout(quiet))
    if (done) return
    const parts = (rest + decoder.decode(value, { stream: true })).split('\n')
    rest = parts.pop() ?? ''
    for (const line of parts) {
      const at = line.indexOf(': ')
      yield at < 0 ? [line, ''] : [line.slice(0, at), line.slice(at + 2)]
    }
  }
}
