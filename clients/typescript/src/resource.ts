import type { Problem } from './errors.js'
import type { ResourceName } from './names.gen.js'
import type { CallOptions, Transport, WriteOptions } from './transport.js'

/** How a field is compared: with one value, or with several. */
export interface Comparable {
  one: string
  many: string
  value: unknown
}

/** The fields of the records that a reference leads to, by the name of the reference. */
export type Via<R extends string, P> = { [K in keyof P & string as `${R}.${K}`]: P[K] }

/** What the calls of a resource take and give. */
export interface Kind {
  record: object
  created: object
  input: object
  creation: object
  references: object
  paths: object
  match: string
  actions: object
}

/** One condition upon a field. */
export type Condition<F extends string, C> = C extends Comparable
  ?
      | { field: F; operator: C['one']; value: C['value'] }
      | { field: F; operator: C['many']; values: readonly C['value'][] }
      | { field: F; operator: 'is_set' | 'is_not_set' }
  : never

/** A field that the business added; its values only the business knows. */
export type CustomCondition = { field: `${string}custom_fields.${string}`; operator: string; value?: unknown; values?: readonly unknown[] }

/** One condition upon any field of a resource, or of the records that it refers to. */
export type Filter<P> = { [F in keyof P & string]: Condition<F, P[F]> }[keyof P & string] | CustomCondition

/** The names of fields; those that the business added have any name. */
export type Field<P> = (keyof P & string) | `${string}custom_fields.${string}`

/** What a search asks for. */
export interface Query<P> {
  filters?: readonly Filter<P>[]
  search_text?: string
  order_by?: Field<P>
  sort_direction?: 'asc' | 'desc'
  /** The fields to answer; all when not given. */
  fields?: readonly (Field<P> | 'address')[]
  /** How many records a page has, up to 100. */
  limit?: number
  /** Where the page begins: next of the page before. */
  cursor?: string | null
  /** How many records come before the page, in place of a cursor. */
  skip?: number
  /** Whether to count all matches, also where that has to be done. */
  total?: boolean
}

/** A record of a search: whole, or where fields were asked for with those, and with what was asked for of the records that it refers to. */
export type Row<K extends Kind, Q> = Q extends { fields: readonly unknown[] } ? Partial<K['record']> & K['references'] : K['record']

export interface Page<T> {
  data: T[]
  meta: { cursor: { next: string | null; has_more: boolean }; total?: number }
}

/** Groups, metrics and conditions of an aggregate. Groups of times have a unit: created_at:month. */
export interface AggregateQuery<P> {
  filters?: readonly Filter<P>[]
  search_text?: string
  group_by?: readonly (Field<P> | `${Field<P>}:${'day' | 'week' | 'month' | 'quarter' | 'year'}`)[]
  metrics?: readonly ('count' | `${'sum' | 'avg' | 'min' | 'max'}:${Field<P>}`)[]
  order_by?: string
  sort_direction?: 'asc' | 'desc'
  /** Where the periods of times begin, such as Europe/Berlin; the business's time zone when not given. */
  timezone?: string
  limit?: number
}

/** One line of an aggregate, by the names by which its groups and metrics were asked for. */
export type Figures = Record<string, string | number | boolean | null>

export interface Actor {
  user_id: string | null
  token_id: string | null
  app_id: string | null
}

/** What one write did to one record. */
export interface Change {
  /** Counts up in the order in which the business's changes were made. */
  seq: number
  resource: ResourceName
  record_id: string
  at: string
  action: string
  version: number
  actor: Actor
  request_id: string | null
  changes: Record<string, { from?: unknown; to?: unknown }>
}

/** An event of a webhook. */
export interface EventOf<T extends string, D> {
  type: T
  timestamp: string
  seq: number
  /** The seq of the event that the webhook was sent before; null of the first. */
  prev_seq: number | null
  data: D
}

/** One write of a batch. */
export type Operation<K extends Kind> =
  | { op: 'create'; data: K['creation'] }
  | { op: 'update'; id: string; if_match?: number; data: K['input'] }
  | { op: 'upsert'; match: K['match']; data: K['input'] & { id?: string } }
  | { op: 'delete'; id: string; if_match?: number }
  | { op: 'act'; id: string; action: 'restore'; if_match?: number }
  | { [A in keyof K['actions']]: { op: 'act'; id: string; action: A; if_match?: number; data?: DataOf<K, A> } }[keyof K['actions']]

type DataOf<K extends Kind, A extends keyof K['actions']> = K['actions'][A] extends { data: infer D } ? D : never
type AnswerOf<K extends Kind, A extends keyof K['actions']> = K['actions'][A] extends { answer: infer R } ? R : never

/** What became of one write of a batch. */
export type Result<R> = { status: 200 | 201; record: R } | { status: 204 } | { status: number; error: Problem }

/** What is asked for of a history, a timeline or another list that is read page by page. */
export interface LogQuery {
  limit?: number
  cursor?: string | null
  sort_direction?: 'asc' | 'desc'
}

/** The calls of one resource. */
export class Resource<K extends Kind> {
  constructor(
    private readonly transport: Transport,
    readonly plural: string,
  ) {}

  private path(...parts: string[]): string {
    return '/' + [this.plural, ...parts.map(encodeURIComponent)].join('/')
  }

  /** Makes a record. A secret of it is shown this once. */
  create(data: K['creation'], options: WriteOptions = {}): Promise<K['created']> {
    return this.transport.json({ method: 'POST', path: this.path(), body: data, writes: true, options })
  }

