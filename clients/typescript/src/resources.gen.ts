// Code generated from the declarations by cmd/docs; DO NOT EDIT.

import type { Change, EventOf, Resource, Via } from './resource.js'

/** How fields of the group words are compared. */
export interface Words<V = string> { one: 'eq' | 'neq' | 'contains' | 'starts_with'; many: 'in' | 'nin'; value: V }

/** How fields of the group exact are compared. */
export interface Exact<V = string> { one: 'eq' | 'neq'; many: 'in' | 'nin'; value: V }

/** How fields of the group range are compared. */
export interface Range<V = string> { one: 'eq' | 'neq' | 'gt' | 'gte' | 'lt' | 'lte'; many: 'in' | 'nin' | 'between'; value: V }

/** How fields of the group member are compared. */
export interface Member<V = string> { one: 'contains'; many: 'in' | 'nin'; value: V }

/** How fields of the group presence are compared. */
export interface Presence<V = string> { one: never; many: never; value: V }

/** One of the address of a record, or all of them together. */
export interface Address {
  street: string | null
  city: string | null
  region: string | null
  postal_code: string | null
  country: string | null
}

/** A contact as the server answers it. */
export interface Contact {
  id: string
  first_name: string | null
  last_name: string | null
  /** First and last name, or else the e-mail address or phone number, when not given. */
  name: string
  email: string | null
  phone: string | null
  mobile_phone: string | null
  job_title: string | null
  company_id: string | null
  lead_score: number | null
  /** The default stage when not given. What it points to cannot be deleted meanwhile. */
  lifecycle_stage_id: string | null
  lead_source: string | null
  address: Address | null
  linkedin_url: string | null
  timezone: string | null
  do_not_contact: boolean
  /** Moved forward by logged activities. */
  last_contacted_at: string | null
  /** The user who is responsible; the acting user when not given. */
  owner_id: string | null
  /** Your own identifier, unique among the live records of the resource. */
  external_id: string | null
  tags: string[]
  custom_fields: Record<string, unknown> | null
  created_at: string
  created_by: string | null
  updated_at: string
  updated_by: string | null
  /** Rises by one with every change; the ETag. */
  version: number
}

/** What can be said of a contact. What is not said of a new one is left to the server; of one that is there it stays, and null empties it. */
export interface ContactInput {
  first_name?: string | null
  last_name?: string | null
  /** First and last name, or else the e-mail address or phone number, when not given. */
  name?: string | null
  email?: string | null
  phone?: string | null
  mobile_phone?: string | null
  job_title?: string | null
  company_id?: string | null
  lead_score?: number | null
  /** The default stage when not given. What it points to cannot be deleted meanwhile. */
  lifecycle_stage_id?: string | null
  lead_source?: string | null
  address?: Partial<Address> | null
  linkedin_url?: string | null
  timezone?: string | null
  do_not_contact?: boolean | null
  /** Moved forward by logged activities. */
  last_contacted_at?: string | null
  /** The user who is responsible; the acting user when not given. */
  owner_id?: string | null
  /** Your own identifier, unique among the live records of the resource. */
  external_id?: string | null
  tags?: string[] | null
  custom_fields?: Record<string, unknown> | null
}

/** A company as the server answers it. */
export interface Company {
  id: string
  name: string
  legal_name: string | null
  domain: string | null
  website: string | null
  email: string | null
  phone: string | null
  industry: string | null
  /** Free text, such as customer, partner or supplier. */
  company_type: string | null
  employee_count: number | null
  annual_revenue: string | null
  /** The business's currency when not given. */
  currency: string | null
  address: Address | null
  parent_company_id: string | null
  /** The default stage when not given. What it points to cannot be deleted meanwhile. */
  lifecycle_stage_id: string | null
  description: string | null
  linkedin_url: string | null
  /** Moved forward by logged activities. */
  last_contacted_at: string | null
  /** The user who is responsible; the acting user when not given. */
  owner_id: string | null
  /** Your own identifier, unique among the live records of the resource. */
  external_id: string | null
  tags: string[]
  custom_fields: Record<string, unknown> | null
  created_at: string
  created_by: string | null
  updated_at: string
  updated_by: string | null
  /** Rises by one with every change; the ETag. */
  version: number
}

/** What can be said of a company. What is not said of a new one is left to the server; of one that is there it stays, and null empties it. */
export interface CompanyInput {
  name?: string
  legal_name?: string | null
  domain?: string | null
  website?: string | null
  email?: string | null
  phone?: string | null
  industry?: string | null
  /** Free text, such as customer, partner or supplier. */
  company_type?: string | null
  employee_count?: number | null
  annual_revenue?: string | number | null
  /** The business's currency when not given. */
  currency?: string | null
  address?: Partial<Address> | null
  parent_company_id?: string | null
  /** The default stage when not given. What it points to cannot be deleted meanwhile. */
  lifecycle_stage_id?: string | null
  description?: string | null
  linkedin_url?: string | null
  /** Moved forward by logged activities. */
  last_contacted_at?: string | null
  /** The user who is responsible; the acting user when not given. */
  owner_id?: string | null
  /** Your own identifier, unique among the live records of the resource. */
  external_id?: string | null
  tags?: string[] | null
  custom_fields?: Record<string, unknown> | null
}

/** One of the line items of a record, or all of them together. */
export interface LineItem {
  product_id: string | null
  name: string | null
  sku: string | null
  description: string | null
  unit_price: string | null
  currency: string | null
  /** 1 when not given. */
  quantity: string | null
  /** 0 when not given. */
  discount_percent: number | null
  /** The product's, or 0, when not given. */
  tax_rate: number | null
  /** Computed; what is sent is not used. */
  total: string | null
}

/** What can be said of one of the line items of a record. */
export interface LineItemInput {
  product_id?: string | null
  name?: string | null
  sku?: string | null
  description?: string | null
  unit_price?: string | number | null
  currency?: string | null
  /** 1 when not given. */
  quantity?: string | number | null
  /** 0 when not given. */
  discount_percent?: number | null
  /** The product's, or 0, when not given. */
  tax_rate?: number | null
  /** Computed; what is sent is not used. */
  total?: string | number | null
}

/** One of the past stages of a record, or all of them together. */
export interface PastStage {
  stage_id: string | null
  entered_at: string | null
  left_at: string | null
}

/** What can be said of one of the past stages of a record. */
export interface PastStageInput {
  stage_id?: string | null
  entered_at?: string | null
  left_at?: string | null
}

/** A deal as the server answers it. */
export interface Deal {
  id: string
  name: string
  /** That of the stage, or the default pipeline, when not given. What it points to cannot be deleted meanwhile. */
  pipeline_id: string
  /** The pipeline's first open stage when not given. */
  stage_id: string
  /** Follows from the stage. */
  status: 'open' | 'won' | 'lost'
  /** The sum of the line items when those are given and it is not. */
  amount: string | null
  /** The business's currency when not given. */
  currency: string
  /** The stage's when not given; set anew when the stage changes. */
  probability: number | null
  /** Amount × probability, rounded half away from zero to four places. */
  weighted_amount: string | null
  expected_close_date: string | null
  closed_at: string | null
  /** Which of the usual reasons it was lost for. What it points to cannot be deleted meanwhile. */
  loss_reason_id: string | null
  /** In words of one's own, why it was lost. */
  lost_reason: string | null
  company_id: string | null
  contact_id: string | null
  line_items: LineItem[]
  next_step: string | null
  stage_changed_at: string | null
  /** The stages that it was in before, the last 50, in their order. */
  past_stages: PastStage[]
  description: string | null
  /** The user who is responsible; the acting user when not given. */
  owner_id: string | null
  /** Your own identifier, unique among the live records of the resource. */
  external_id: string | null
  tags: string[]
  custom_fields: Record<string, unknown> | null
  created_at: string
  created_by: string | null
  updated_at: string
  updated_by: string | null
  /** Rises by one with every change; the ETag. */
  version: number
}

/** What can be said of a deal. What is not said of a new one is left to the server; of one that is there it stays, and null empties it. */
export interface DealInput {
  name?: string
  /** That of the stage, or the default pipeline, when not given. What it points to cannot be deleted meanwhile. */
  pipeline_id?: string | null
  /** The pipeline's first open stage when not given. */
  stage_id?: string | null
  /** The sum of the line items when those are given and it is not. */
  amount?: string | number | null
  /** The business's currency when not given. */
  currency?: string | null
  /** The stage's when not given; set anew when the stage changes. */
  probability?: number | null
  expected_close_date?: string | null
  /** Which of the usual reasons it was lost for. What it points to cannot be deleted meanwhile. */
  loss_reason_id?: string | null
  /** In words of one's own, why it was lost. */
  lost_reason?: string | null
  company_id?: string | null
  contact_id?: string | null
  line_items?: LineItemInput[] | null
  next_step?: string | null
  description?: string | null
  /** The user who is responsible; the acting user when not given. */
  owner_id?: string | null
  /** Your own identifier, unique among the live records of the resource. */
  external_id?: string | null
  tags?: string[] | null
  custom_fields?: Record<string, unknown> | null
}

/** A task as the server answers it. */
export interface Task {
  id: string
  title: string
  description: string | null
  /** Free text, such as call, email or follow_up. */
  task_type: string | null
  status: 'open' | 'in_progress' | 'completed' | 'cancelled'
  priority: 'low' | 'normal' | 'high' | 'urgent'
  due_at: string | null
  completed_at: string | null
  completed_by: string | null
  /** The owner when not given. */
  assignee_id: string | null
  contact_id: string | null
  company_id: string | null
  deal_id: string | null
  /** The user who is responsible; the acting user when not given. */
  owner_id: string | null
  /** Your own identifier, unique among the live records of the resource. */
  external_id: string | null
  tags: string[]
  custom_fields: Record<string, unknown> | null
  created_at: string
  created_by: string | null
  updated_at: string
  updated_by: string | null
  /** Rises by one with every change; the ETag. */
  version: number
}

/** What can be said of a task. What is not said of a new one is left to the server; of one that is there it stays, and null empties it. */
export interface TaskInput {
  title?: string
  description?: string | null
  /** Free text, such as call, email or follow_up. */
  task_type?: string | null
  status?: 'open' | 'in_progress' | 'completed' | 'cancelled'
  priority?: 'low' | 'normal' | 'high' | 'urgent'
  due_at?: string | null
  /** The owner when not given. */
  assignee_id?: string | null
  contact_id?: string | null
  company_id?: string | null
  deal_id?: string | null
  /** The user who is responsible; the acting user when not given. */
  owner_id?: string | null
  /** Your own identifier, unique among the live records of the resource. */
  external_id?: string | null
  tags?: string[] | null
  custom_fields?: Record<string, unknown> | null
}

/** A note as the server answers it. */
export interface Note {
  id: string
  title: string | null
  body: string | null
  pinned: boolean
  pinned_at: string | null
  pinned_by: string | null
  contact_id: string | null
  company_id: string | null
  deal_id: string | null
  /** The note that this one is a comment on. */
  in_reply_to_id: string | null
  /** The user who is responsible; the acting user when not given. */
  owner_id: string | null
  /** Your own identifier, unique among the live records of the resource. */
  external_id: string | null
  tags: string[]
  custom_fields: Record<string, unknown> | null
  created_at: string
  created_by: string | null
  updated_at: string
  updated_by: string | null
  /** Rises by one with every change; the ETag. */
  version: number
}

