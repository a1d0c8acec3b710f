// What kinds of records have on the first page. It stands apart from src/kinds.ts so that only who opens that page fetches it.

import type { ComponentType } from 'react'
import { taskToday } from '../activities/today'
import type { Filter } from '../api/call'
import { contactToday } from '../contacts/today'
import { dealToday } from '../deals/today'
import type { Messages } from '../i18n/messages/all'
import type { Resource } from '../schema/schema'
import type { List, Wanted } from './lists'

export type PanelProps = { res: Resource; list: List; filters: Filter[]; everybody: boolean }

// A panel shows some records, of everybody or of who is logged in. Those aside stand beside what is to be done.
export type Panel = Omit<Wanted, 'res'> & { aside?: boolean; View: ComponentType<PanelProps> }

export type KindToday = {
  // begins says that a business begins with such records: as long as it has none of any kind that does, it is shown what it can begin with.
  begins?: boolean
  // first is how the first of them is offered there.
  first?: { title: keyof Messages; more: keyof Messages }
  // mine says which records are those of who is logged in, and open which of them wait for something.
  mine?: Filter
  open?: Filter
  panels?: Panel[]
  // touched says that the records stand among those that were changed last.
  touched?: boolean
}

// They are asked for, and shown, in this order.
export const kindsToday: Record<string, KindToday> = {
  contact: contactToday,
  company: { begins: true },
  deal: dealToday,
  task: taskToday,
}
