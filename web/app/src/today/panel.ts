// What a kind of record can have on the first page.

import type { ComponentType } from 'react'
import type { Filter } from '../api/call'
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