/** What can be said of a note. What is not said of a new one is left to the server; of one that is there it stays, and null empties it. */
export interface NoteInput {
  title?: string | null
  body?: string | null
  pinned?: boolean | null
  contact_id?: string | null
  company_id?: string | null
  deal_id?: string | null
  /** The note that this one is a comment on. */
  in_reply_to_id?: string | null
  /** The user who is responsible; the acting user when not given. */
  owner_id?: string | null
  /** Your own identifier, unique among the live records of the resource. */
  external_id?: string | null
  tags?: string[] | null
  custom_fields?: Record<string, unknown> | null
}

/** An activity as the server answers it. */
export interface Activity {
  id: string
  activity_type: 'call' | 'email' | 'meeting' | 'message' | 'other'
  subject: string | null
  body: string | null
  direction: 'inbound' | 'outbound' | null
  outcome: string | null
  /** Now when not given. */
  occurred_at: string
  duration_seconds: number | null
  location: string | null
  contact_id: string | null
  company_id: string | null
  deal_id: string | null
  /** The user who is responsible; the acting user when not given. */
  owner_id: string | null
  /** Your own identifier, unique among the live records of the resource. */
  external_id: string | null
  tags: string[]
  custom_fields: Record<string, unknown> | null
  created_at: string
  created_by: string | null
  updated_at: string
  updated_by: string | null
  /** Rises by one with every change; the ETag. */
  version: number
}

/** What can be said of an activity. What is not said of a new one is left to the server; of one that is there it stays, and null empties it. */
export interface ActivityInput {
  activity_type?: 'call' | 'email' | 'meeting' | 'message' | 'other'
  subject?: string | null
  body?: string | null
  direction?: 'inbound' | 'outbound' | null
  outcome?: string | null
  /** Now when not given. */
  occurred_at?: string | null
  duration_seconds?: number | null
  location?: string | null
  contact_id?: string | null
  company_id?: string | null
  deal_id?: string | null
  /** The user who is responsible; the acting user when not given. */
  owner_id?: string | null
  /** Your own identifier, unique among the live records of the resource. */
  external_id?: string | null
  tags?: string[] | null
  custom_fields?: Record<string, unknown> | null
}

/** A product as the server answers it. */
export interface Product {
  id: string
  name: string
  /** Unique among live records, without regard to case. */
  sku: string | null
  description: string | null
  status: 'draft' | 'active' | 'archived'
  price: string | null
  cost: string | null
  /** The business's currency when not given. */
  currency: string
  tax_rate: number | null
  unit: string | null
  category: string | null
  billing_frequency: 'one_time' | 'monthly' | 'yearly' | null
  image_url: string | null
  /** The user who is responsible; the acting user when not given. */
  owner_id: string | null
  /** Your own identifier, unique among the live records of the resource. */
  external_id: string | null
  tags: string[]
  custom_fields: Record<string, unknown> | null
  created_at: string
  created_by: string | null
  updated_at: string
  updated_by: string | null
  /** Rises by one with every change; the ETag. */
  version: number
}

/** What can be said of a product. What is not said of a new one is left to the server; of one that is there it stays, and null empties it. */
export interface ProductInput {
  name?: string
  /** Unique among live records, without regard to case. */
  sku?: string | null
  description?: string | null
  status?: 'draft' | 'active' | 'archived'
  price?: string | number | null
  cost?: string | number | null
  /** The business's currency when not given. */
  currency?: string | null
  tax_rate?: number | null
  unit?: string | null
  category?: string | null
  billing_frequency?: 'one_time' | 'monthly' | 'yearly' | null
  image_url?: string | null
  /** The user who is responsible; the acting user when not given. */
  owner_id?: string | null
  /** Your own identifier, unique among the live records of the resource. */
  external_id?: string | null
  tags?: string[] | null
  custom_fields?: Record<string, unknown> | null
}

/** A quote as the server answers it. */
export interface Quote {
  id: string
  /** Counts up from 1 in each business. */
  number: number | null
  title: string | null
  /** `sent` becomes `expired` when the day in `valid_until` is over. */
  status: 'draft' | 'sent' | 'accepted' | 'declined' | 'expired'
  deal_id: string | null
  company_id: string | null
  contact_id: string | null
  /** That of the deal, the first line or the business when not given. */
  currency: string
  line_items: LineItem[]
  subtotal: string
  discount_total: string
  tax_total: string
  total: string
  /** The last valid day, UTC. */
  valid_until: string | null
  terms: string | null
  sent_at: string | null
  accepted_at: string | null
  declined_at: string | null
  declined_reason: string | null
  /** Since when the customer has a link; absent where there is none. */
  shared_at: string | null
  /** The name that the customer gave who accepted by the link. */
  accepted_by: string | null
  /** The network address from which the customer answered by the link. */
  answered_from: string | null
  /** The user who is responsible; the acting user when not given. */
  owner_id: string | null
  /** Your own identifier, unique among the live records of the resource. */
  external_id: string | null
  tags: string[]
  custom_fields: Record<string, unknown> | null
  created_at: string
  created_by: string | null
  updated_at: string
  updated_by: string | null
  /** Rises by one with every change; the ETag. */
  version: number
}

/** What can be said of a quote. What is not said of a new one is left to the server; of one that is there it stays, and null empties it. */
export interface QuoteInput {
  title?: string | null
  deal_id?: string | null
  company_id?: string | null
  contact_id?: string | null
  /** That of the deal, the first line or the business when not given. */
  currency?: string | null
  line_items?: LineItemInput[] | null
  /** The last valid day, UTC. */
  valid_until?: string | null
  terms?: string | null
  /** The user who is responsible; the acting user when not given. */
  owner_id?: string | null
  /** Your own identifier, unique among the live records of the resource. */
  external_id?: string | null
  tags?: string[] | null
  custom_fields?: Record<string, unknown> | null
}

/** An association as the server answers it. */
export interface Association {
  id: string
  from_id: string
  to_id: string
  /** What the one is to the other, such as decision maker. */
  label: string | null
  /** The record with which it went to the bin, and with which it comes back. */
  deleted_with: string | null
  /** The user who is responsible; the acting user when not given. */
  owner_id: string | null
  /** Your own identifier, unique among the live records of the resource. */
  external_id: string | null
  tags: string[]
  custom_fields: Record<string, unknown> | null
  created_at: string
  created_by: string | null
  updated_at: string
  updated_by: string | null
  /** Rises by one with every change; the ETag. */
  version: number
}

/** What can be said of an association. What is not said of a new one is left to the server; of one that is there it stays, and null empties it. */
export interface AssociationInput {
  from_id?: string
  to_id?: string
  /** What the one is to the other, such as decision maker. */
  label?: string | null
  /** The user who is responsible; the acting user when not given. */
  owner_id?: string | null
  /** Your own identifier, unique among the live records of the resource. */
  external_id?: string | null
  tags?: string[] | null
  custom_fields?: Record<string, unknown> | null
}

/** One of the stages of a record, or all of them together. */
export interface Stage {
  /** Give it to keep a stage; a new stage gets one. */
  id: string | null
  name: string
  /** Follows from the place in the list. */
  position: number | null
  /** open when not given. */
  kind: 'open' | 'won' | 'lost' | null
  /** 100 for won, 0 for lost, 50 for open when not given. */
  probability: number | null
  /** Green for won, red for lost, and by the place for others when not given. */
  colour: 'gray' | 'red' | 'orange' | 'yellow' | 'green' | 'teal' | 'blue' | 'purple' | null
}

/** What can be said of one of the stages of a record. */
export interface StageInput {
  /** Give it to keep a stage; a new stage gets one. */
  id?: string | null
  name: string
  /** Follows from the place in the list. */
  position?: number | null
  /** open when not given. */
  kind?: 'open' | 'won' | 'lost' | null
  /** 100 for won, 0 for lost, 50 for open when not given. */
  probability?: number | null
  /** Green for won, red for lost, and by the place for others when not given. */
  colour?: 'gray' | 'red' | 'orange' | 'yellow' | 'green' | 'teal' | 'blue' | 'purple' | null
}

/** A pipeline as the server answers it. */
export interface Pipeline {
  id: string
  name: string
  /** At the end when not given. */
  position: number
  /** One pipeline is the default; setting another one takes it from the first. */
  is_default: boolean
  /** A won and a lost stage are added where none is given. */
  stages: Stage[]
  /** The user who is responsible; the acting user when not given. */
  owner_id: string | null
  /** Your own identifier, unique among the live records of the resource. */
  external_id: string | null
  tags: string[]
  custom_fields: Record<string, unknown> | null
  created_at: string
  created_by: string | null
  updated_at: string
  updated_by: string | null
  /** Rises by one with every change; the ETag. */
  version: number
}

/** What can be said of a pipeline. What is not said of a new one is left to the server; of one that is there it stays, and null empties it. */
export interface PipelineInput {
  name?: string
  /** At the end when not given. */
  position?: number | null
  /** One pipeline is the default; setting another one takes it from the first. */
  is_default?: boolean | null
  /** A won and a lost stage are added where none is given. */
  stages?: StageInput[] | null
  /** The user who is responsible; the acting user when not given. */
  owner_id?: string | null
  /** Your own identifier, unique among the live records of the resource. */
  external_id?: string | null
  tags?: string[] | null
  custom_fields?: Record<string, unknown> | null
}

/** A lifecycle stage as the server answers it. */
export interface LifecycleStage {
  id: string
  name: string
  /** At the end when not given. */
  position: number
  /** Green for won, red for lost, and by the place for others when not given. */
  colour: 'gray' | 'red' | 'orange' | 'yellow' | 'green' | 'teal' | 'blue' | 'purple' | null
  /** New contacts and companies start in the default stage. */
  is_default: boolean
  /** The user who is responsible; the acting user when not given. */
  owner_id: string | null
  /** Your own identifier, unique among the live records of the resource. */
  external_id: string | null
  tags: string[]
  custom_fields: Record<string, unknown> | null
  created_at: string
  created_by: string | null
  updated_at: string
  updated_by: string | null
  /** Rises by one with every change; the ETag. */
  version: number
}

/** What can be said of a lifecycle stage. What is not said of a new one is left to the server; of one that is there it stays, and null empties it. */
export interface LifecycleStageInput {
  name?: string
  /** At the end when not given. */
  position?: number | null
  /** Green for won, red for lost, and by the place for others when not given. */
  colour?: 'gray' | 'red' | 'orange' | 'yellow' | 'green' | 'teal' | 'blue' | 'purple' | null
  /** New contacts and companies start in the default stage. */
  is_default?: boolean | null
  /** The user who is responsible; the acting user when not given. */
  owner_id?: string | null
  /** Your own identifier, unique among the live records of the resource. */
  external_id?: string | null
  tags?: string[] | null
  custom_fields?: Record<string, unknown> | null
}

/** A loss reason as the server answers it. */
export interface LossReason {
  id: string
  name: string
  /** At the end when not given. */
  position: number
  /** Whether people are to choose from it; deals keep one that is not. */
  active: boolean
  /** The user who is responsible; the acting user when not given. */
  owner_id: string | null
  /** Your own identifier, unique among the live records of the resource. */
  external_id: string | null
  tags: string[]
  custom_fields: Record<string, unknown> | null
  created_at: string
  created_by: string | null
  updated_at: string
  updated_by: string | null
  /** Rises by one with every change; the ETag. */
  version: number
}

/** What can be said of a loss reason. What is not said of a new one is left to the server; of one that is there it stays, and null empties it. */
export interface LossReasonInput {
  name?: string
  /** At the end when not given. */
  position?: number | null
  /** Whether people are to choose from it; deals keep one that is not. */
  active?: boolean | null
  /** The user who is responsible; the acting user when not given. */
  owner_id?: string | null
  /** Your own identifier, unique among the live records of the resource. */
  external_id?: string | null
  tags?: string[] | null
  custom_fields?: Record<string, unknown> | null
}

