import { KithError, type Problem } from './errors.js'

/** How to reach a server. */
export interface Options {
  /** Where the server is: https://crm.example.com */
  url: string
  /** A personal access token, or what gives an access token; it is asked for each request. */
  token: string | (() => string | Promise<string>)
  /** How often a request is sent again that may be: 4 times unless told. */
  retries?: number
  /** The first and the longest wait before that, in milliseconds: 100 and 30,000 unless told. */
  backoff?: { first: number; longest: number }
  /** How long one attempt may take, in milliseconds: 60,000 unless told. */
  timeout?: number
  /** What sends requests in place of the global fetch. */
  fetch?: typeof fetch
}

/** What any call takes. */
export interface CallOptions {
  /** Ends the call early. */
  signal?: AbortSignal
}

/** What a write takes. */
export interface WriteOptions extends CallOptions {
  /** The version that the record must have; otherwise precondition_failed. */
  ifMatch?: number
  /** Checks and answers, and writes nothing. */
  dryRun?: boolean
  /** A name of your own for the request: sent again within a day it is not done twice. The client takes a random one unless told. */
  idempotencyKey?: string
}

/** One request, as the transport takes it. */
export interface Request {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** What follows /v1. */
  path: string
  body?: unknown
  /** Tells that it writes, so that it has an idempotency key. */
  writes?: boolean
  headers?: Record<string, string>
  options?: WriteOptions
}

const apiVersion = 'v1'
const worthRetrying = new Set([429, 502, 503, 504])

/** Sends requests, again where that may help. */
export class Transport {
  private readonly options: Options
  private readonly base: string

  constructor(options: Options) {
    this.options = options
    this.base = options.url.replace(/\/+$/, '')
  }

  /** Sends a request and reads the JSON that is answered; nothing where there is none. */
  async json<T>(request: Request): Promise<T> {
    return this.again(request, async (response) => {
      const text = await response.text()
      return (text === '' ? undefined : JSON.parse(text)) as T
    })
  }

  /** Sends a request, and gives the answer as it is. */
  async raw(request: Request): Promise<Response> {
    return this.again(request, (response) => Promise.resolve(response), false)
  }

  private async again<T>(request: Request, read: (response: Response) => Promise<T>, bounded = true): Promise<T> {
    const { signal, ifMatch, dryRun, idempotencyKey } = request.options ?? {}
    const headers: Record<string, string> = { Version: apiVersion, Accept: 'application/json', ...request.headers }
    if (request.body !== undefined) headers['Content-Type'] = 'application/json'
    if (ifMatch !== undefined) headers['If-Match'] = `"${ifMatch}"`
    // The same each time, so that nothing is done twice although the answer was lost.
    if (request.writes) headers['Idempotency-Key'] = idempotencyKey ?? crypto.randomUUID()
    const url = `${this.base}/${apiVersion}${request.path}${dryRun ? '?dry_run=true' : ''}`
    const body = request.body === undefined ? undefined : JSON.stringify(request.body)
    const { retries = 4, backoff = { first: 100, longest: 30_000 }, timeout = 60_000 } = this.options
    const send = this.options.fetch ?? fetch
    for (let attempt = 0; ; attempt++) {
      let wait = 0
      try {
        const token = typeof this.options.token === 'string' ? this.options.token : await this.options.token()
        const ends = [signal, bounded ? AbortSignal.timeout(timeout) : undefined].filter((s) => s !== undefined)
        const response = await send(url, {
          method: request.method,
          headers: { ...headers, Authorization: `Bearer ${token}` },
          ...(body === undefined ? {} : { body }),
          ...(ends.length === 0 ? {} : { signal: AbortSignal.any(ends) }),
        })
        if (response.ok) return await read(response)
        throw await refusal(response)
      } catch (error) {
        if (signal?.aborted || attempt >= retries) throw error
        if (error instanceof KithError) {
          // What was sent before is still being done: its answer comes soon.
          if (!worthRetrying.has(error.status) && error.code !== 'idempotency_in_progress') throw error
          wait = error.problem.retry_after_ms ?? 0
          if (wait > backoff.longest) throw error
        } // else there was no connection, or it broke: whether the request was done is not known
      }
      if (wait === 0) {
        wait = Math.min(backoff.first * 2 ** Math.min(attempt, 20), backoff.longest)
        wait -= Math.random() * wait / 2 // so that clients that failed together do not come back together
      }
      await pause(wait, signal)
    }
  }
}

async function refusal(response: Response): Promise<KithError> {
  const text = await response.text()
  let problem: Partial<Problem>
  try {
    problem = JSON.parse(text) as Partial<Problem>
    if (typeof problem?.code !== 'string') throw new Error('no problem of the server')
  } catch {
    problem = { title: response.statusText, detail: text.slice(0, 300) }
  }
  const after = Number(response.headers.get('Retry-After'))
  if (problem.retry_after_ms === undefined && after > 0) problem.retry_after_ms = after * 1000
  return new KithError(response.status, problem, response.headers.get('X-Request-Id') ?? undefined)
}

/** Waits, unless a signal ends it. */
export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((done, fail) => {
    const stop = () => {
      clearTimeout(timer)
      fail(signal?.reason as Error)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      done()
    }, milliseconds)
    if (signal?.aborted) stop()
    else signal?.addEventListener('abort', stop, { once: true })
  })
}
