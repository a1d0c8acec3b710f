// The head of a list: what it is called, and how it is searched, filtered, shown and kept as a view.

import { memo, useEffect, useRef, useState } from 'react'
import { Dialog as AriaDialog, DialogTrigger, MenuSection, Popover, Separator } from 'react-aria-components'
import type { Filter } from '../api/call'
import { locale, t } from '../i18n/translate'
import { type Leaf, labelOf, leaves, newLabel, pluralLabel, type Resource } from '../schema/schema'
import { Button, Icon, Menu, MenuItem, useNarrow } from '../ui/components'
import { go, root } from '../ui/route'
import type { Column, ListState } from './address'
import { joined } from './conditions'
import { AddFilter, Filters } from './filters'
import type { GridColumn } from './grid/cells'
import { densities, setDensity, useDensity } from './grid/density'
import { groupable, isDay } from './groups'
import { keepLayout } from './layouts'
import { type Change, type List, sortedNext } from './list-state'
import type { Given } from './making'
import { ViewBar } from './views'

export const widthSet = (c: GridColumn) => (c.set ? c.width : undefined)

type Props = {
  res: Resource
  list: List
  columns: GridColumn[]
  // total is how many records there are, where that is told here, and creates and exports what is offered.
  total?: number
  creates: boolean
  exports: boolean
  change: Change
  alter: Change
  onCreate: (given: Given) => void
  onDo: (what: 'export all') => void
}

// ListHead is drawn anew where something of it changed, and not with every record below it.
export const ListHead = memo(function ListHead({ res, list, columns, total, creates, exports, change, alter, onCreate, onDo }: Props) {
  const { views, view, state, bare, able, layout, effective, boards, by, dates, date, changed } = list
  const label = pluralLabel(res)
  const table = layout === 'table'
  const narrow = useNarrow()
  return (
    <header className="screen-head">
      <div className="title-row">
        <h1 id="screen-title">{view ? view.name : label}</h1>
        {total !== undefined && (
          // biome-ignore lint/a11y/useAriaPropsSupportedByRole: whoever hears it is told what is counted.
          <span className="count" aria-label={t('recordCount', { count: total })}>
            {total.toLocaleString(locale())}
          </span>
        )}
        <span className="grow" />
        {creates && res.operations.includes('import') && (
          <Button look="quiet" icon="import" onPress={() => go(`${root}/import?of=${res.name}`)}>
            {t('importTitle')}
          </Button>
        )}
        {creates && (
          <Button look="primary" icon="plus" onPress={() => onCreate({})}>
            {newLabel(res)}
          </Button>
        )}
      </div>
      <div className="tools">
        <SearchBox value={effective.q} label={t('searchThese', { label })} onChange={(q) => alter({ q }, true)} />
        <AddFilter res={res} onAdd={(more) => alter({ filters: joined(res, effective.filters, more) })} />
        {able.length > 1 && (
          <div className="segments" role="group" aria-label={t('layout')}>
            {able.map((l) => (
              <button
                key={l}
                type="button"
                aria-pressed={layout === l}
                onClick={() => {
                  keepLayout(res, l)
                  // What a list opens with is no choice of anybody's.
                  change(bare ? { ...state, layout: l } : { ...effective, layout: l })
                }}
              >
                <Icon name={l === 'table' ? 'view' : l} />
                {t(`layout.${l}`)}
              </button>
            ))}
          </div>
        )}
        {table && <Grouping by={effective.group} fields={groupable(res)} none={t('noGroups')} onChange={(group) => alter({ group })} />}
        {layout === 'board' && boards.length > 1 && <Grouping by={by.path} fields={boards} onChange={(group) => alter({ group })} />}
        {layout === 'calendar' && dates.length > 1 && (
          <Grouping by={date.path} fields={dates} shown="shownBy" onChange={(group) => alter({ group })} />
        )}
        {table && narrow && (
          <Sorting
            by={effective.sort}
            fields={columns.map((c) => c.leaf)}
            onChange={(path) => alter({ sort: sortedNext(res, effective.sort, path) })}
          />
        )}
        {table && <Columns res={res} columns={columns} onChange={(columns) => alter({ columns })} />}
        <span className="grow" />
        {exports && (
          <Button look="quiet" icon="export" onPress={() => onDo('export all')}>
            {t('export')}
          </Button>
        )}
        <ViewBar
          res={res}
          views={views}
          view={view}
          state={{ ...effective, layout, group: layout === 'board' ? by.path : layout === 'calendar' ? date.path : effective.group }}
          changed={changed}
          narrowed={!bare && state.filters.length > 0}
          onOpen={(v) =>
            change({
              q: '',
              filters: [],
              sort: undefined,
              columns: undefined,
              group: undefined,
              layout: v ? undefined : layout,
              view: v?.id,
            })
          }
        />
      </div>
      {effective.filters.length > 0 && (
        <Filters res={res} filters={effective.filters} onChange={(filters: Filter[]) => alter({ filters })} />
      )}
    </header>
  )
})

