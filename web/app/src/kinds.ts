// What is special about kinds of records, of which everything else is shown as the schema tells.

import { activityKind, taskKind } from './activities/kind'
import { dealKind } from './deals/kind'
import { quoteKind } from './quotes/kind'
import { Associated, associatedWith } from './records/associated'
import type { Kinds } from './records/kinds'

export const kinds: Kinds = {
  activity: activityKind,
  app: { grave: ['rotate_secret'] },
  association: { Related: Associated, asked: associatedWith, unlisted: true },
  business: { keptAs: ['me', 'business'] },
  company: { avatar: 'everywhere', begins: 'deal', beside: { place: 3 } },
  contact: { byThumb: true, avatar: 'everywhere', begins: 'deal', beside: { place: 2 } },
  deal: dealKind,
  field: { keptAs: ['schema'] },
  note: {
    aside: true,
    beside: false,
    icons: { pin: 'pin', unpin: 'pin' },
    offers: (action, note) => !['pin', 'unpin'].includes(action.name) || !!note.pinned === (action.name === 'unpin'),
  },
  pipeline: { keptAs: ['pipelines'] },
  quote: quoteKind,
  role: { keptAs: ['schema', 'me'] },
  task: taskKind,
  user: { avatar: 'everywhere', keptAs: ['users'], choosable: [{ field: 'status', operator: 'neq', value: 'suspended' }] },
  view: { keptAs: ['views'] },
  webhook: { grave: ['rotate_secret'] },
}
