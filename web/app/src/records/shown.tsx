// A value as it stands in grids, in cards, on pages and in sentences. What it looks like follows from its kind alone.

import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Rec } from '../api/call'
import { useApp } from '../api/context'
import {
  ago,
  dueIn,
  formatDate,
  formatMoney,
  formatNumber,
  formatPercent,
  formatTime,
  hiddenMoney,
  optionLabel,
  shortDate,
} from '../i18n/format'
import { t } from '../i18n/translate'
import { at, type Leaf, linked, plural, type Resource } from '../schema/schema'
import { Avatar, Chip, Icon } from '../ui/components'
import { Link, root } from '../ui/route'
import { useKinds } from './kinds'
import { localDay } from './late'
import { nameOf } from './names'

export function Badge({ leaf, value }: { leaf: Leaf; value: string }) {
  return <Chip color={leaf.options?.find((o) => o.value === value)?.colour}>{optionLabel(leaf, value)}</Chip>
}

export function pathTo(res: Resource, id: string) {
  return `${root}/${plural(res)}/${id}`
}

// NameOf is the name of a record that a reference leads to which may be of several resources, so that a search does not tell it.
function NameOf({ id, avatar }: { id: string; avatar: boolean }) {
  const { schema } = useApp()
  const { data } = useQuery({ queryKey: ['named', id], staleTime: 60_000, queryFn: () => nameOf(schema, id) })
  return (
    <>
      {avatar && data && <Avatar name={data} id={id} />}
      <bdi>{data ?? t('aRecord')}</bdi>
    </>
  )
}

// openedBy is where a reference leads: nowhere, where that cannot be read.
export function openedBy(leaf: Leaf, id: string, resources: Resource[], name = leaf.target): string | null {
  const target = resources.find((r) => (name ? r.name === name : id.startsWith(r.id_prefix + '_')))
  return leaf.kind === 'reference' && leaf.path !== 'id' && target && target.permissions.read !== 'none' ? pathTo(target, id) : null
}

export const openBeside = (to: string) => window.open(to, '_blank', 'noopener')

// Opens is a reference whose name is there to be chosen or changed by a click: the arrow beside it opens what it leads to, and so does a
// click on the name with Ctrl.
function Opens({ to, name, inGrid, children }: { to: string; name: string; inGrid?: boolean; children: ReactNode }) {
  return (
    <span
      className="reference"
      onClick={(e) => {
        if ((!e.ctrlKey && !e.metaKey) || (e.target as HTMLElement).closest('a')) return
        e.stopPropagation()
        openBeside(to)
      }}
    >
      {children}
      {/* The keys of a grid go from cell to cell: one of them does what the arrow is for. */}
      <Link to={to} className="reference-open" aria-label={t('openOne', { name })} tabIndex={inGrid ? -1 : undefined}>
        <Icon name="right" size={14} />
      </Link>
    </span>
  )
}

type ShownProps = {
  leaf: Leaf
  record: Rec
  // Only a page may have links and other things that take a click, and a grid the arrows of its references.
  onPage?: boolean
  inGrid?: boolean
  // able says that the value can be changed, which a click is for.
  able?: boolean
}