/** A user as the server answers it. */
export interface User {
  id: string
  /** Unique among live records, without regard to case. */
  email: string
  /** The address that takes the place of `email` once the user has confirmed it. */
  pending_email: string | null
  /** The e-mail address when not given. */
  name: string
  status: 'invited' | 'active' | 'suspended'
  /** The role member when not given. What it points to cannot be deleted meanwhile. */
  role_id: string
  timezone: string | null
  /** Of the mails to them; that of the business when not given. */
  locale: string | null
  last_active_at: string | null
  /** Since when the user logs in with an authenticator app or a passkey beside the password. Absent where they do not. */
  second_factor_at: string | null
  /** What the user is not told of. */
  muted_notifications: ('mention' | 'assigned' | 'reminder' | 'followed' | 'webhook' | 'due' | 'job')[]
  /** What is mailed as soon as it happens, and not with the mail of the next morning. */
  notifications_mailed_at_once: ('mention' | 'assigned' | 'reminder' | 'followed' | 'webhook' | 'due' | 'job')[]
  /** What is not mailed. */
  notifications_not_mailed: ('mention' | 'assigned' | 'reminder' | 'followed' | 'webhook' | 'due' | 'job')[]
  /** The user who is responsible; the acting user when not given. */
  owner_id: string | null
  /** Your own identifier, unique among the live records of the resource. */
  external_id: string | null
  tags: string[]
  custom_fields: Record<string, unknown> | null
  created_at: string
  created_by: string | null
  updated_at: string
  updated_by: string | null
  /** Rises by one with every change; the ETag. */
  version: number
}

/** What can be said of a user. What is not said of a new one is left to the server; of one that is there it stays, and null empties it. */
export interface UserInput {
  /** Unique among live records, without regard to case. */
  email?: string
  /** The e-mail address when not given. */
  name?: string | null
  status?: 'invited' | 'active' | 'suspended'
  /** The role member when not given. What it points to cannot be deleted meanwhile. */
  role_id?: string | null
  timezone?: string | null
  /** Of the mails to them; that of the business when not given. */
  locale?: string | null
  /** What the user is not told of. */
  muted_notifications?: ('mention' | 'assigned' | 'reminder' | 'followed' | 'webhook' | 'due' | 'job')[] | null
  /** What is mailed as soon as it happens, and not with the mail of the next morning. */
  notifications_mailed_at_once?: ('mention' | 'assigned' | 'reminder' | 'followed' | 'webhook' | 'due' | 'job')[] | null
  /** What is not mailed. */
  notifications_not_mailed?: ('mention' | 'assigned' | 'reminder' | 'followed' | 'webhook' | 'due' | 'job')[] | null
  /** The user who is responsible; the acting user when not given. */
  owner_id?: string | null
  /** Your own identifier, unique among the live records of the resource. */
  external_id?: string | null
  tags?: string[] | null
  custom_fields?: Record<string, unknown> | null
}

/** A role as the server answers it. */
export interface Role {
  id: string
  /** Unique among live records, without regard to case and accents. */
  name: string
  /** For each resource, how far read, write and delete go: none, own or all. What is not mentioned is none. */
  permissions: Record<string, unknown> | null
  features: ('manage_users' | 'manage_roles' | 'manage_settings' | 'manage_tokens' | 'manage_apps' | 'export' | 'erase' | 'audit')[]
  /** Whether users with this role must log in with an authenticator app or a passkey beside the password. Who has none yet has to set one up at the next log-in, before anything else. False when not given. */
  requires_second_factor: boolean | null
  /** The user who is responsible; the acting user when not given. */
  owner_id: string | null
  /** Your own identifier, unique among the live records of the resource. */
  external_id: string | null
  tags: string[]
  custom_fields: Record<string, unknown> | null
  created_at: string
  created_by: string | null
  updated_at: string
  updated_by: string | null
  /** Rises by one with every change; the ETag. */
  version: number
}

/** What can be said of a role. What is not said of a new one is left to the server; of one that is there it stays, and null empties it. */
export interface RoleInput {
  /** Unique among live records, without regard to case and accents. */
  name?: string
  /** For each resource, how far read, write and delete go: none, own or all. What is not mentioned is none. */
  permissions?: Record<string, unknown> | null
  features?: ('manage_users' | 'manage_roles' | 'manage_settings' | 'manage_tokens' | 'manage_apps' | 'export' | 'erase' | 'audit')[] | null
  /** Whether users with this role must log in with an authenticator app or a passkey beside the password. Who has none yet has to set one up at the next log-in, before anything else. False when not given. */
  requires_second_factor?: boolean | null
  /** The user who is responsible; the acting user when not given. */
  owner_id?: string | null
  /** Your own identifier, unique among the live records of the resource. */
  external_id?: string | null
  tags?: string[] | null
  custom_fields?: Record<string, unknown> | null
}

/** A token as the server answers it. */
export interface Token {
  id: string
  name: string
  scopes: string[]
  hint: string | null
  user_id: string | null
  /** When not given, never, or when the calling token expires itself. */
  expires_at: string | null
  /** To the minute. */
  last_used_at: string | null
  /** The user who is responsible; the acting user when not given. */
  owner_id: string | null
  /** Your own identifier, unique among the live records of the resource. */
  external_id: string | null
  tags: string[]
  custom_fields: Record<string, unknown> | null
  created_at: string
  created_by: string | null
  updated_at: string
  updated_by: string | null
  /** Rises by one with every change; the ETag. */
  version: number
}

/** What can be said of a token. What is not said of a new one is left to the server; of one that is there it stays, and null empties it. */
export interface TokenInput {
  name?: string
  scopes?: string[]
  /** When not given, never, or when the calling token expires itself. */
  expires_at?: string | null
  /** The user who is responsible; the acting user when not given. */
  owner_id?: string | null
  /** Your own identifier, unique among the live records of the resource. */
  external_id?: string | null
  tags?: string[] | null
  custom_fields?: Record<string, unknown> | null
}

/** An app as the server answers it. */
export interface App {
  id: string
  name: string
  client_id: string
  /** Needed for authorization_code. https, or http on the own machine, or an app's own scheme. */
  redirect_uris: string[]
  /** authorization_code and refresh_token with redirect addresses, else client_credentials, when not given. */
  grant_types: ('authorization_code' | 'refresh_token' | 'client_credentials')[]
  /** The most that the app can get. */
  scopes: string[]
  /** Whom the app acts as with client_credentials; the acting user when not given. */
  user_id: string | null
  /** The user who is responsible; the acting user when not given. */
  owner_id: string | null
  /** Your own identifier, unique among the live records of the resource. */
  external_id: string | null
  tags: string[]
  custom_fields: Record<string, unknown> | null
  created_at: string
  created_by: string | null
  updated_at: string
  updated_by: string | null
  /** Rises by one with every change; the ETag. */
  version: number
}

/** What can be said of an app. What is not said of a new one is left to the server; of one that is there it stays, and null empties it. */
export interface AppInput {
  name?: string
  /** Needed for authorization_code. https, or http on the own machine, or an app's own scheme. */
  redirect_uris?: string[] | null
  /** authorization_code and refresh_token with redirect addresses, else client_credentials, when not given. */
  grant_types?: ('authorization_code' | 'refresh_token' | 'client_credentials')[] | null
  /** The most that the app can get. */
  scopes?: string[]
  /** Whom the app acts as with client_credentials; the acting user when not given. */
  user_id?: string | null
  /** The user who is responsible; the acting user when not given. */
  owner_id?: string | null
  /** Your own identifier, unique among the live records of the resource. */
  external_id?: string | null
  tags?: string[] | null
  custom_fields?: Record<string, unknown> | null
}

/** A view as the server answers it. */
export interface View {
  id: string
  name: string
  /** What it shows records of. */
  resource: 'contact' | 'company' | 'deal' | 'task' | 'note' | 'activity' | 'product' | 'quote' | 'association' | 'pipeline' | 'lifecycle_stage' | 'loss_reason' | 'user' | 'role' | 'token' | 'app' | 'view' | 'report' | 'follow' | 'notification' | 'field' | 'webhook'
  /** The body of a search of the resource, without `cursor`. */
  search: Record<string, unknown> | null
  layout: 'table' | 'board' | 'calendar'
  /** Fields of the resource, in order; a reference may be followed, as in `fields` of a search. */
  columns: string[]
  /** A field whose values make the columns of a board, or the days of a calendar. */
  group_by: string | null
  /** At the end when not given. */
  position: number
  /** Whether others see it. */
  shared: boolean
  /** Custom fields that it names and that were deleted: restore them, or leave them out. */
  missing: string[]
  /** The user who is responsible; the acting user when not given. */
  owner_id: string | null
  /** Your own identifier, unique among the live records of the resource. */
  external_id: string | null
  tags: string[]
  custom_fields: Record<string, unknown> | null
  created_at: string
  created_by: string | null
  updated_at: string
  updated_by: string | null
  /** Rises by one with every change; the ETag. */
  version: number
}

/** What can be said of a view. What is not said of a new one is left to the server; of one that is there it stays, and null empties it. */
export interface ViewInput {
  name?: string
  /** What it shows records of. */
  resource?: 'contact' | 'company' | 'deal' | 'task' | 'note' | 'activity' | 'product' | 'quote' | 'association' | 'pipeline' | 'lifecycle_stage' | 'loss_reason' | 'user' | 'role' | 'token' | 'app' | 'view' | 'report' | 'follow' | 'notification' | 'field' | 'webhook'
  /** The body of a search of the resource, without `cursor`. */
  search?: Record<string, unknown> | null
  layout?: 'table' | 'board' | 'calendar' | null
  /** Fields of the resource, in order; a reference may be followed, as in `fields` of a search. */
  columns?: string[] | null
  /** A field whose values make the columns of a board, or the days of a calendar. */
  group_by?: string | null
  /** At the end when not given. */
  position?: number | null
  /** Whether others see it. */
  shared?: boolean | null
  /** The user who is responsible; the acting user when not given. */
  owner_id?: string | null
  /** Your own identifier, unique among the live records of the resource. */
  external_id?: string | null
  tags?: string[] | null
  custom_fields?: Record<string, unknown> | null
}

/** A report as the server answers it. */
export interface Report {
  id: string
  name: string
  /** What it counts records of. */
  resource: 'contact' | 'company' | 'deal' | 'task' | 'note' | 'activity' | 'product' | 'quote' | 'association' | 'pipeline' | 'lifecycle_stage' | 'loss_reason' | 'user' | 'role' | 'token' | 'app' | 'view' | 'report' | 'follow' | 'notification' | 'field' | 'webhook'
  /** The body of an aggregate of the resource. */
  aggregate: Record<string, unknown> | null
  chart: 'bar' | 'line' | 'number' | 'table'
  /** At the end when not given. */
  position: number
  /** Whether others see it. */
  shared: boolean
  /** Custom fields that it names and that were deleted: restore them, or leave them out. */
  missing: string[]
  /** The user who is responsible; the acting user when not given. */
  owner_id: string | null
  /** Your own identifier, unique among the live records of the resource. */
  external_id: string | null
  tags: string[]
  custom_fields: Record<string, unknown> | null
  created_at: string
  created_by: string | null
  updated_at: string
  updated_by: string | null
  /** Rises by one with every change; the ETag. */
  version: number
}

