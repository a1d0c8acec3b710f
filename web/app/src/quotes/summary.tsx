// The lines of a deal in short: how many, the first of them, and what they come to.

import type { ReactNode } from 'react'
import type { Deal } from '../api/records'
import { formatMoney, formatNumber, formatPercent } from '../i18n/format'
import { t } from '../i18n/translate'
import { leaf, type Resource } from '../schema/schema'
import { Button } from '../ui/components'
import { plain, scaled } from './sums'
import './quote.css'

const first = 3

export default function Summary({
  res,
  record,
  able,
  back,
  open,
  onOpen,
  children,
}: {
  res: Resource
  record: Deal
  able: boolean
  // back says that the editor was closed, from whose buttons the focus comes.
  back: boolean
  open: boolean
  onOpen: (open: boolean) => void
  children: ReactNode
}) {
  const lines = record.line_items
  const sum = lines.reduce((all, l) => all + (scaled(String(l.total ?? '')) ?? 0n), 0n)
  const money = (n: unknown) => formatMoney(String(n), record.currency)
  const more = lines.length - first
  const label = leaf(res, 'line_items')!.label
  return (
    <>
      <section className="panel items lines-short" aria-label={label}>
        <header className="row">
          <h2 className="grow">
            {label} <span className="count">{lines.length}</span>
          </h2>
          <Button look="quiet" icon={able ? 'edit' : undefined} autoFocus={back} onPress={() => onOpen(!open)}>
            {t(able ? 'editLines' : open ? 'fewerLines' : 'allLines')}
          </Button>
        </header>
        <ul>
          {lines.slice(0, first).map((l, i) => (
            <li key={i}>
              <span className="grow">
                <span className="soft figure">{formatNumber(l.quantity ?? '1')} × </span>
                <bdi>{l.name}</bdi>
                {Number(l.discount_percent ?? 0) > 0 && (
                  <span className="soft"> · {t('lessPercent', { percent: formatPercent(l.discount_percent!) })}</span>
                )}
              </span>
              <span className="figure">{money(l.total ?? '0')}</span>
            </li>
          ))}
          {more > 0 && <li className="soft">{t('moreLines', { count: more })}</li>}
          <li className="strong">
            <span className="grow">{t('sum')}</span>
            <span className="figure">{money(plain(sum))}</span>
          </li>
        </ul>
      </section>
      {open && !able && children}
    </>
  )
}