// Shown is a value as it stands in a cell or on a page.
export function Shown({ leaf, record, onPage, inGrid, able }: ShownProps): ReactNode {
  const { schema } = useApp()
  const kinds = useKinds()
  if (leaf.kind === 'reference') {
    const link = linked(leaf, record, schema.resources)
    if (!link) return null
    const name = link.name ?? t('aRecord')
    const asked = link.name === null && !!leaf.targets
    const avatar = kinds[link.target]?.avatar === 'everywhere'
    const inner = (
      <>
        {avatar && !asked && <Avatar name={name} id={link.id} />}
        {link.colour ? <Chip color={link.colour}>{name}</Chip> : asked ? <NameOf id={link.id} avatar={avatar} /> : <bdi>{name}</bdi>}
      </>
    )
    const to = onPage || inGrid ? openedBy(leaf, link.id, schema.resources, link.target) : null
    if (to && (inGrid || able))
      return (
        <Opens to={to} name={name} inGrid={inGrid}>
          {inner}
        </Opens>
      )
    if (to)
      return (
        <Link to={to} className="reference">
          {inner}
        </Link>
      )
    return <span className="reference">{inner}</span>
  }
  const value = at(record, leaf.path)
  if (value === null || value === undefined || value === '') return null
  switch (leaf.kind) {
    case 'money':
      return (
        <span className="figure" title={hiddenMoney(value as string, record.currency)}>
          {formatMoney(value as string, record.currency)}
        </span>
      )
    case 'percent':
      return <span className="figure">{formatPercent(value as number)}</span>
    case 'integer':
    case 'number':
    case 'decimal':
      return <span className="figure">{formatNumber(value as number | string)}</span>
    case 'boolean':
      return value ? (
        <span className="yes">
          <Icon name="check" />
          <span>{t('yes')}</span>
        </span>
      ) : (
        <span className="soft">{t('no')}</span>
      )
    case 'multi_select':
    case 'tags':
    case 'list': {
      const all = value as string[]
      if (all.length === 0) return null
      if (leaf.kind === 'list') return <span className="soft">{t('items', { count: all.length })}</span>
      return (
        <span className="tags">
          {all.map((v) =>
            leaf.kind === 'tags' ? (
              <span className="tag" key={v}>
                <bdi>{v}</bdi>
              </span>
            ) : (
              <Badge key={v} leaf={leaf} value={v} />
            ),
          )}
        </span>
      )
    }
    case 'group':
    case 'any':
      return <span className="soft">{typeof value === 'object' ? t('details') : String(value)}</span>
    default:
      return <ShownText leaf={leaf} text={String(value)} onPage={onPage} />
  }
}

// Weeks and months are too rough to go by: what is further away than some days is told by its day.
const isNear = (moment: string) => Math.abs(new Date(moment).getTime() - Date.now()) < 6 * 86_400_000

// ShownText is what the API writes as a text: a day, a moment, a choice, an address, or just words.
function ShownText({ leaf, text, onPage }: { leaf: Leaf; text: string; onPage?: boolean }): ReactNode {
  switch (leaf.kind) {
    case 'date':
      return <time dateTime={text}>{formatDate(text)}</time>
    case 'datetime':
      return (
        <time dateTime={text} title={formatTime(text)}>
          {onPage ? formatTime(text) : isNear(text) ? (new Date(text) > new Date() ? dueIn(text) : ago(text)) : shortDate(localDay(text))}
        </time>
      )
    case 'select':
      return <Badge leaf={leaf} value={text} />
    case 'email':
      return onPage ? (
        <a href={`mailto:${text}`}>
          <bdi>{text}</bdi>
        </a>
      ) : (
        <bdi>{text}</bdi>
      )
    case 'phone':
      return onPage ? (
        <a href={`tel:${text.replace(/[^+\d]/g, '')}`}>
          <bdi>{text}</bdi>
        </a>
      ) : (
        <bdi>{text}</bdi>
      )
    case 'url':
      return onPage && /^https?:\/\//.test(text) ? (
        <a href={text} target="_blank" rel="noreferrer noopener">
          <bdi>{text.replace(/^https?:\/\/(www\.)?/, '')}</bdi>
        </a>
      ) : (
        <bdi>{text.replace(/^https?:\/\/(www\.)?/, '')}</bdi>
      )
    case 'long_text':
      return <span className={onPage ? 'long' : ''}>{text}</span>
    default:
      return <bdi>{text}</bdi>
  }
}

export const isFigure = (leaf: Leaf) => ['integer', 'number', 'decimal', 'money', 'percent'].includes(leaf.kind)
