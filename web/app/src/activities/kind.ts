// What is special about activities: each is of a type, by which it is known.

import type { Filter } from '../api/call'
import { formatPlain } from '../i18n/format'
import type { KindParts } from '../records/kinds'
import { leaf } from '../schema/schema'

const icons: Record<string, string> = { call: 'call', email: 'email', meeting: 'meeting' }

export const activityKind: KindParts = {
  aside: true,
  logged: (res, record) => ({
    icon: icons[record.activity_type as string] ?? 'activity',
    label: formatPlain(leaf(res, 'activity_type'), record.activity_type),
  }),
}

// What is special about tasks: they are due.
const open: Filter = { field: 'status', operator: 'in', values: ['open', 'in_progress'] }

export const taskKind: KindParts = {
  presets: [
    { name: 'preset.overdue', filters: [open, { field: 'due_at', operator: 'lt', value: '@today' }] },
    { name: 'preset.week', filters: [open, { field: 'due_at', operator: 'lt', value: '@week_start+1w' }] },
  ],
}
