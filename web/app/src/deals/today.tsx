// What deals have on the first page: those that close soon, and those that nobody knows how to go on with.

import { undone } from '../activities/kind'
import type { Filter } from '../api/call'
import { t } from '../i18n/translate'
import { Box } from '../today/box'
import type { KindToday, Panel } from '../today/panel'

const open: Filter = { field: 'status', operator: 'eq', value: 'open' }

const closing: Panel = {
  name: 'closing',
  aside: true,
  filters: [open, { field: 'expected_close_date', operator: 'lt', value: '@week_start+1w' }],
  order: 'expected_close_date',
  shown: ['amount', 'expected_close_date'],
  limit: 6,
  View: (props) => <Box {...props} title={t('closingSoon')} none={t('closingNone')} shown={closing.shown} due="expected_close_date" />,
}

const without: Panel = {
  name: 'without',
  aside: true,
  filters: [open, { field: 'next_step', operator: 'is_not_set' }],
  order: 'stage_changed_at',
  shown: ['amount', 'stage_id'],
  limit: 6,
  lacking: { resource: 'task', by: 'deal_id', filters: [undone] },
  View: (props) => <Box {...props} title={t('noNextStep')} none={t('noNextStepNone')} all={t('showAll')} shown={without.shown} />,
}

export const dealToday: KindToday = {
  begins: true,
  mine: { field: 'owner_id', operator: 'eq', value: '@me' },
  open,
  panels: [closing, without],
  touched: true,
}
