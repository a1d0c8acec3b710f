// What is special about kinds of records, of which everything else is shown as the schema tells.

import { activityKind } from './activities/kind'
import { dealKind } from './deals/kind'
import { quoteKind } from './quotes/kind'
import { Associated } from './records/associated'
import type { Kinds } from './records/kinds'

export const kinds: Kinds = {
  activity: activityKind,
  app: { grave: ['rotate_secret'] },
  association: { Related: Associated },
  contact: { avatar: 'page' },
  deal: dealKind,
  note: {
    icons: { pin: 'pin', unpin: 'pin' },
    offers: (action, note) => !['pin', 'unpin'].includes(action.name) || !!note.pinned === (action.name === 'unpin'),
  },
  quote: quoteKind,
  user: { avatar: 'everywhere', choosable: [{ field: 'status', operator: 'neq', value: 'suspended' }] },
  webhook: { grave: ['rotate_secret'] },
}