/** What can be said of a report. What is not said of a new one is left to the server; of one that is there it stays, and null empties it. */
export interface ReportInput {
  name?: string
  /** What it counts records of. */
  resource?: 'contact' | 'company' | 'deal' | 'task' | 'note' | 'activity' | 'product' | 'quote' | 'association' | 'pipeline' | 'lifecycle_stage' | 'loss_reason' | 'user' | 'role' | 'token' | 'app' | 'view' | 'report' | 'follow' | 'notification' | 'field' | 'webhook'
  /** The body of an aggregate of the resource. */
  aggregate?: Record<string, unknown> | null
  chart?: 'bar' | 'line' | 'number' | 'table' | null
  /** At the end when not given. */
  position?: number | null
  /** Whether others see it. */
  shared?: boolean | null
  /** The user who is responsible; the acting user when not given. */
  owner_id?: string | null
  /** Your own identifier, unique among the live records of the resource. */
  external_id?: string | null
  tags?: string[] | null
  custom_fields?: Record<string, unknown> | null
}

/** A follow as the server answers it. */
export interface Follow {
  id: string
  /** What one is told of. */
  about_id: string
  /** The user who is responsible; the acting user when not given. */
  owner_id: string | null
  /** Your own identifier, unique among the live records of the resource. */
  external_id: string | null
  tags: string[]
  custom_fields: Record<string, unknown> | null
  created_at: string
  created_by: string | null
  updated_at: string
  updated_by: string | null
  /** Rises by one with every change; the ETag. */
  version: number
}

/** What can be said of a follow. What is not said of a new one is left to the server; of one that is there it stays, and null empties it. */
export interface FollowInput {
  /** What one is told of. */
  about_id?: string
  /** The user who is responsible; the acting user when not given. */
  owner_id?: string | null
  /** Your own identifier, unique among the live records of the resource. */
  external_id?: string | null
  tags?: string[] | null
  custom_fields?: Record<string, unknown> | null
}

/** A notification as the server answers it. */
export interface Notification {
  id: string
  kind: 'mention' | 'assigned' | 'reminder' | 'followed' | 'webhook' | 'due' | 'job'
  /** What it is about; absent where that is no record. */
  about_id: string | null
  /** The [job](#jobs) that it is about. */
  job_id: string | null
  /** What happened, as webhooks call it: `deal.won`. Of a job `job.` with how it ended: `job.failed`. */
  event: string | null
  /** Who did it. */
  actor_id: string | null
  /** What a reminder says, or what the record does not tell. */
  text: string | null
  /** When it is to be seen: when it happened, or until when it is snoozed. */
  at: string
  read_at: string | null
  /** When it is to be seen again. It is unread from then on. */
  snoozed_until: string | null
  /** The user who is responsible; the acting user when not given. */
  owner_id: string | null
  /** Your own identifier, unique among the live records of the resource. */
  external_id: string | null
  tags: string[]
  custom_fields: Record<string, unknown> | null
  created_at: string
  created_by: string | null
  updated_at: string
  updated_by: string | null
  /** Rises by one with every change; the ETag. */
  version: number
}

/** What can be said of a notification. What is not said of a new one is left to the server; of one that is there it stays, and null empties it. */
export interface NotificationInput {
  /** What it is about; absent where that is no record. */
  about_id?: string | null
  /** What a reminder says, or what the record does not tell. */
  text?: string | null
  read_at?: string | null
  /** When it is to be seen again. It is unread from then on. */
  snoozed_until?: string | null
  /** The user who is responsible; the acting user when not given. */
  owner_id?: string | null
  /** Your own identifier, unique among the live records of the resource. */
  external_id?: string | null
  tags?: string[] | null
  custom_fields?: Record<string, unknown> | null
}

/** One of the options of a record, or all of them together. */
export interface CustomOption {
  /** As it is sent, kept and answered. */
  value: string
  /** What people read; the value in words when not given. */
  label: string | null
  /** One of gray, red, orange, yellow, green, teal, blue, purple, or as `#d4af37`. */
  colour: string | null
  /** Follows from the place in the list. */
  position: number | null
  /** Whether it can no longer be chosen; records that have it keep it. False when not given. */
  archived: boolean | null
}

/** What can be said of one of the options of a record. */
export interface CustomOptionInput {
  /** As it is sent, kept and answered. */
  value: string
  /** What people read; the value in words when not given. */
  label?: string | null
  /** One of gray, red, orange, yellow, green, teal, blue, purple, or as `#d4af37`. */
  colour?: string | null
  /** Follows from the place in the list. */
  position?: number | null
  /** Whether it can no longer be chosen; records that have it keep it. False when not given. */
  archived?: boolean | null
}

/** A field as the server answers it. */
export interface CustomField {
  id: string
  /** Whose records have it. */
  resource: 'contact' | 'company' | 'deal' | 'task' | 'note' | 'activity' | 'product' | 'quote'
  /** What it is called in `custom_fields`: small letters, digits and `_`. That of a reference ends in `_id`. It can be changed; values stay. */
  name: string
  /** What people call it; the name in words when not given. */
  label: string
  /** What it holds. */
  kind: 'text' | 'long_text' | 'number' | 'decimal' | 'money' | 'boolean' | 'date' | 'datetime' | 'select' | 'multi_select' | 'url' | 'email' | 'phone' | 'reference'
  /** For a reference: the resource that it leads to. */
  target: 'contact' | 'company' | 'deal' | 'task' | 'note' | 'activity' | 'product' | 'quote' | 'association' | 'pipeline' | 'lifecycle_stage' | 'loss_reason' | 'user' | 'role' | 'token' | 'app' | 'view' | 'report' | 'follow' | 'notification' | 'field' | 'webhook' | null
  /** For `select` and `multi_select`: the values that can be chosen, in order. */
  options: CustomOption[]
  /** Sent with `options` that lack some which are in use: what records get instead, such as `{"old":"new"}`; null empties. It is not kept, and answered empty. */
  replace_with: Record<string, unknown> | null
  /** Whether new records must have it. Records that are there can be changed without it, but not emptied of it. */
  required: boolean
  /** Whether filters and orders by it find records in an index; for any kind but `long_text`. 20 fields of a resource can be. */
  indexed: boolean
  /** Whether a value can be held by one record only, compared as `eq` compares. Such a field is indexed, too, and has no default; 5 of a resource can be. */
  unique: boolean
  /** Whether the index is used already, or still being filled with the values that are there; null where there is none. */
  index_status: 'building' | 'ready' | null
  /** Whether `search_text` finds it; for texts of all kinds. */
  searchable: boolean
  /** The value of a record that is made without one; of any kind but reference. */
  default: unknown
  /** A sentence for those who fill it in. */
  help: string | null
  /** At the end when not given. */
  position: number
  /** Under which its values are kept, whatever it is called. */
  number: number | null
  /** The user who is responsible; the acting user when not given. */
  owner_id: string | null
  /** Your own identifier, unique among the live records of the resource. */
  external_id: string | null
  tags: string[]
  custom_fields: Record<string, unknown> | null
  created_at: string
  created_by: string | null
  updated_at: string
  updated_by: string | null
  /** Rises by one with every change; the ETag. */
  version: number
}

/** What can be said of a field. What is not said of a new one is left to the server; of one that is there it stays, and null empties it. */
export interface CustomFieldInput {
  /** Whose records have it. */
  resource?: 'contact' | 'company' | 'deal' | 'task' | 'note' | 'activity' | 'product' | 'quote'
  /** What it is called in `custom_fields`: small letters, digits and `_`. That of a reference ends in `_id`. It can be changed; values stay. */
  name?: string
  /** What people call it; the name in words when not given. */
  label?: string | null
  /** What it holds. */
  kind?: 'text' | 'long_text' | 'number' | 'decimal' | 'money' | 'boolean' | 'date' | 'datetime' | 'select' | 'multi_select' | 'url' | 'email' | 'phone' | 'reference'
  /** For a reference: the resource that it leads to. */
  target?: 'contact' | 'company' | 'deal' | 'task' | 'note' | 'activity' | 'product' | 'quote' | 'association' | 'pipeline' | 'lifecycle_stage' | 'loss_reason' | 'user' | 'role' | 'token' | 'app' | 'view' | 'report' | 'follow' | 'notification' | 'field' | 'webhook' | null
  /** For `select` and `multi_select`: the values that can be chosen, in order. */
  options?: CustomOptionInput[] | null
  /** Sent with `options` that lack some which are in use: what records get instead, such as `{"old":"new"}`; null empties. It is not kept, and answered empty. */
  replace_with?: Record<string, unknown> | null
  /** Whether new records must have it. Records that are there can be changed without it, but not emptied of it. */
  required?: boolean | null
  /** Whether filters and orders by it find records in an index; for any kind but `long_text`. 20 fields of a resource can be. */
  indexed?: boolean | null
  /** Whether a value can be held by one record only, compared as `eq` compares. Such a field is indexed, too, and has no default; 5 of a resource can be. */
  unique?: boolean | null
  /** Whether `search_text` finds it; for texts of all kinds. */
  searchable?: boolean | null
  /** The value of a record that is made without one; of any kind but reference. */
  default?: unknown
  /** A sentence for those who fill it in. */
  help?: string | null
  /** At the end when not given. */
  position?: number | null
  /** The user who is responsible; the acting user when not given. */
  owner_id?: string | null
  /** Your own identifier, unique among the live records of the resource. */
  external_id?: string | null
  tags?: string[] | null
  custom_fields?: Record<string, unknown> | null
}

/** A webhook as the server answers it. */
export interface Webhook {
  id: string
  /** The host of the address when not given. */
  name: string
  /** Where events are sent to, by POST: https, in no private network. */
  url: string
  /** What it is told of: `deal.won`, `deal.*` or `*`. See [events](#webhooks). */
  events: string[]
  /** For some resources, filters as in a search: only events of records that they find, as these were after the change. */
  filters: Record<string, unknown> | null
  /** One that is enabled again goes on where it stopped. */
  status: 'active' | 'disabled'
  disabled_at: string | null
  /** Where kith did it. */
  disabled_reason: string | null
  /** Who last said where it sends what: it is told of what they may read. */
  user_id: string | null
  /** The user who is responsible; the acting user when not given. */
  owner_id: string | null
  /** Your own identifier, unique among the live records of the resource. */
  external_id: string | null
  tags: string[]
  custom_fields: Record<string, unknown> | null
  created_at: string
  created_by: string | null
  updated_at: string
  updated_by: string | null
  /** Rises by one with every change; the ETag. */
  version: number
}

/** What can be said of a webhook. What is not said of a new one is left to the server; of one that is there it stays, and null empties it. */
export interface WebhookInput {
  /** The host of the address when not given. */
  name?: string | null
  /** Where events are sent to, by POST: https, in no private network. */
  url?: string
  /** What it is told of: `deal.won`, `deal.*` or `*`. See [events](#webhooks). */
  events?: string[]
  /** For some resources, filters as in a search: only events of records that they find, as these were after the change. */
  filters?: Record<string, unknown> | null
  /** One that is enabled again goes on where it stopped. */
  status?: 'active' | 'disabled' | null
  /** The user who is responsible; the acting user when not given. */
  owner_id?: string | null
  /** Your own identifier, unique among the live records of the resource. */
  external_id?: string | null
  tags?: string[] | null
  custom_fields?: Record<string, unknown> | null
}

