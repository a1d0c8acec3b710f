// The reports of kinds of records, in the order in which they are shown, and what narrows them beside period and owner. Only who opens
// them fetches them.

import { activityReports } from '../activities/reports'
import { contactReports } from '../contacts/reports'
import { dealNarrowing, dealReports, PipelineChoice } from '../deals/reports'
import type { Report } from './chart'
import type { Narrowing } from './narrow'

export const kindsReports: Record<string, Report[]> = { deal: dealReports, activity: activityReports, contact: contactReports }
export const Within = PipelineChoice

// By which fields reports of one's own follow what is chosen, where that is not who owns a record and when it was created.
export const narrowings: Record<string, Narrowing | undefined> = {
  deal: dealNarrowing,
  activity: { when: () => 'occurred_at' },
  task: { whose: 'assignee_id' },
}
