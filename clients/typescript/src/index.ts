export { Kith, type ChangesQuery, type Me } from './client.js'
export { isKithError, KithError, type FieldProblem, type Problem } from './errors.js'
export type * from './names.gen.js'
export type {
  Actor, AggregateQuery, Change, Condition, EventOf, Figures, Filter, LogQuery, Operation, Page, Query, Resource, Result, Row,
} from './resource.js'
export type * from './resources.gen.js'
export type { CallOptions, Options, Request, WriteOptions } from './transport.js'
export { verifyWebhook, WebhookError } from './webhook.js'
