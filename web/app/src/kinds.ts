// What is special about kinds of records, of which everything else is shown as the schema tells.

import { lazy } from 'react'
import { activityKind, taskKind } from './activities/kind'
import { dealKind } from './deals/kind'
import { withPipelines } from './deals/stages'
import { followed } from './inbox/followed'
import { quoteKind } from './quotes/kind'
import { associatedWith } from './records/associated-with'
import type { Kinds } from './records/kinds'
import { withUsers } from './records/names'

export const kinds: Kinds = {
  activity: activityKind,
  app: { grave: ['rotate_secret'] },
  association: { Related: lazy(() => import('./records/associated')), asked: associatedWith, unlisted: true },
  business: { keptAs: ['me', 'business'] },
  company: { avatar: 'everywhere', begins: 'deal', beside: { place: 3 } },
  contact: { byThumb: true, avatar: 'everywhere', begins: 'deal', beside: { place: 2 } },
  deal: dealKind,
  field: { keptAs: ['schema'] },
  follow: { asked: followed },
  note: {
    answers: { by: 'in_reply_to_id', View: lazy(async () => ({ default: (await import('./activities/thread')).Thread })) },
    aside: true,
    beside: false,
    icons: { pin: 'pin', unpin: 'pin' },
    offers: (action, note) => !['pin', 'unpin'].includes(action.name) || !!note.pinned === (action.name === 'unpin'),
  },
  pipeline: { keptAs: ['pipelines'], asked: withPipelines },
  quote: quoteKind,
  role: { keptAs: ['schema', 'me'] },
  task: taskKind,
  user: {
    avatar: 'everywhere',
    keptAs: ['users'],
    asked: withUsers,
    choosable: [{ field: 'status', operator: 'neq', value: 'suspended' }],
  },
  view: { keptAs: ['views'] },
  webhook: { grave: ['rotate_secret'] },
}