/** A business as the server answers it. */
export interface Business {
  id: string
  name: string
  /** Where a deal, product or quote names no other. A change counts for what is made from then on. */
  currency: string
  /** Such as Europe/Berlin; UTC when not given. */
  timezone: string | null
  locale: string | null
  /** As it stands on quotes, in lines. */
  address: string | null
  /** As it stands on quotes. */
  tax_id: string | null
  /** Stand on every quote, behind its own terms. */
  quote_terms: string | null
  /** Stands at the end of every page of a quote; up to four lines of it. */
  quote_footer: string | null
  /** Stands on quotes. A PNG or JPEG as a data: address in base64, of at most 600 KB and 4 million points; it is drawn anew as a PNG that fits 900 by 330 points. Kept apart: what is answered is a mark that changes with it, and `GET /v1/business/logo` gives the picture. */
  logo: string | null
  /** After so many days deleted records are removed for good; never when not given. */
  bin_days: number | null
  /** The address (issuer) of the OpenID Connect provider by which people log in to this business. To remove it removes the other login_ fields, too. Whoever sets any of them must have every right that a role of the business gives. */
  login_issuer: string | null
  /** What the provider knows kith by. */
  login_client_id: string | null
  /** Kept apart and never answered: what is answered tells since when it is set. */
  login_client_secret: string | null
  /** Only e-mail addresses at these log in by the provider; 1 to 50. */
  login_domains: string[]
  /** Who has no user yet is made one with this role. Only users that are there can log in when not given. */
  login_role_id: string | null
  /** Whether people log in by the provider only. Those whose role has the feature permission manage_settings can log in by other means as well. */
  login_required: boolean | null
  /** Whether an e-mail address counts that the provider sends without email_verified, as Microsoft Entra ID does. Only for a provider where nobody but the company decides which address somebody has. One that it calls unverified never counts. */
  login_trusted: boolean | null
  created_at: string
  updated_at: string
  /** Rises by one with every change; the ETag. */
  version: number
}

/** What can be said of a business. What is not said of a new one is left to the server; of one that is there it stays, and null empties it. */
export interface BusinessInput {
  name?: string
  /** Where a deal, product or quote names no other. A change counts for what is made from then on. */
  currency?: string
  /** Such as Europe/Berlin; UTC when not given. */
  timezone?: string | null
  locale?: string | null
  /** As it stands on quotes, in lines. */
  address?: string | null
  /** As it stands on quotes. */
  tax_id?: string | null
  /** Stand on every quote, behind its own terms. */
  quote_terms?: string | null
  /** Stands at the end of every page of a quote; up to four lines of it. */
  quote_footer?: string | null
  /** Stands on quotes. A PNG or JPEG as a data: address in base64, of at most 600 KB and 4 million points; it is drawn anew as a PNG that fits 900 by 330 points. Kept apart: what is answered is a mark that changes with it, and `GET /v1/business/logo` gives the picture. */
  logo?: string | null
  /** After so many days deleted records are removed for good; never when not given. */
  bin_days?: number | null
  /** The address (issuer) of the OpenID Connect provider by which people log in to this business. To remove it removes the other login_ fields, too. Whoever sets any of them must have every right that a role of the business gives. */
  login_issuer?: string | null
  /** What the provider knows kith by. */
  login_client_id?: string | null
  /** Kept apart and never answered: what is answered tells since when it is set. */
  login_client_secret?: string | null
  /** Only e-mail addresses at these log in by the provider; 1 to 50. */
  login_domains?: string[] | null
  /** Who has no user yet is made one with this role. Only users that are there can log in when not given. */
  login_role_id?: string | null
  /** Whether people log in by the provider only. Those whose role has the feature permission manage_settings can log in by other means as well. */
  login_required?: boolean | null
  /** Whether an e-mail address counts that the provider sends without email_verified, as Microsoft Entra ID does. Only for a provider where nobody but the company decides which address somebody has. One that it calls unverified never counts. */
  login_trusted?: boolean | null
}

/** An audit as the server answers it. */
export interface Audit {
  id: string
  /** Counts the lines of the business, from 1 and without gaps. */
  seq: number
  created_at: string
  action: 'app.created' | 'app.deleted' | 'app.secret_rotated' | 'app.updated' | 'audit.began' | 'backup.created' | 'backup.restored' | 'bin.emptied' | 'business.created' | 'business.updated' | 'company.erased' | 'confirmation.failed' | 'contact.erased' | 'data.exported' | 'field.created' | 'field.deleted' | 'field.restored' | 'field.updated' | 'grant.created' | 'grant.ended' | 'lifecycle_stage.created' | 'lifecycle_stage.deleted' | 'lifecycle_stage.restored' | 'lifecycle_stage.updated' | 'link.created' | 'login.failed' | 'login.succeeded' | 'loss_reason.created' | 'loss_reason.deleted' | 'loss_reason.restored' | 'loss_reason.updated' | 'password.changed' | 'pipeline.created' | 'pipeline.deleted' | 'pipeline.restored' | 'pipeline.updated' | 'role.created' | 'role.deleted' | 'role.restored' | 'role.updated' | 'session.ended' | 'token.created' | 'token.deleted' | 'user.created' | 'user.deleted' | 'user.erased' | 'user.restored' | 'user.updated' | 'webhook.created' | 'webhook.deleted' | 'webhook.secret_rotated' | 'webhook.updated'
  /** `user`: somebody who logged in, or an app or token of theirs. `operator`: a command on the server. `server`: kith by itself. `stranger`: nobody knows. */
  actor: 'user' | 'operator' | 'server' | 'stranger'
  /** Who acted, or in whose name. */
  user_id: string | null
  token_id: string | null
  /** The app that acted: its id, or its client id where it registered itself. */
  app_id: string | null
  /** What it happened to. */
  resource: 'business' | 'client' | 'contact' | 'company' | 'deal' | 'task' | 'note' | 'activity' | 'product' | 'quote' | 'association' | 'pipeline' | 'lifecycle_stage' | 'loss_reason' | 'user' | 'role' | 'token' | 'app' | 'view' | 'report' | 'follow' | 'notification' | 'field' | 'webhook' | null
  record_id: string | null
  /** The names of what changed; never the values. Of a link, what it is for. */
  fields: ('active' | 'address' | 'bin_days' | 'client_id' | 'colour' | 'created_at' | 'created_by' | 'currency' | 'custom_fields' | 'default' | 'deleted_at' | 'disabled_at' | 'disabled_reason' | 'email' | 'events' | 'expires_at' | 'external_id' | 'features' | 'filters' | 'grant_types' | 'help' | 'hint' | 'id' | 'index_status' | 'indexed' | 'invite' | 'is_default' | 'kind' | 'label' | 'last_active_at' | 'last_used_at' | 'locale' | 'login_client_id' | 'login_client_secret' | 'login_domains' | 'login_issuer' | 'login_required' | 'login_role_id' | 'login_trusted' | 'logo' | 'muted_notifications' | 'name' | 'notifications_mailed_at_once' | 'notifications_not_mailed' | 'number' | 'options' | 'owner_id' | 'pending_email' | 'permissions' | 'position' | 'quote' | 'quote_footer' | 'quote_terms' | 'redirect_uris' | 'replace_with' | 'required' | 'requires_second_factor' | 'reset' | 'resource' | 'role_id' | 'scopes' | 'searchable' | 'second_factor_at' | 'stages' | 'status' | 'tags' | 'target' | 'tax_id' | 'timezone' | 'unique' | 'updated_at' | 'updated_by' | 'url' | 'user_id' | 'version')[]
  /** More than 1 where several are told in one line. */
  count: number
  /** Where the request came from; gone once the user is erased. */
  address: string | null
  request_id: string | null
  /** SHA-256 of the line and the hash of the one before. */
  hash: string
}

/** What can be said of an audit. What is not said of a new one is left to the server; of one that is there it stays, and null empties it. */
export interface AuditInput {
}

/** The fields of a contact by which searches filter, sort and show, with how each is compared. */
export interface ContactPaths {
  id: Exact
  first_name: Words
  last_name: Words
  name: Words
  email: Words
  phone: Words
  mobile_phone: Words
  job_title: Words
  company_id: Exact
  lead_score: Range<number>
  lifecycle_stage_id: Exact
  lead_source: Words
  'address.street': Words
  'address.city': Words
  'address.region': Words
  'address.postal_code': Words
  'address.country': Words
  linkedin_url: Words
  timezone: Words
  do_not_contact: Exact<boolean>
  last_contacted_at: Range
  owner_id: Exact
  external_id: Words
  tags: Member
  custom_fields: Presence
  created_at: Range
  created_by: Exact
  updated_at: Range
  updated_by: Exact
  version: Range<number>
}

/** What the action merge takes. */
export interface ContactMerge {
  /** The contact that becomes part of this one. */
  other_id: string
  /** The fields of which the other's value is kept: `{"job_title": "other"}`. */
  prefer?: Record<string, unknown> | null
}

/** What the action unmerge takes. */
export interface ContactUnmerge {
  /** The contact that was merged into this one. */
  other_id: string
}

export interface ContactKind {
  record: Contact
  created: Contact
  input: ContactInput
  creation: ContactInput
  references: { company?: Partial<Company> | null; lifecycle_stage?: Partial<LifecycleStage> | null; owner?: Partial<User> | null; merged_into?: Partial<Contact> | null }
  paths: ContactPaths & Via<'company', CompanyPaths> & Via<'lifecycle_stage', LifecycleStagePaths> & Via<'owner', UserPaths> & Via<'created_by', UserPaths> & Via<'updated_by', UserPaths> & Via<'merged_into', ContactPaths> & Record<'associations.contact' | 'associations.company' | 'associations.deal' | 'associations.quote' | 'associations.task' | 'associations.note' | 'associations.activity', Member>
  match: 'id' | 'email' | 'external_id'
  actions: {
    merge: { data: ContactMerge; answer: { record: Contact; moved: Record<string, number>; filled: string[]; lost: Record<string, unknown> } }
    unmerge: { data: ContactUnmerge; answer: { record: Contact; other: Contact; left: { id: string; field: string }[] } }
  }
}

/** The fields of a company by which searches filter, sort and show, with how each is compared. */
export interface CompanyPaths {
  id: Exact
  name: Words
  legal_name: Words
  domain: Words
  website: Words
  email: Words
  phone: Words
  industry: Words
  company_type: Words
  employee_count: Range<number>
  annual_revenue: Range<string | number>
  currency: Words
  'address.street': Words
  'address.city': Words
  'address.region': Words
  'address.postal_code': Words
  'address.country': Words
  parent_company_id: Exact
  lifecycle_stage_id: Exact
  description: Words
  linkedin_url: Words
  last_contacted_at: Range
  owner_id: Exact
  external_id: Words
  tags: Member
  custom_fields: Presence
  created_at: Range
  created_by: Exact
  updated_at: Range
  updated_by: Exact
  version: Range<number>
}

/** What the action merge takes. */
export interface CompanyMerge {
  /** The company that becomes part of this one. */
  other_id: string
  /** The fields of which the other's value is kept: `{"job_title": "other"}`. */
  prefer?: Record<string, unknown> | null
}

/** What the action unmerge takes. */
export interface CompanyUnmerge {
  /** The company that was merged into this one. */
  other_id: string
}

