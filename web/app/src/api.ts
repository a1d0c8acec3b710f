// Everything that the app knows comes through the public API; this is the one place that calls it.

export type FieldChange = { version: number; at: string; actor: { user_id: string | null }; fields: string[] }

export class Problem extends Error {
  status: number
  code: string
  errors: { field: string; code: string; message: string }[]
  currentVersion?: number
  changes: FieldChange[]
  constructor(status: number, body: Record<string, any>) {
    super(body.detail ?? body.title ?? '')
    this.status = status
    this.code = body.code ?? 'network'
    this.errors = body.errors ?? []
    this.currentVersion = body.current_version
    this.changes = body.changes ?? []
  }
}

// The key of a write lets it be sent again after a lost answer without being done twice.
async function send(method: string, path: string, body: unknown, headers: Record<string, string>): Promise<Response> {
  return fetch(path, {
    method,
    headers: { Version: 'v1', ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
    body: body === undefined ? undefined : JSON.stringify(body),
    credentials: 'same-origin',
  })
}

export async function call<T = any>(method: string, path: string, body?: unknown, options: { match?: number; signal?: AbortSignal } = {}): Promise<T> {
  const headers: Record<string, string> = {}
  if (options.match !== undefined) headers['If-Match'] = `"${options.match}"`
  let response: Response
  try {
    response = await send(method, path, body, headers)
  } catch {
    throw new Problem(0, {})
  }
  if (response.status === 204) return undefined as T
  const text = await response.text()
  let answer: any = {}
  try {
    answer = text ? JSON.parse(text) : {}
  } catch {
    throw new Problem(response.status, {})
  }
  if (response.status === 401) {
    // The session is over. Where to come back to goes along.
    location.assign('/login?next=' + encodeURIComponent(location.pathname + location.search))
    return new Promise<T>(() => {})
  }
  if (!response.ok) throw new Problem(response.status, answer)
  return answer
}

export type Rec = { id: string; version: number; [field: string]: any }

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

export type Page = { data: Rec[]; meta: { cursor: { next: string | null; has_more: boolean }; total?: number } }

export type Me = {
  business: { id: string; name: string; currency: string; timezone: string | null; locale: string | null }
  user: { id: string; name: string; email: string; timezone: string | null; locale: string | null }
  role: string
  features: string[]
}
