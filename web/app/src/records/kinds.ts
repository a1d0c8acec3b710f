// What a kind of record has beside what the schema tells of it. Lists, pages and fields work for any kind, and take from here what is special
// about one; what that is stands in the kind's own folder, and src/kinds.ts has them all.

import type { QueryClient } from '@tanstack/react-query'
import { type ComponentType, createContext, type ReactNode, use } from 'react'
import type { Filter, Rec } from '../api/call'
import type { Messages } from '../i18n/messages/all'
import type { Action, Resource, Schema } from '../schema/schema'
import type { Layout, ListState } from './address'
import type { Beside } from './beside'
import type { Given } from './making'

export type RecordProps = { res: Resource; record: Rec; canWrite: boolean }

// AsideProps are those of what shows, beside the page of a record, others that are about it.
export type AsideProps = { res: Resource; of: Resource; record: Rec; rows: Rec[]; total: number; pending: boolean; add?: ReactNode }

// Preset is a filter that many ask for, under a name.
export type Preset = { name: keyof Messages; filters: Filter[] }

// AnswersProps are those of what shows the answers to a record under it, the oldest first, and takes more; meant is one that one was led to.
export type AnswersProps = { res: Resource; to: Rec; answers: Rec[]; meant?: string }

// NextProps are those of a dialog that is offered once something was done.
export type NextProps = { res: Resource; record: Rec; onClose: () => void }

export type KindParts = {
  // aside says that its list stands under More.
  aside?: boolean
  // avatar says that the records are people: they have one on their own page, or wherever they are named.
  avatar?: 'page' | 'everywhere'
  // byThumb says that the list stands in the menu at the bottom of a phone.
  byThumb?: boolean
  // board is the usual board of a list, by a field whose columns are special.
  board?: { by: string; View: ComponentType<{ res: Resource; filters: Filter[]; q: string; sort?: ListState['sort'] }> }
  // opens is how its list opens where neither the address nor a view says how, and nobody has chosen another layout. The filters are those
  // of a table, and none is what is said where they find nothing.
  opens?: { layout?: Layout; filters?: Filter[]; sort?: ListState['sort']; none?: keyof Messages }
  // choosable says which records can be chosen where another refers to one.
  choosable?: Filter[]
  // imply says what a new record has because of what was given, or because nothing was; changed is the field that was given last.
  imply?: (client: QueryClient, given: Given, changed?: string) => Promise<Given>
  // keptAs is what else the app keeps that depends on the records: the beginnings of its keys.
  keptAs?: string[]
  // answers is the field by which a record answers another of its kind, and stands under it in the timeline.
  answers?: { by: string; View: ComponentType<AnswersProps> }
  // logged says how a record stands in the timeline of another.
  logged?: (res: Resource, record: Rec) => { icon: string; label: string }
  // offers says whether an action has a button on the page; all have that are not asked about here.
  offers?: (action: Action, record: Rec) => boolean
  // headless are the actions that have buttons elsewhere on the page.
  headless?: string[]
  // dialogs ask for what some actions take in another way than by its fields.
  dialogs?: Record<string, ComponentType<{ name: string; onClose: () => void; onDone: (body?: Record<string, unknown>) => void }>>
  // due is the field with the day by which a record is to be done with, and the states in which it is not yet. The mark is said of those
  // that are late, at the head of what they are about.
  due?: { by: string; open: string[]; mark?: keyof Messages }
  // icons are those of actions.
  icons?: Record<string, string>
  // final are the actions that cannot be taken back.
  final?: string[]
  // grave are the actions with which something stops that works, so that they are asked about.
  grave?: string[]
  // after is what is said when an action was taken, where that is more than the state that the record has come to, and what is offered then.
  after?: Record<string, { says: keyof Messages; offers: keyof Messages; Next: ComponentType<NextProps> }>
  // presets are filters that are offered first.
  presets?: Preset[]
  // Tools stands before the actions on the page.
  Tools?: ComponentType<RecordProps>
  // Lists has the tables of what the record lists as its children, and may show something else in their place. While something is not
  // saved there, which onUnsaved tells, no action can be taken.
  Lists?: ComponentType<RecordProps & { onUnsaved: (unsaved: boolean) => void; children: ReactNode }>
  // begins is the resource of which the page offers to begin a record with this one.
  begins?: string
  // beside says where the records stand beside the page of another that they are about, and which: the lowest place first, not at all where
  // it is false.
  beside?: false | { place: number; filters?: Filter[]; order?: string; View?: ComponentType<AsideProps> }
  // people is the resource whose records take part in those of this kind.
  people?: string
  // Sign stands before a record in the timeline of another, in place of an icon.
  Sign?: ComponentType<{ res: Resource; record: Rec }>
  // headMore are fields that the head of the page says and lists have no column of.
  headMore?: string[]
  // Head stands under the head of the page, with the buttons of the actions that are named in underHead.
  Head?: ComponentType<RecordProps & { children: ReactNode }>
  underHead?: string[]
  // unlisted kinds have no list in the navigation: their records are shown where they belong.
  unlisted?: boolean
  // Related is what records of this kind add to what is related to another, and asked are the searches that it needs for that.
  Related?: ComponentType<{ of: Resource; record: Rec; canWrite: boolean }>
  asked?: (schema: Schema, of: Resource, id: string, people?: string) => Beside[]
}

export type Kinds = Record<string, KindParts | undefined>

export const KindsContext = createContext<Kinds>({})

export const useKinds = () => use(KindsContext)