  get(id: string, options: CallOptions = {}): Promise<K['record']> {
    return this.transport.json({ method: 'GET', path: this.path(id), options })
  }

  /** Changes what is said, and nothing else; null empties a field. */
  update(id: string, data: K['input'], options: WriteOptions = {}): Promise<K['record']> {
    return this.transport.json({ method: 'PATCH', path: this.path(id), body: data, writes: true, options })
  }

  /** Changes the record that has the same value in a field, or makes one where none has. */
  upsert(match: K['match'], data: K['input'] & { id?: string }, options: WriteOptions = {}): Promise<K['created']> {
    return this.transport.json({ method: 'POST', path: this.path('upsert'), body: { match, data }, writes: true, options })
  }

  /** Moves a record to the bin, or removes it where there is none. */
  delete(id: string, options: WriteOptions = {}): Promise<void> {
    return this.transport.json({ method: 'DELETE', path: this.path(id), writes: true, options })
  }

  /** Takes a record back from the bin. */
  restore(id: string, options: WriteOptions = {}): Promise<K['record']> {
    return this.transport.json({ method: 'POST', path: this.path(id, 'restore'), body: {}, writes: true, options })
  }

  /** Does an action: kith.deals.act(id, 'win'). */
  act<A extends keyof K['actions'] & string>(
    id: string, action: A, data?: DataOf<K, A>, options: WriteOptions = {},
  ): Promise<AnswerOf<K, A>> {
    return this.transport.json({ method: 'POST', path: this.path(id, action), body: data ?? {}, writes: true, options })
  }

  /** Removes what is known of a record for good. The reason stays in the change log. */
  erase(id: string, reason: string, options: WriteOptions = {}): Promise<void> {
    return this.transport.json({ method: 'POST', path: this.path(id, 'erase'), body: { reason }, writes: true, options })
  }

  /** Finds records, and fetches page after page as the loop goes on. */
  search<const Q extends Query<K['paths']>>(query?: Q, options: CallOptions = {}): AsyncGenerator<Row<K, Q>, void, undefined> {
    return this.walk<Row<K, Q>>(['search'], query ?? {}, options)
  }

  /** Finds one page of records. */
  searchPage<const Q extends Query<K['paths']>>(query?: Q, options: CallOptions = {}): Promise<Page<Row<K, Q>>> {
    return this.page<Row<K, Q>>(['search'], query ?? {}, options)
  }

  /** Finds records that were deleted, as search does. */
  searchDeleted<const Q extends Query<K['paths'] & { deleted_at: { one: 'gt' | 'gte' | 'lt' | 'lte'; many: 'between'; value: string } }>>(
    query?: Q, options: CallOptions = {},
  ): AsyncGenerator<Row<K, Q> & { deleted_at?: string | null }, void, undefined> {
    return this.walk(['deleted', 'search'], query ?? {}, options)
  }

  /** Counts and adds up records, in all or by group. */
  async aggregate(query: AggregateQuery<K['paths']> = {}, options: CallOptions = {}): Promise<Figures[]> {
    const answer = await this.transport.json<{ data: Figures[] }>({ method: 'POST', path: this.path('aggregate'), body: query, options })
    return answer.data
  }

  /** Does up to 100 writes at once: each for itself, or with atomic all or none. */
  async batch(operations: readonly Operation<K>[], options: WriteOptions & { atomic?: boolean } = {}): Promise<Result<K['created']>[]> {
    const { atomic = false, ...rest } = options
    const answer = await this.transport.json<{ data: Result<K['created']>[] }>({
      method: 'POST', path: this.path('batch'), body: { atomic, operations }, writes: true, options: rest,
    })
    return answer.data
  }

  /** Takes records out as a file, which is read as it comes. */
  export(query: Query<K['paths']> & { format?: 'csv' | 'jsonl' | 'xlsx' } = {}, options: CallOptions = {}): Promise<Response> {
    return this.transport.raw({ method: 'POST', path: this.path('export'), body: query, headers: { Accept: '*/*' }, options })
  }

  /** Tells what happened to a record, deleted or not. */
  history(
    id: string, query: LogQuery = {}, options: CallOptions = {},
  ): AsyncGenerator<Omit<Change, 'resource' | 'record_id'>, void, undefined> {
    return this.walk([id, 'history', 'search'], query, options)
  }

  /** Tells what happened around a record. */
  timeline(
    id: string, query: LogQuery = {}, options: CallOptions = {},
  ): AsyncGenerator<{ at: string; kind: string; record?: unknown; change?: unknown }, void, undefined> {
    return this.walk([id, 'timeline', 'search'], query, options)
  }

  /** Finds records that may be the same. */
  duplicates(query: { id?: string; limit?: number; cursor?: string | null } = {}, options: CallOptions = {}): AsyncGenerator<
    { records: [Partial<K['record']>, Partial<K['record']>]; reasons: string[]; score: number }, void, undefined
  > {
    return this.walk(['duplicates', 'search'], query, options)
  }

  private page<T>(parts: string[], query: object, options: CallOptions): Promise<Page<T>> {
    return this.transport.json({ method: 'POST', path: this.path(...parts), body: query, options })
  }

  private async *walk<T>(
    parts: string[], query: { cursor?: string | null; limit?: number; skip?: number }, options: CallOptions,
  ): AsyncGenerator<T, void, undefined> {
    let { cursor = null } = query
    do {
      const page: Page<T> = await this.page(parts, { limit: 100, ...query, cursor, skip: cursor ? undefined : query.skip }, options)
      yield* page.data
      cursor = page.meta.cursor.next
    } while (cursor !== null)
  }
}
