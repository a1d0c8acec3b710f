// What is special about quotes: the lines of a draft, the PDF and the customer's link. Few records are quotes, so that is fetched when one is opened.

import { lazy, Suspense } from 'react'
import type { Quote } from '../api/records'
import type { KindParts } from '../records/kinds'
import { imply } from './imply'

const Lines = lazy(async () => ({ default: (await import('./quote')).QuoteLines }))
const QuoteTools = lazy(async () => ({ default: (await import('./quote')).QuoteTools }))

const Lists: KindParts['Lists'] = ({ res, record, canWrite, onUnsaved, children }) => {
  if (!canWrite || record.status !== 'draft') return children
  return (
    <Suspense fallback={<span className="bone" />}>
      <Lines res={res} record={record as Quote} onUnsaved={onUnsaved} />
    </Suspense>
  )
}

const Tools: KindParts['Tools'] = ({ res, record, canWrite }) => (
  <Suspense fallback={null}>
    <QuoteTools res={res} record={record as Quote} canWrite={canWrite} />
  </Suspense>
)

const Link = lazy(async () => ({ default: (await import('./quote')).LinkDialog }))

export const quoteKind: KindParts = {
  imply,
  beside: { place: 4 },
  Lists,
  Tools,
  // What a customer was told is not taken back.
  final: ['send', 'accept', 'decline'],
  after: {
    send: {
      says: 'quoteSent',
      offers: 'customerLink',
      Next: ({ res, record, onClose }) => <Link res={res} record={record as Quote} onClose={onClose} />,
    },
  },
  // The dialog of the link has the buttons for these.
  offers: (action) => !['share', 'unshare'].includes(action.name),
}