export interface CompanyKind {
  record: Company
  created: Company
  input: CompanyInput
  creation: CompanyInput & Required<Pick<CompanyInput, 'name'>>
  references: { parent_company?: Partial<Company> | null; lifecycle_stage?: Partial<LifecycleStage> | null; owner?: Partial<User> | null; merged_into?: Partial<Company> | null }
  paths: CompanyPaths & Via<'parent_company', CompanyPaths> & Via<'lifecycle_stage', LifecycleStagePaths> & Via<'owner', UserPaths> & Via<'created_by', UserPaths> & Via<'updated_by', UserPaths> & Via<'merged_into', CompanyPaths> & Record<'associations.contact' | 'associations.company' | 'associations.deal' | 'associations.quote' | 'associations.task' | 'associations.note' | 'associations.activity', Member>
  match: 'id' | 'domain' | 'email' | 'external_id'
  actions: {
    merge: { data: CompanyMerge; answer: { record: Company; moved: Record<string, number>; filled: string[]; lost: Record<string, unknown> } }
    unmerge: { data: CompanyUnmerge; answer: { record: Company; other: Company; left: { id: string; field: string }[] } }
  }
}

/** The fields of a deal by which searches filter, sort and show, with how each is compared. */
export interface DealPaths {
  id: Exact
  name: Words
  pipeline_id: Exact
  stage_id: Exact
  status: Exact<'open' | 'won' | 'lost'>
  amount: Range<string | number>
  currency: Words
  probability: Range<number>
  weighted_amount: Range<string | number>
  expected_close_date: Range
  closed_at: Range
  loss_reason_id: Exact
  lost_reason: Words
  company_id: Exact
  contact_id: Exact
  line_items: Presence
  next_step: Words
  stage_changed_at: Range
  past_stages: Presence
  description: Words
  owner_id: Exact
  external_id: Words
  tags: Member
  custom_fields: Presence
  created_at: Range
  created_by: Exact
  updated_at: Range
  updated_by: Exact
  version: Range<number>
}

/** What the action change_stage takes. */
export interface DealChangeStage {
  stage_id: string
}

/** What the action lose takes. */
export interface DealLose {
  loss_reason_id?: string | null
  lost_reason?: string | null
}

export interface DealKind {
  record: Deal
  created: Deal
  input: DealInput
  creation: DealInput & Required<Pick<DealInput, 'name'>>
  references: { pipeline?: Partial<Pipeline> | null; stage?: Partial<Stage> | null; loss_reason?: Partial<LossReason> | null; company?: Partial<Company> | null; contact?: Partial<Contact> | null; owner?: Partial<User> | null }
  paths: DealPaths & Via<'pipeline', PipelinePaths> & Via<'stage', StagePaths> & Via<'loss_reason', LossReasonPaths> & Via<'company', CompanyPaths> & Via<'contact', ContactPaths> & Via<'owner', UserPaths> & Via<'created_by', UserPaths> & Via<'updated_by', UserPaths> & Record<'associations.contact' | 'associations.company' | 'associations.deal' | 'associations.quote' | 'associations.task' | 'associations.note' | 'associations.activity', Member>
  match: 'id' | 'external_id'
  actions: {
    change_stage: { data: DealChangeStage; answer: Deal }
    win: { data: Record<string, never>; answer: Deal }
    lose: { data: DealLose; answer: Deal }
    reopen: { data: Record<string, never>; answer: Deal }
  }
}

/** The fields of a task by which searches filter, sort and show, with how each is compared. */
export interface TaskPaths {
  id: Exact
  title: Words
  description: Words
  task_type: Words
  status: Exact<'open' | 'in_progress' | 'completed' | 'cancelled'>
  priority: Exact<'low' | 'normal' | 'high' | 'urgent'>
  due_at: Range
  completed_at: Range
  completed_by: Exact
  assignee_id: Exact
  contact_id: Exact
  company_id: Exact
  deal_id: Exact
  owner_id: Exact
  external_id: Words
  tags: Member
  custom_fields: Presence
  created_at: Range
  created_by: Exact
  updated_at: Range
  updated_by: Exact
  version: Range<number>
}

export interface TaskKind {
  record: Task
  created: Task
  input: TaskInput
  creation: TaskInput & Required<Pick<TaskInput, 'title'>>
  references: { assignee?: Partial<User> | null; contact?: Partial<Contact> | null; company?: Partial<Company> | null; deal?: Partial<Deal> | null; owner?: Partial<User> | null }
  paths: TaskPaths & Via<'completed_by', UserPaths> & Via<'assignee', UserPaths> & Via<'contact', ContactPaths> & Via<'company', CompanyPaths> & Via<'deal', DealPaths> & Via<'owner', UserPaths> & Via<'created_by', UserPaths> & Via<'updated_by', UserPaths> & Record<'associations.contact' | 'associations.company' | 'associations.deal' | 'associations.quote' | 'associations.task' | 'associations.note' | 'associations.activity', Member>
  match: 'id' | 'external_id'
  actions: {
    complete: { data: Record<string, never>; answer: Task }
    reopen: { data: Record<string, never>; answer: Task }
  }
}

/** The fields of a note by which searches filter, sort and show, with how each is compared. */
export interface NotePaths {
  id: Exact
  title: Words
  body: Words
  pinned: Exact<boolean>
  pinned_at: Range
  pinned_by: Exact
  contact_id: Exact
  company_id: Exact
  deal_id: Exact
  in_reply_to_id: Exact
  owner_id: Exact
  external_id: Words
  tags: Member
  custom_fields: Presence
  created_at: Range
  created_by: Exact
  updated_at: Range
  updated_by: Exact
  version: Range<number>
}

export interface NoteKind {
  record: Note
  created: Note
  input: NoteInput
  creation: NoteInput
  references: { contact?: Partial<Contact> | null; company?: Partial<Company> | null; deal?: Partial<Deal> | null; in_reply_to?: Partial<Note> | null; owner?: Partial<User> | null }
  paths: NotePaths & Via<'pinned_by', UserPaths> & Via<'contact', ContactPaths> & Via<'company', CompanyPaths> & Via<'deal', DealPaths> & Via<'in_reply_to', NotePaths> & Via<'owner', UserPaths> & Via<'created_by', UserPaths> & Via<'updated_by', UserPaths> & Record<'associations.contact' | 'associations.company' | 'associations.deal' | 'associations.quote' | 'associations.task' | 'associations.note' | 'associations.activity', Member>
  match: 'id' | 'external_id'
  actions: {
    pin: { data: Record<string, never>; answer: Note }
    unpin: { data: Record<string, never>; answer: Note }
  }
}

/** The fields of an activity by which searches filter, sort and show, with how each is compared. */
export interface ActivityPaths {
  id: Exact
  activity_type: Exact<'call' | 'email' | 'meeting' | 'message' | 'other'>
  subject: Words
  body: Words
  direction: Exact<'inbound' | 'outbound'>
  outcome: Words
  occurred_at: Range
  duration_seconds: Range<number>
  location: Words
  contact_id: Exact
  company_id: Exact
  deal_id: Exact
  owner_id: Exact
  external_id: Words
  tags: Member
  custom_fields: Presence
  created_at: Range
  created_by: Exact
  updated_at: Range
  updated_by: Exact
  version: Range<number>
}

export interface ActivityKind {
  record: Activity
  created: Activity
  input: ActivityInput
  creation: ActivityInput & Required<Pick<ActivityInput, 'activity_type'>>
  references: { contact?: Partial<Contact> | null; company?: Partial<Company> | null; deal?: Partial<Deal> | null; owner?: Partial<User> | null }
  paths: ActivityPaths & Via<'contact', ContactPaths> & Via<'company', CompanyPaths> & Via<'deal', DealPaths> & Via<'owner', UserPaths> & Via<'created_by', UserPaths> & Via<'updated_by', UserPaths> & Record<'associations.contact' | 'associations.company' | 'associations.deal' | 'associations.quote' | 'associations.task' | 'associations.note' | 'associations.activity', Member>
  match: 'id' | 'external_id'
  actions: {

  }
}

/** The fields of a product by which searches filter, sort and show, with how each is compared. */
export interface ProductPaths {
  id: Exact
  name: Words
  sku: Words
  description: Words
  status: Exact<'draft' | 'active' | 'archived'>
  price: Range<string | number>
  cost: Range<string | number>
  currency: Words
  tax_rate: Range<number>
  unit: Words
  category: Words
  billing_frequency: Exact<'one_time' | 'monthly' | 'yearly'>
  image_url: Words
  owner_id: Exact
  external_id: Words
  tags: Member
  custom_fields: Presence
  created_at: Range
  created_by: Exact
  updated_at: Range
  updated_by: Exact
  version: Range<number>
}

export interface ProductKind {
  record: Product
  created: Product
  input: ProductInput
  creation: ProductInput & Required<Pick<ProductInput, 'name'>>
  references: { owner?: Partial<User> | null }
  paths: ProductPaths & Via<'owner', UserPaths> & Via<'created_by', UserPaths> & Via<'updated_by', UserPaths>
  match: 'id' | 'sku' | 'external_id'
  actions: {

  }
}

/** The fields of a quote by which searches filter, sort and show, with how each is compared. */
export interface QuotePaths {
  id: Exact
  number: Range<number>
  title: Words
  status: Exact<'draft' | 'sent' | 'accepted' | 'declined' | 'expired'>
  deal_id: Exact
  company_id: Exact
  contact_id: Exact
  currency: Words
  line_items: Presence
  subtotal: Range<string | number>
  discount_total: Range<string | number>
  tax_total: Range<string | number>
  total: Range<string | number>
  valid_until: Range
  terms: Words
  sent_at: Range
  accepted_at: Range
  declined_at: Range
  declined_reason: Words
  shared_at: Range
  accepted_by: Words
  answered_from: Words
  owner_id: Exact
  external_id: Words
  tags: Member
  custom_fields: Presence
  created_at: Range
  created_by: Exact
  updated_at: Range
  updated_by: Exact
  version: Range<number>
}

/** What the action decline takes. */
export interface QuoteDecline {
  declined_reason?: string | null
}

export interface QuoteKind {
  record: Quote
  created: Quote
  input: QuoteInput
  creation: QuoteInput
  references: { deal?: Partial<Deal> | null; company?: Partial<Company> | null; contact?: Partial<Contact> | null; owner?: Partial<User> | null }
  paths: QuotePaths & Via<'deal', DealPaths> & Via<'company', CompanyPaths> & Via<'contact', ContactPaths> & Via<'owner', UserPaths> & Via<'created_by', UserPaths> & Via<'updated_by', UserPaths> & Record<'associations.contact' | 'associations.company' | 'associations.deal' | 'associations.quote' | 'associations.task' | 'associations.note' | 'associations.activity', Member>
  match: 'id' | 'external_id'
  actions: {
    send: { data: Record<string, never>; answer: Quote }
    accept: { data: Record<string, never>; answer: Quote }
    decline: { data: QuoteDecline; answer: Quote }
    share: { data: Record<string, never>; answer: Quote }
    unshare: { data: Record<string, never>; answer: Quote }
    revise: { data: Record<string, never>; answer: Quote }
  }
}

/** The fields of an association by which searches filter, sort and show, with how each is compared. */
export interface AssociationPaths {
  id: Exact
  from_id: Words
  to_id: Words
  label: Words
  deleted_with: Words
  owner_id: Exact
  external_id: Words
  tags: Member
  custom_fields: Presence
  created_at: Range
  created_by: Exact
  updated_at: Range
  updated_by: Exact
  version: Range<number>
}

export interface AssociationKind {
  record: Association
  created: Association
  input: AssociationInput
  creation: AssociationInput & Required<Pick<AssociationInput, 'from_id' | 'to_id'>>
  references: { owner?: Partial<User> | null }
  paths: AssociationPaths & Via<'owner', UserPaths> & Via<'created_by', UserPaths> & Via<'updated_by', UserPaths>
  match: 'id' | 'external_id'
  actions: {

  }
}

