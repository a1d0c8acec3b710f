// What a kind of record has beside what the schema tells of it. Lists, pages and fields work for any kind, and take from here what is special
// about one; what that is stands in the kind's own folder, and src/kinds.ts has them all.

import { type ComponentType, createContext, type ReactNode, use } from 'react'
import type { Filter, Rec } from '../api/call'
import type { Messages } from '../i18n/messages/all'
import type { Action, Resource } from '../schema/schema'

type RecordProps = { res: Resource; record: Rec; canWrite: boolean }

// Preset is a filter that many ask for, under a name.
export type Preset = { name: keyof Messages; filters: Filter[] }

export type KindParts = {
  // aside says that its list stands under More.
  aside?: boolean
  // avatar says that the records are people: they have one on their own page, or wherever they are named.
  avatar?: 'page' | 'everywhere'
  // board is another way to show a list: by the values of a field, side by side.
  board?: { by: string; View: ComponentType<{ res: Resource; filters: Filter[]; q: string }> }
  // choosable says which records can be chosen where another refers to one.
  choosable?: Filter[]
  // keptAs is what else the app keeps that depends on the records: the beginnings of its keys.
  keptAs?: string[]
  // logged says how a record stands in the timeline of another.
  logged?: (res: Resource, record: Rec) => { icon: string; label: string }
  // offers says whether an action has a button on the page; all have that are not asked about here.
  offers?: (action: Action, record: Rec) => boolean
  // icons are those of actions.
  icons?: Record<string, string>
  // final are the actions that cannot be taken back.
  final?: string[]
  // grave are the actions with which something stops that works, so that they are asked about.
  grave?: string[]
  // presets are filters that are offered first.
  presets?: Preset[]
  // Tools stands before the actions on the page.
  Tools?: ComponentType<RecordProps>
  // Lists has the tables of what the record lists as its children, and may show something else in their place. While something is not
  // saved there, which onUnsaved tells, no action can be taken.
  Lists?: ComponentType<RecordProps & { onUnsaved: (unsaved: boolean) => void; children: ReactNode }>
  // Related is what records of this kind add to what is related to another.
  Related?: ComponentType<{ of: Resource; record: Rec }>
}

export type Kinds = Record<string, KindParts | undefined>

export const KindsContext = createContext<Kinds>({})

export const useKinds = () => use(KindsContext)
