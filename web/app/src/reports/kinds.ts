// The reports of kinds of records, in the order in which they are shown, and what narrows them beside period and owner. Only who opens
// them fetches them.

import { activityReports } from '../activities/reports'
import { contactReports } from '../contacts/reports'
import { dealReports, PipelineChoice } from '../deals/reports'
import type { Report } from './chart'

export const kindsReports: Record<string, Report[]> = { deal: dealReports, activity: activityReports, contact: contactReports }
export const Within = PipelineChoice