/** The fields of a pipeline by which searches filter, sort and show, with how each is compared. */
export interface PipelinePaths {
  id: Exact
  name: Words
  position: Range<number>
  is_default: Exact<boolean>
  stages: Presence
  owner_id: Exact
  external_id: Words
  tags: Member
  custom_fields: Presence
  created_at: Range
  created_by: Exact
  updated_at: Range
  updated_by: Exact
  version: Range<number>
}

/** The fields of a stage by which searches filter, sort and show, with how each is compared. */
export interface StagePaths {
  id: Exact
  name: Words
  position: Range<number>
  kind: Exact<'open' | 'won' | 'lost'>
  probability: Range<number>
  colour: Exact<'gray' | 'red' | 'orange' | 'yellow' | 'green' | 'teal' | 'blue' | 'purple'>
}

export interface PipelineKind {
  record: Pipeline
  created: Pipeline
  input: PipelineInput
  creation: PipelineInput & Required<Pick<PipelineInput, 'name'>>
  references: { owner?: Partial<User> | null }
  paths: PipelinePaths & Via<'owner', UserPaths> & Via<'created_by', UserPaths> & Via<'updated_by', UserPaths>
  match: 'id' | 'external_id'
  actions: {

  }
}

/** The fields of a lifecycle stage by which searches filter, sort and show, with how each is compared. */
export interface LifecycleStagePaths {
  id: Exact
  name: Words
  position: Range<number>
  colour: Exact<'gray' | 'red' | 'orange' | 'yellow' | 'green' | 'teal' | 'blue' | 'purple'>
  is_default: Exact<boolean>
  owner_id: Exact
  external_id: Words
  tags: Member
  custom_fields: Presence
  created_at: Range
  created_by: Exact
  updated_at: Range
  updated_by: Exact
  version: Range<number>
}

export interface LifecycleStageKind {
  record: LifecycleStage
  created: LifecycleStage
  input: LifecycleStageInput
  creation: LifecycleStageInput & Required<Pick<LifecycleStageInput, 'name'>>
  references: { owner?: Partial<User> | null }
  paths: LifecycleStagePaths & Via<'owner', UserPaths> & Via<'created_by', UserPaths> & Via<'updated_by', UserPaths>
  match: 'id' | 'external_id'
  actions: {

  }
}

/** The fields of a loss reason by which searches filter, sort and show, with how each is compared. */
export interface LossReasonPaths {
  id: Exact
  name: Words
  position: Range<number>
  active: Exact<boolean>
  owner_id: Exact
  external_id: Words
  tags: Member
  custom_fields: Presence
  created_at: Range
  created_by: Exact
  updated_at: Range
  updated_by: Exact
  version: Range<number>
}

export interface LossReasonKind {
  record: LossReason
  created: LossReason
  input: LossReasonInput
  creation: LossReasonInput & Required<Pick<LossReasonInput, 'name'>>
  references: { owner?: Partial<User> | null }
  paths: LossReasonPaths & Via<'owner', UserPaths> & Via<'created_by', UserPaths> & Via<'updated_by', UserPaths>
  match: 'id' | 'external_id'
  actions: {

  }
}

/** The fields of a user by which searches filter, sort and show, with how each is compared. */
export interface UserPaths {
  id: Exact
  email: Words
  pending_email: Words
  name: Words
  status: Exact<'invited' | 'active' | 'suspended'>
  role_id: Exact
  timezone: Words
  locale: Words
  last_active_at: Range
  second_factor_at: Range
  muted_notifications: Member
  notifications_mailed_at_once: Member
  notifications_not_mailed: Member
  owner_id: Exact
  external_id: Words
  tags: Member
  custom_fields: Presence
  created_at: Range
  created_by: Exact
  updated_at: Range
  updated_by: Exact
  version: Range<number>
}

export interface UserKind {
  record: User
  created: User
  input: UserInput
  creation: UserInput & Required<Pick<UserInput, 'email'>>
  references: { role?: Partial<Role> | null; owner?: Partial<User> | null }
  paths: UserPaths & Via<'role', RolePaths> & Via<'owner', UserPaths> & Via<'created_by', UserPaths> & Via<'updated_by', UserPaths>
  match: 'id' | 'email' | 'external_id'
  actions: {

  }
}

/** The fields of a role by which searches filter, sort and show, with how each is compared. */
export interface RolePaths {
  id: Exact
  name: Words
  permissions: Presence
  features: Member
  requires_second_factor: Exact<boolean>
  owner_id: Exact
  external_id: Words
  tags: Member
  custom_fields: Presence
  created_at: Range
  created_by: Exact
  updated_at: Range
  updated_by: Exact
  version: Range<number>
}

export interface RoleKind {
  record: Role
  created: Role
  input: RoleInput
  creation: RoleInput & Required<Pick<RoleInput, 'name'>>
  references: { owner?: Partial<User> | null }
  paths: RolePaths & Via<'owner', UserPaths> & Via<'created_by', UserPaths> & Via<'updated_by', UserPaths>
  match: 'id' | 'name' | 'external_id'
  actions: {

  }
}

/** The fields of a token by which searches filter, sort and show, with how each is compared. */
export interface TokenPaths {
  id: Exact
  name: Words
  scopes: Member
  hint: Words
  user_id: Exact
  expires_at: Range
  last_used_at: Range
  owner_id: Exact
  external_id: Words
  tags: Member
  custom_fields: Presence
  created_at: Range
  created_by: Exact
  updated_at: Range
  updated_by: Exact
  version: Range<number>
}

export interface TokenKind {
  record: Token
  created: Token & { token?: string; omitted?: string[] }
  input: TokenInput
  creation: TokenInput & Required<Pick<TokenInput, 'name' | 'scopes'>>
  references: { user?: Partial<User> | null; owner?: Partial<User> | null }
  paths: TokenPaths & Via<'user', UserPaths> & Via<'owner', UserPaths> & Via<'created_by', UserPaths> & Via<'updated_by', UserPaths>
  match: never
  actions: {

  }
}

/** The fields of an app by which searches filter, sort and show, with how each is compared. */
export interface AppPaths {
  id: Exact
  name: Words
  client_id: Words
  redirect_uris: Member
  grant_types: Member
  scopes: Member
  user_id: Exact
  owner_id: Exact
  external_id: Words
  tags: Member
  custom_fields: Presence
  created_at: Range
  created_by: Exact
  updated_at: Range
  updated_by: Exact
  version: Range<number>
}

export interface AppKind {
  record: App
  created: App & { client_secret?: string; omitted?: string[] }
  input: AppInput
  creation: AppInput & Required<Pick<AppInput, 'name' | 'scopes'>>
  references: { user?: Partial<User> | null; owner?: Partial<User> | null }
  paths: AppPaths & Via<'user', UserPaths> & Via<'owner', UserPaths> & Via<'created_by', UserPaths> & Via<'updated_by', UserPaths>
  match: 'id' | 'external_id'
  actions: {
    rotate_secret: { data: Record<string, never>; answer: App & { client_secret?: string; omitted?: string[] } }
  }
}

/** The fields of a view by which searches filter, sort and show, with how each is compared. */
export interface ViewPaths {
  id: Exact
  name: Words
  resource: Exact<'contact' | 'company' | 'deal' | 'task' | 'note' | 'activity' | 'product' | 'quote' | 'association' | 'pipeline' | 'lifecycle_stage' | 'loss_reason' | 'user' | 'role' | 'token' | 'app' | 'view' | 'report' | 'follow' | 'notification' | 'field' | 'webhook'>
  search: Presence
  layout: Exact<'table' | 'board' | 'calendar'>
  columns: Member
  group_by: Words
  position: Range<number>
  shared: Exact<boolean>
  missing: Member
  owner_id: Exact
  external_id: Words
  tags: Member
  custom_fields: Presence
  created_at: Range
  created_by: Exact
  updated_at: Range
  updated_by: Exact
  version: Range<number>
}

export interface ViewKind {
  record: View
  created: View
  input: ViewInput
  creation: ViewInput & Required<Pick<ViewInput, 'name' | 'resource'>>
  references: { owner?: Partial<User> | null }
  paths: ViewPaths & Via<'owner', UserPaths> & Via<'created_by', UserPaths> & Via<'updated_by', UserPaths>
  match: 'id' | 'external_id'
  actions: {

  }
}

/** The fields of a report by which searches filter, sort and show, with how each is compared. */
export interface ReportPaths {
  id: Exact
  name: Words
  resource: Exact<'contact' | 'company' | 'deal' | 'task' | 'note' | 'activity' | 'product' | 'quote' | 'association' | 'pipeline' | 'lifecycle_stage' | 'loss_reason' | 'user' | 'role' | 'token' | 'app' | 'view' | 'report' | 'follow' | 'notification' | 'field' | 'webhook'>
  aggregate: Presence
  chart: Exact<'bar' | 'line' | 'number' | 'table'>
  position: Range<number>
  shared: Exact<boolean>
  missing: Member
  owner_id: Exact
  external_id: Words
  tags: Member
  custom_fields: Presence
  created_at: Range
  created_by: Exact
  updated_at: Range
  updated_by: Exact
  version: Range<number>
}

export interface ReportKind {
  record: Report
  created: Report
  input: ReportInput
  creation: ReportInput & Required<Pick<ReportInput, 'name' | 'resource'>>
  references: { owner?: Partial<User> | null }
  paths: ReportPaths & Via<'owner', UserPaths> & Via<'created_by', UserPaths> & Via<'updated_by', UserPaths>
  match: 'id' | 'external_id'
  actions: {

  }
}

/** The fields of a follow by which searches filter, sort and show, with how each is compared. */
export interface FollowPaths {
  id: Exact
  about_id: Words
  owner_id: Exact
  external_id: Words
  tags: Member
  custom_fields: Presence
  created_at: Range
  created_by: Exact
  updated_at: Range
  updated_by: Exact
  version: Range<number>
}

export interface FollowKind {
  record: Follow
  created: Follow
  input: FollowInput
  creation: FollowInput & Required<Pick<FollowInput, 'about_id'>>
  references: { owner?: Partial<User> | null }
  paths: FollowPaths & Via<'owner', UserPaths> & Via<'created_by', UserPaths> & Via<'updated_by', UserPaths>
  match: 'id' | 'external_id'
  actions: {

  }
}

/** The fields of a notification by which searches filter, sort and show, with how each is compared. */
export interface NotificationPaths {
  id: Exact
  kind: Exact<'mention' | 'assigned' | 'reminder' | 'followed' | 'webhook' | 'due' | 'job'>
  about_id: Words
  job_id: Words
  event: Words
  actor_id: Exact
  text: Words
  at: Range
  read_at: Range
  snoozed_until: Range
  owner_id: Exact
  external_id: Words
  tags: Member
  custom_fields: Presence
  created_at: Range
  created_by: Exact
  updated_at: Range
  updated_by: Exact
  version: Range<number>
}

export interface NotificationKind {
  record: Notification
  created: Notification
  input: NotificationInput
  creation: NotificationInput
  references: { actor?: Partial<User> | null; owner?: Partial<User> | null }
  paths: NotificationPaths & Via<'actor', UserPaths> & Via<'owner', UserPaths> & Via<'created_by', UserPaths> & Via<'updated_by', UserPaths>
  match: 'id' | 'external_id'
  actions: {

  }
}

