// What is special about deals: they stand in stages, and an open one can have lines, whose sum is its amount.

import { lazy, Suspense, useState } from 'react'
import type { Filter } from '../api/call'
import type { Deal } from '../api/records'
import { t } from '../i18n/translate'
import type { KindParts } from '../records/kinds'
import { Button } from '../ui/components'
import { imply } from './imply'
import { LoseDialog } from './lose'

const Lines = lazy(async () => ({ default: (await import('../quotes/quote')).QuoteLines }))
const Summary = lazy(() => import('../quotes/summary'))

// The lines are a summary until somebody edits them, or wants to see all.
const Lists: KindParts['Lists'] = ({ res, record, canWrite, onUnsaved, children }) => {
  const deal = record as Deal
  const [wanted, setWanted] = useState(false)
  const [back, setBack] = useState(false)
  const able = canWrite && deal.status === 'open'
  const some = deal.line_items?.length > 0
  if (!some && !able) return children
  return (
    <Suspense fallback={<span className="bone" />}>
      {wanted && able ? (
        <Lines res={res} record={deal} onUnsaved={onUnsaved} onDone={() => [setWanted(false), setBack(true)]} />
      ) : some ? (
        <Summary res={res} record={deal} able={able} back={back} open={wanted} onOpen={setWanted}>
          {children}
        </Summary>
      ) : (
        <p>
          <Button look="quiet" icon="plus" onPress={() => setWanted(true)}>
            {t('addLines')}
          </Button>
        </p>
      )}
    </Suspense>
  )
}

const open: Filter = { field: 'status', operator: 'eq', value: 'open' }

const Steps = lazy(() => import('./stepper'))

const Head: KindParts['Head'] = ({ children, ...props }) => (
  <div className="stepping">
    <Suspense fallback={<span className="bone" />}>
      <Steps {...props} />
    </Suspense>
    <div className="acts">{children}</div>
  </div>
)

export const dealKind: KindParts = {
  byThumb: true,
  board: { by: 'stage_id', View: lazy(() => import('./board')) },
  opens: { layout: 'board' },
  beside: { place: 1 },
  imply,
  begins: 'quote',
  people: 'contact',
  due: { by: 'expected_close_date', open: ['open'] },
  // The steps under the head do it.
  headless: ['change_stage'],
  dialogs: { lose: LoseDialog },
  headMore: ['next_step'],
  Head,
  underHead: ['win', 'lose', 'reopen'],
  Lists,
  presets: [
    {
      name: 'preset.closing',
      filters: [
        open,
        { field: 'expected_close_date', operator: 'gte', value: '@month_start' },
        { field: 'expected_close_date', operator: 'lt', value: '@month_start+1m' },
      ],
    },
    { name: 'preset.overdue', filters: [open, { field: 'expected_close_date', operator: 'lt', value: '@today' }] },
    { name: 'preset.unplanned', filters: [open, { field: 'next_step', operator: 'is_not_set' }] },
  ],
}
