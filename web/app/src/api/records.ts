// Records of the resources that a part of the app is made for, by the types that are generated from the declarations for the client in
// TypeScript. Whatever works for any resource takes a Rec, of which only the schema knows more.

import type * as made from 'kith-client'

// A record is found with what was asked for of the records that it refers to. That it is no interface lets it pass for a Rec.
type Found<K extends { record: object; references: object }> = {
  [F in keyof (K['record'] & K['references'])]: (K['record'] & K['references'])[F]
}

// What tells a secret does so once, in the answer that made it.
export type NewApp = App & Pick<made.AppKind['created'], 'client_secret'>
export type NewToken = Token & Pick<made.TokenKind['created'], 'token'>
export type NewWebhook = Webhook & Pick<made.WebhookKind['created'], 'secret'>

export type App = Found<made.AppKind>
export type Business = { [F in keyof made.Business]: made.Business[F] }
export type CustomField = Found<made.CustomFieldKind>
export type Deal = Found<made.DealKind>
export type LifecycleStage = Found<made.LifecycleStageKind>
export type LossReason = Found<made.LossReasonKind>
export type Pipeline = Omit<Found<made.PipelineKind>, 'stages'> & { stages: Stage[] }
export type Product = Found<made.ProductKind>
export type Quote = Found<made.QuoteKind>
export type Report = Found<made.ReportKind>
export type Role = Found<made.RoleKind>
// What is answered has an id, which what is sent need not.
export type Stage = made.Stage & { id: string }
export type Task = Found<made.TaskKind>
export type Token = Found<made.TokenKind>
export type User = Found<made.UserKind>
export type View = Found<made.ViewKind>
export type Webhook = Found<made.WebhookKind>
