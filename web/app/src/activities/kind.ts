// What is special about activities, each of which is of a type by which it is known, and about tasks.

import { lazy } from 'react'
import type { Filter } from '../api/call'
import { formatPlain } from '../i18n/format'
import type { KindParts } from '../records/kinds'
import { leaf } from '../schema/schema'
import { Circle } from './circle'

const icons: Record<string, string> = { call: 'call', email: 'email', meeting: 'meeting' }

export const activityKind: KindParts = {
  aside: true,
  beside: false,
  logged: (res, record) => ({
    icon: icons[record.activity_type as string] ?? 'activity',
    label: formatPlain(leaf(res, 'activity_type'), record.activity_type),
  }),
}

// What is special about tasks: they are due, and done by a click. Beside a record stand those that are to be done, the soonest first.
// undone are the tasks that wait to be done.
export const undone: Filter = { field: 'status', operator: 'in', values: ['open', 'in_progress'] }

export const taskKind: KindParts = {
  beside: { place: 0, filters: [undone], order: 'due_at', View: lazy(async () => ({ default: (await import('./next-step')).NextStep })) },
  due: { by: 'due_at', open: undone.values as string[], mark: 'stepLate' },
  Sign: Circle,
  opens: { filters: [undone], sort: { by: 'due_at', down: false }, none: 'allDoneMore' },
  presets: [
    { name: 'preset.overdue', filters: [undone, { field: 'due_at', operator: 'lt', value: '@today' }] },
    { name: 'preset.week', filters: [undone, { field: 'due_at', operator: 'lt', value: '@week_start+1w' }] },
  ],
}
