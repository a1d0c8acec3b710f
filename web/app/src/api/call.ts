// Everything that the app knows comes through the public API; this is the one place that calls it.

import { knownSentence, translateSentence } from '../i18n/translate'
import { seenAs, seenAsHeader, stopSeeing } from './see-as'

export type FieldChange = { version: number; at: string; actor: { user_id: string | null }; fields: string[] }

// Fault is what is wrong with one field of what was sent; said is the message in the language of whoever reads it, where that knows it.
export type Fault = { field: string; code: string; message: string; said?: string | null }

// ProblemBody is what the API answers where it refuses; nothing of it where there was no answer.
type ProblemBody = {
  title?: string
  detail?: string
  code?: string
  errors?: Fault[]
  current_version?: number
  changes?: FieldChange[]
}

export class Problem extends Error {
  status: number
  code: string
  errors: Fault[]
  said: string | null
  currentVersion?: number
  changes: FieldChange[]
  constructor(status: number, body: ProblemBody) {
    super(translateSentence(body.detail ?? body.title ?? ''))
    this.status = status
    this.code = body.code ?? 'network'
    this.errors = (body.errors ?? []).map((e) => ({ ...e, message: translateSentence(e.message), said: knownSentence(e.message) }))
    this.said = knownSentence(body.detail ?? '') || null
    this.currentVersion = body.current_version
    this.changes = body.changes ?? []
  }
}

type Options = { match?: number; signal?: AbortSignal; headers?: Record<string, string>; confirmed?: boolean }

// What hands out access is refused where the password was given long ago. Then it is asked for, and what was to be done is done again.
let confirming: (() => Promise<boolean>) | null = null
export const confirmBy = (ask: (() => Promise<boolean>) | null) => {
  confirming = ask
}

// fetchApi sends a request as the person who is logged in. What never got an answer is a problem without a status.
export async function fetchApi(method: string, path: string, body?: unknown, options: Options = {}): Promise<Response> {
  let response: Response
  try {
    response = await fetch(path, {
      method,
      headers: {
        Version: 'v1',
        ...seenAsHeader,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...(options.match === undefined ? {} : { 'If-Match': `"${options.match}"` }),
        ...options.headers,
      },
      body: body === undefined ? undefined : JSON.stringify(body),
      credentials: 'same-origin',
      signal: options.signal,
    })
  } catch (error) {
    if (options.signal?.aborted) throw error
    throw new Problem(0, {})
  }
  if (response.status === 401) {
    // The session is over. Where to come back to goes along.
    location.assign('/login?next=' + encodeURIComponent(location.pathname + location.search))
    return new Promise(() => {})
  }
  if (!response.ok) {
    const problem = new Problem(response.status, await response.json().catch(() => ({})))
    // The role is gone, or one may not see as it any more.
    if (seenAs && (problem.errors.some((e) => e.field === 'See-As') || (path === '/v1/me' && response.status === 403))) {
      stopSeeing()
      return new Promise(() => {})
    }
    if (problem.code === 'confirmation_required' && confirming && !options.confirmed && (await confirming()))
      return fetchApi(method, path, body, { ...options, confirmed: true })
    throw problem
  }
  return response
}

// tell sends a write and also gives the id of the request, by which it can be taken back.
export async function tell<T = unknown>(
  method: string,
  path: string,
  body?: unknown,
  options: Options = {},
): Promise<{ answer: T; request: string }> {
  const response = await fetchApi(method, path, body, options)
  const request = response.headers.get('X-Request-Id') ?? ''
  if (response.status === 204) return { answer: undefined as T, request }
  try {
    return { answer: await response.json(), request }
  } catch (error) {
    if (options.signal?.aborted) throw error
    throw new Problem(0, {})
  }
}

export const call = async <T = unknown>(method: string, path: string, body?: unknown, options: Options = {}): Promise<T> =>
  (await tell<T>(method, path, body, options)).answer

// fetchFile gets what is no JSON.
export const fetchFile = async (path: string): Promise<Blob> => (await fetchApi('GET', path)).blob()

// Rec is a record of any resource, with the fields that many have; what else it holds the schema tells.
export type Rec = {
  id: string
  version: number
  owner_id?: string | null
  currency?: string | null
  deleted_at?: string | null
  merged_into_id?: string | null
  merged_into?: { name?: string } | null
  [field: string]: unknown
}

export type Filter = { field: string; operator: string; value?: unknown; values?: unknown[] }

export type Search = {
  filters?: Filter[]
  search_text?: string
  order_by?: string
  sort_direction?: 'asc' | 'desc'
  fields?: string[]
  limit?: number
  cursor?: string
  total?: boolean
}

export type Page<R = Rec> = { data: R[]; meta: { cursor: { next: string | null; has_more: boolean }; total?: number } }

// Hit is a record that a search of everything found.
export type Hit = { resource: string; record: Rec }

// Factors are what somebody logs in with beside the password.
export type Factors = {
  email: string
  role: string
  required: boolean
  has_password: boolean
  passkeys_work: boolean
  authenticator: { id: string; created_at: string } | null
  passkeys: { id: string; name: string; created_at: string; used_at: string | null }[]
  recovery_codes_left: number
}

export type Me = {
  business: { id: string; name: string; currency: string; timezone: string | null; locale: string | null }
  user: {
    id: string
    version: number
    name: string
    email: string
    pending_email: string | null
    timezone: string | null
    locale: string | null
    second_factor_at: string | null
    muted_notifications: string[]
    notifications_mailed_at_once: string[]
    notifications_not_mailed: string[]
  }
  role: string
  features: string[]
  scopes: string[]
  sends_mail: boolean
}

// searches asks several searches in as few requests as can be.
export async function searches(all: { res: { name: string }; search: object }[]): Promise<Page[]> {
  const most = 10
  const parts = Array.from({ length: Math.ceil(all.length / most) }, (_, i) => all.slice(i * most, (i + 1) * most))
  const found = await Promise.all(
    parts.map((part) =>
      call<{ data: Page[] }>('POST', '/v1/search/batch', { searches: part.map(({ res, search }) => ({ resource: res.name, search })) }),
    ),
  )
  return found.flatMap((f) => f.data)
}