function SearchBox({ value, label, onChange }: { value: string; label: string; onChange: (text: string) => void }) {
  const [text, setText] = useState(value)
  const box = useRef<HTMLInputElement>(null)
  useEffect(() => setText(value), [value])
  // biome-ignore lint/correctness/useExhaustiveDependencies: only who types is waited for.
  useEffect(() => {
    if (text === value) return
    const timer = setTimeout(() => onChange(text), 180)
    return () => clearTimeout(timer)
  }, [text])
  return (
    <div className="search-box">
      <Icon name="search" />
      <input
        ref={box}
        type="search"
        aria-label={label}
        placeholder={t('search')}
        value={text}
        onChange={(e) => setText(e.target.value)}
        onKeyDown={(e) => e.key === 'Escape' && setText('')}
      />
    </div>
  )
}

// Grouping says by which field the rows or cards are put together, or none.
function Grouping({
  by,
  fields,
  none,
  shown = 'groupedNow',
  onChange,
}: {
  by?: string
  fields: Leaf[]
  none?: string
  shown?: 'groupedNow' | 'shownBy'
  onChange: (path?: string) => void
}) {
  const now = fields.find((l) => l.path === by)
  if (fields.length === 0) return null
  return (
    <Menu
      label={t('groupBy')}
      trigger={<Button icon="group">{now ? t(shown, { field: labelOf(now) }) : t('groupBy')}</Button>}
      onAction={(key) => onChange(key === ' ' ? undefined : key)}
    >
      {none && (
        <MenuItem id=" " icon={now ? undefined : 'check'}>
          {none}
        </MenuItem>
      )}
      {none && <Separator />}
      <MenuSection>
        {fields.map((l) => (
          <MenuItem key={l.path} id={l.path} icon={l.path === by ? 'check' : 'blank'}>
            {none && isDay(l) ? t('byMonth', { field: labelOf(l) }) : labelOf(l)}
          </MenuItem>
        ))}
      </MenuSection>
    </Menu>
  )
}

// Sorting says by which field the rows are sorted, where there is no head of columns to choose it from.
function Sorting({ by, fields, onChange }: { by: ListState['sort']; fields: Leaf[]; onChange: (path: string) => void }) {
  const now = fields.find((l) => l.path === by?.by)
  const way = by?.down ? 'down' : 'up'
  return (
    <Menu label={t('sortBy')} trigger={<Button icon={now ? way : 'sort'}>{now ? labelOf(now) : t('sortBy')}</Button>} onAction={onChange}>
      {fields
        .filter((l) => l.sortable)
        .map((l) => (
          <MenuItem key={l.path} id={l.path} icon={l === now ? way : undefined}>
            {labelOf(l)}
          </MenuItem>
        ))}
    </Menu>
  )
}

function Columns({ res, columns, onChange }: { res: Resource; columns: GridColumn[]; onChange: (columns: Column[]) => void }) {
  const shown = columns.map((c) => ({ path: c.leaf.path, width: widthSet(c) }))
  const rest = leaves(res).filter((l) => !shown.some((c) => c.path === l.path))
  const density = useDensity()
  const narrow = useNarrow()
  const swap = (i: number, j: number) => {
    const next = [...shown]
    ;[next[i], next[j]] = [next[j], next[i]]
    onChange(next)
  }
  return (
    <DialogTrigger>
      <Button icon="columns" look={narrow ? 'quiet' : undefined}>
        {t('columns')}
      </Button>
      <Popover className="popover" placement="bottom start" offset={6}>
        <AriaDialog className="columns" aria-label={t('columns')}>
          {!narrow && (
            <fieldset className="segments densities">
              <legend className="menu-label">{t('rowHeight')}</legend>
              {densities.map((d) => (
                <button key={d} type="button" aria-pressed={density === d} onClick={() => setDensity(d)}>
                  {t(d)}
                </button>
              ))}
            </fieldset>
          )}
          <ul>
            {columns.map((c, i) => (
              <li key={c.leaf.path}>
                <label>
                  <input
                    type="checkbox"
                    checked
                    disabled={i === 0}
                    onChange={() => onChange(shown.filter((x) => x.path !== c.leaf.path))}
                  />
                  {labelOf(c.leaf)}
                </label>
                {i > 0 && (
                  <span className="nudge">
                    <button
                      type="button"
                      disabled={i < 2}
                      aria-label={t('moveUp', { label: labelOf(c.leaf) })}
                      onClick={() => swap(i, i - 1)}
                    >
                      <Icon name="up" size={14} />
                    </button>
                    <button
                      type="button"
                      disabled={i === columns.length - 1}
                      aria-label={t('moveDown', { label: labelOf(c.leaf) })}
                      onClick={() => swap(i, i + 1)}
                    >
                      <Icon name="down" size={14} />
                    </button>
                  </span>
                )}
              </li>
            ))}
          </ul>
          <p className="menu-label" id="more-fields">
            {t('moreFields')}
          </p>
          <ul aria-labelledby="more-fields">
            {rest.map((l) => (
              <li key={l.path}>
                <label>
                  <input type="checkbox" checked={false} onChange={() => onChange([...shown, { path: l.path }])} />
                  {labelOf(l)}
                </label>
              </li>
            ))}
          </ul>
        </AriaDialog>
      </Popover>
    </DialogTrigger>
  )
}
