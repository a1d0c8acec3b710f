import type { ErrorCode } from './names.gen.js'

/** One field of the input that is wrong. */
export interface FieldProblem {
  field: string
  code: string
  message: string
  allowed?: string[]
}

/** What the server says of a refusal (RFC 9457). */
export interface Problem {
  type: string
  title: string
  status: number
  detail: string
  code: ErrorCode
  request_id: string
  errors?: FieldProblem[]
  errors_omitted?: number
  allowed?: string[]
  scope?: string
  existing_id?: string
  existing_ids?: string[]
  merged_into?: string
  current_version?: number
  changes?: { version: number; at: string; actor: Record<string, string | null>; fields: string[] }[]
  changes_omitted?: number
  retry_after_ms?: number
}

/** What the server refused. The code is stable; what else is known of it is in the problem. */
export class KithError extends Error {
  override readonly name = 'KithError'
  readonly status: number
  /** Undefined where something between here and the server answered. */
  readonly code: ErrorCode | undefined
  readonly problem: Partial<Problem>
  /** Every field that is wrong. */
  readonly fields: FieldProblem[]
  readonly requestId: string | undefined

  constructor(status: number, problem: Partial<Problem>, requestId: string | undefined) {
    super(`${status} ${problem.code ?? ''}: ${problem.detail ?? problem.title ?? ''}`)
    this.status = status
    this.code = problem.code
    this.problem = problem
    this.fields = problem.errors ?? []
    this.requestId = problem.request_id ?? requestId
  }
}

/** Tells whether an error is a refusal, and with a code whether it is that one. */
export function isKithError(error: unknown, code?: ErrorCode): error is KithError {
  return error instanceof KithError && (code === undefined || error.code === code)
}
