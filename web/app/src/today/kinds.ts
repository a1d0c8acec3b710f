// What kinds of records have on the first page. It stands apart from src/kinds.ts so that only who opens that page fetches it.

import { taskToday } from '../activities/today'
import { contactToday } from '../contacts/today'
import { dealToday } from '../deals/today'
import type { KindToday } from './panel'

// They are asked for, and shown, in this order.
export const kindsToday: Record<string, KindToday> = {
  contact: contactToday,
  company: { begins: true },
  deal: dealToday,
  task: taskToday,
}