/** The fields of a field by which searches filter, sort and show, with how each is compared. */
export interface CustomFieldPaths {
  id: Exact
  resource: Exact<'contact' | 'company' | 'deal' | 'task' | 'note' | 'activity' | 'product' | 'quote'>
  name: Words
  label: Words
  kind: Exact<'text' | 'long_text' | 'number' | 'decimal' | 'money' | 'boolean' | 'date' | 'datetime' | 'select' | 'multi_select' | 'url' | 'email' | 'phone' | 'reference'>
  target: Exact<'contact' | 'company' | 'deal' | 'task' | 'note' | 'activity' | 'product' | 'quote' | 'association' | 'pipeline' | 'lifecycle_stage' | 'loss_reason' | 'user' | 'role' | 'token' | 'app' | 'view' | 'report' | 'follow' | 'notification' | 'field' | 'webhook'>
  options: Presence
  replace_with: Presence
  required: Exact<boolean>
  indexed: Exact<boolean>
  unique: Exact<boolean>
  index_status: Exact<'building' | 'ready'>
  searchable: Exact<boolean>
  default: Presence
  help: Words
  position: Range<number>
  number: Range<number>
  owner_id: Exact
  external_id: Words
  tags: Member
  custom_fields: Presence
  created_at: Range
  created_by: Exact
  updated_at: Range
  updated_by: Exact
  version: Range<number>
}

export interface CustomFieldKind {
  record: CustomField
  created: CustomField
  input: CustomFieldInput
  creation: CustomFieldInput & Required<Pick<CustomFieldInput, 'resource' | 'name' | 'kind'>>
  references: { owner?: Partial<User> | null }
  paths: CustomFieldPaths & Via<'owner', UserPaths> & Via<'created_by', UserPaths> & Via<'updated_by', UserPaths>
  match: 'id' | 'external_id'
  actions: {

  }
}

/** The fields of a webhook by which searches filter, sort and show, with how each is compared. */
export interface WebhookPaths {
  id: Exact
  name: Words
  url: Words
  events: Member
  filters: Presence
  status: Exact<'active' | 'disabled'>
  disabled_at: Range
  disabled_reason: Words
  user_id: Exact
  owner_id: Exact
  external_id: Words
  tags: Member
  custom_fields: Presence
  created_at: Range
  created_by: Exact
  updated_at: Range
  updated_by: Exact
  version: Range<number>
}

/** What the action replay takes. */
export interface WebhookReplay {
  /** The first `seq`. */
  from_seq: number
  /** The last `seq`. */
  to_seq: number
}

export interface WebhookKind {
  record: Webhook
  created: Webhook & { secret?: string; omitted?: string[] }
  input: WebhookInput
  creation: WebhookInput & Required<Pick<WebhookInput, 'url' | 'events'>>
  references: { user?: Partial<User> | null; owner?: Partial<User> | null }
  paths: WebhookPaths & Via<'user', UserPaths> & Via<'owner', UserPaths> & Via<'created_by', UserPaths> & Via<'updated_by', UserPaths>
  match: 'id' | 'external_id'
  actions: {
    test: { data: Record<string, never>; answer: Webhook & { secret?: string; omitted?: string[] } }
    rotate_secret: { data: Record<string, never>; answer: Webhook & { secret?: string; omitted?: string[] } }
    replay: { data: WebhookReplay; answer: Webhook & { secret?: string; omitted?: string[] } }
  }
}

/** The resources of a business. */
export interface Resources {
  readonly contacts: Resource<ContactKind>
  readonly companies: Resource<CompanyKind>
  readonly deals: Omit<Resource<DealKind>, 'duplicates' | 'erase'>
  readonly tasks: Omit<Resource<TaskKind>, 'timeline' | 'duplicates' | 'erase'>
  readonly notes: Omit<Resource<NoteKind>, 'timeline' | 'duplicates' | 'erase'>
  readonly activities: Omit<Resource<ActivityKind>, 'timeline' | 'duplicates' | 'erase'>
  readonly products: Omit<Resource<ProductKind>, 'timeline' | 'duplicates' | 'erase'>
  readonly quotes: Omit<Resource<QuoteKind>, 'timeline' | 'duplicates' | 'erase'>
  readonly associations: Omit<Resource<AssociationKind>, 'timeline' | 'duplicates' | 'erase'>
  readonly pipelines: Omit<Resource<PipelineKind>, 'timeline' | 'duplicates' | 'erase'>
  readonly lifecycle_stages: Omit<Resource<LifecycleStageKind>, 'timeline' | 'duplicates' | 'erase'>
  readonly loss_reasons: Omit<Resource<LossReasonKind>, 'timeline' | 'duplicates' | 'erase'>
  readonly users: Omit<Resource<UserKind>, 'timeline' | 'duplicates'>
  readonly roles: Omit<Resource<RoleKind>, 'timeline' | 'duplicates' | 'erase'>
  readonly tokens: Omit<Resource<TokenKind>, 'update' | 'upsert' | 'restore' | 'searchDeleted' | 'timeline' | 'duplicates' | 'erase'>
  readonly apps: Omit<Resource<AppKind>, 'restore' | 'searchDeleted' | 'timeline' | 'duplicates' | 'erase'>
  readonly views: Omit<Resource<ViewKind>, 'timeline' | 'duplicates' | 'erase'>
  readonly reports: Omit<Resource<ReportKind>, 'timeline' | 'duplicates' | 'erase'>
  readonly follows: Omit<Resource<FollowKind>, 'timeline' | 'duplicates' | 'erase'>
  readonly notifications: Omit<Resource<NotificationKind>, 'timeline' | 'duplicates' | 'erase'>
  readonly fields: Omit<Resource<CustomFieldKind>, 'timeline' | 'duplicates' | 'erase'>
  readonly webhooks: Omit<Resource<WebhookKind>, 'restore' | 'searchDeleted' | 'timeline' | 'duplicates' | 'erase'>
}

export const plurals = ['contacts', 'companies', 'deals', 'tasks', 'notes', 'activities', 'products', 'quotes', 'associations', 'pipelines', 'lifecycle_stages', 'loss_reasons', 'users', 'roles', 'tokens', 'apps', 'views', 'reports', 'follows', 'notifications', 'fields', 'webhooks'] as const

/** What a webhook is sent. The type tells which it is. */
export type WebhookEvent =
  | EventOf<'contact.created' | 'contact.updated' | 'contact.deleted' | 'contact.restored' | 'contact.erased' | 'contact.purged' | 'contact.merged' | 'contact.unmerged', Change & { resource: 'contact'; record: (Contact & { deleted_at?: string | null }) | null }>
  | EventOf<'company.created' | 'company.updated' | 'company.deleted' | 'company.restored' | 'company.erased' | 'company.purged' | 'company.merged' | 'company.unmerged', Change & { resource: 'company'; record: (Company & { deleted_at?: string | null }) | null }>
  | EventOf<'deal.created' | 'deal.updated' | 'deal.deleted' | 'deal.restored' | 'deal.erased' | 'deal.purged' | 'deal.stage_changed' | 'deal.won' | 'deal.lost' | 'deal.reopened', Change & { resource: 'deal'; record: (Deal & { deleted_at?: string | null }) | null }>
  | EventOf<'task.created' | 'task.updated' | 'task.deleted' | 'task.restored' | 'task.erased' | 'task.purged' | 'task.completed' | 'task.reopened', Change & { resource: 'task'; record: (Task & { deleted_at?: string | null }) | null }>
  | EventOf<'note.created' | 'note.updated' | 'note.deleted' | 'note.restored' | 'note.erased' | 'note.purged' | 'note.pinned' | 'note.unpinned', Change & { resource: 'note'; record: (Note & { deleted_at?: string | null }) | null }>
  | EventOf<'activity.created' | 'activity.updated' | 'activity.deleted' | 'activity.restored' | 'activity.erased' | 'activity.purged', Change & { resource: 'activity'; record: (Activity & { deleted_at?: string | null }) | null }>
  | EventOf<'product.created' | 'product.updated' | 'product.deleted' | 'product.restored' | 'product.erased' | 'product.purged', Change & { resource: 'product'; record: (Product & { deleted_at?: string | null }) | null }>
  | EventOf<'quote.created' | 'quote.updated' | 'quote.deleted' | 'quote.restored' | 'quote.erased' | 'quote.purged' | 'quote.sent' | 'quote.accepted' | 'quote.declined' | 'quote.shared' | 'quote.unshared' | 'quote.revised', Change & { resource: 'quote'; record: (Quote & { deleted_at?: string | null }) | null }>
  | EventOf<'association.created' | 'association.updated' | 'association.deleted' | 'association.restored' | 'association.erased' | 'association.purged', Change & { resource: 'association'; record: (Association & { deleted_at?: string | null }) | null }>
  | EventOf<'pipeline.created' | 'pipeline.updated' | 'pipeline.deleted' | 'pipeline.restored', Change & { resource: 'pipeline'; record: (Pipeline & { deleted_at?: string | null }) | null }>
  | EventOf<'lifecycle_stage.created' | 'lifecycle_stage.updated' | 'lifecycle_stage.deleted' | 'lifecycle_stage.restored', Change & { resource: 'lifecycle_stage'; record: (LifecycleStage & { deleted_at?: string | null }) | null }>
  | EventOf<'loss_reason.created' | 'loss_reason.updated' | 'loss_reason.deleted' | 'loss_reason.restored', Change & { resource: 'loss_reason'; record: (LossReason & { deleted_at?: string | null }) | null }>
  | EventOf<'user.created' | 'user.updated' | 'user.deleted' | 'user.restored' | 'user.erased', Change & { resource: 'user'; record: (User & { deleted_at?: string | null }) | null }>
  | EventOf<'role.created' | 'role.updated' | 'role.deleted' | 'role.restored', Change & { resource: 'role'; record: (Role & { deleted_at?: string | null }) | null }>
  | EventOf<'token.created' | 'token.updated' | 'token.deleted', Change & { resource: 'token'; record: (Token & { deleted_at?: string | null }) | null }>
  | EventOf<'app.created' | 'app.updated' | 'app.deleted' | 'app.secret_rotated', Change & { resource: 'app'; record: (App & { deleted_at?: string | null }) | null }>
  | EventOf<'view.created' | 'view.updated' | 'view.deleted' | 'view.restored', Change & { resource: 'view'; record: (View & { deleted_at?: string | null }) | null }>
  | EventOf<'report.created' | 'report.updated' | 'report.deleted' | 'report.restored', Change & { resource: 'report'; record: (Report & { deleted_at?: string | null }) | null }>
  | EventOf<'follow.created' | 'follow.updated' | 'follow.deleted' | 'follow.restored' | 'follow.erased' | 'follow.purged', Change & { resource: 'follow'; record: (Follow & { deleted_at?: string | null }) | null }>
  | EventOf<'notification.created' | 'notification.updated' | 'notification.deleted' | 'notification.restored' | 'notification.erased' | 'notification.purged', Change & { resource: 'notification'; record: (Notification & { deleted_at?: string | null }) | null }>
  | EventOf<'field.created' | 'field.updated' | 'field.deleted' | 'field.restored', Change & { resource: 'field'; record: (CustomField & { deleted_at?: string | null }) | null }>
  | EventOf<'webhook.created' | 'webhook.updated' | 'webhook.deleted' | 'webhook.tested' | 'webhook.secret_rotated' | 'webhook.replayed', Change & { resource: 'webhook'; record: (Webhook & { deleted_at?: string | null }) | null }>
  | EventOf<'business.updated', Change & { resource: 'business'; record: (never) | null }>
  | EventOf<'webhook.test', { webhook_id: string }>
