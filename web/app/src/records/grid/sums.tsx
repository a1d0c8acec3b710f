// The foot of a list and the heads of its groups: how many records there are, and what their columns come to.

import { type CSSProperties, memo } from 'react'
import { useApp } from '../../api/context'
import { formatMoney, formatNumber, formatPercent, formatPlain } from '../../i18n/format'
import { inSentence, locale, t } from '../../i18n/translate'
import { type Leaf, pluralLabel, type Resource } from '../../schema/schema'
import { Icon } from '../../ui/components'
import { type Figures, type Group, isDay, measured } from '../groups'
import { Shown } from '../shown'
import type { GridColumn } from './cells'

// counted says how many records of a kind there are, in the words for them.
export const counted = (res: Resource, count: number) =>
  `${count.toLocaleString(locale())} ${inSentence(count === 1 ? res.label : pluralLabel(res))}`

const told = (leaf: Leaf, value: string | number, currency?: string) =>
  leaf.kind === 'money'
    ? formatMoney(String(value), currency)
    : leaf.kind === 'percent'
      ? formatPercent(value, 1)
      : formatNumber(value, leaf.kind === 'decimal' ? 4 : 1)

// Sum is what a column comes to. Of several currencies that of the business is told first, and the others where one points.
function Sum({ leaf, figures }: { leaf: Leaf; figures?: Figures }) {
  const { me } = useApp()
  const metric = measured(leaf)
  if (!metric || !figures) return null
  const all = figures.sums.flatMap(({ currency, values }) => {
    const value = values[metric]
    return value === null || value === undefined ? [] : [{ currency, text: told(leaf, value, currency) }]
  })
  // Only amounts differ by currency; of anything else there is one figure for each, which say nothing together.
  const shown =
    leaf.kind === 'money'
      ? all.sort((a, b) => Number(b.currency === me.business.currency) - Number(a.currency === me.business.currency))
      : all
  if (!shown.length || (leaf.kind !== 'money' && shown.length > 1)) return null
  return (
    <span className="figure" title={shown.map((x) => x.text).join(' · ')}>
      {/* That amounts are added up goes without saying, where there is little room. */}
      <span className={metric.startsWith('avg') ? 'soft' : 'unseen'}>{metric.startsWith('avg') ? t('average') : t('sum')} </span>
      {shown[0].text}
      {shown.length > 1 && <span className="soft"> {t('andMore', { count: shown.length - 1 })}</span>}
    </span>
  )
}

// The Foot stays as it is while rows come and go above it.
export const Foot = memo(function Foot({
  res,
  columns,
  count,
  figures,
  template,
  width,
}: {
  res: Resource
  columns: GridColumn[]
  count?: number
  figures?: Figures
  template: string
  width?: number
}) {
  return (
    <div role="rowgroup" className="grid-foot" style={{ minWidth: width }}>
      <div role="row" className="grid-row" style={{ gridTemplateColumns: template }}>
        <div role="gridcell" aria-colindex={1} className="grid-cell tick" />
        {columns.map(({ leaf }, i) => (
          <div role="gridcell" aria-colindex={i + 2} key={leaf.path} className={`grid-cell${i === 0 ? ' name' : ' sum'}`}>
            {i === 0 ? <span className="soft">{count !== undefined && counted(res, count)}</span> : <Sum leaf={leaf} figures={figures} />}
          </div>
        ))}
      </div>
    </div>
  )
})

const month = (day: string) => new Date(`${day}T00:00:00`).toLocaleDateString(locale(), { month: 'long', year: 'numeric' })

// GroupName is what the records of a group have in common, as they show it themselves.
export function GroupName({ group: { leaf, record } }: { group: Group }) {
  if (!record) return <>{t('without', { field: leaf.label })}</>
  if (isDay(leaf)) return <>{month(String(record[leaf.path]))}</>
  return leaf.kind === 'boolean' ? formatPlain(leaf, record[leaf.path]) : <Shown leaf={leaf} record={record} />
}

export function GroupRow({
  group,
  folded,
  row,
  columns,
  style,
  active,
  onFocus,
  onFold,
}: {
  group: Group
  folded: boolean
  row: number
  columns: GridColumn[]
  style: CSSProperties
  // active is the column that has the focus, if it is in this row; the whole row has it then.
  active?: number
  onFocus: () => void
  onFold: () => void
}) {
  return (
    <div role="row" aria-rowindex={row + 2} className="grid-row group" style={style}>
      <div role="gridcell" aria-colindex={1} className="grid-cell tick" />
      {columns.map(({ leaf }, i) => (
        <div role="gridcell" aria-colindex={i + 2} key={leaf.path} className={`grid-cell${i === 0 ? ' name' : ' sum'}`}>
          {i === 0 ? (
            <button
              type="button"
              aria-expanded={!folded}
              data-place={`${row}:${active ?? 1}`}
              tabIndex={active === undefined ? -1 : 0}
              onFocus={onFocus}
              onClick={onFold}
            >
              <Icon name={folded ? 'right' : 'down'} size={12} />
              <bdi>
                <GroupName group={group} />
              </bdi>
              <span className="soft figure">{group.count.toLocaleString(locale())}</span>
            </button>
          ) : (
            <Sum leaf={leaf} figures={group} />
          )}
        </div>
      ))}
    </div>
  )
}
