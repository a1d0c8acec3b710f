// Filters as a person would say them: a field, a few words, a value.

import { lazy, Suspense, useState } from 'react'
import { Dialog as AriaDialog, DialogTrigger, Popover } from 'react-aria-components'
import type { Filter } from '../api/call'
import { formatPlain } from '../i18n/format'
import { inSentence, t } from '../i18n/translate'
import { labelOf, type Resource } from '../schema/schema'
import { useCommands } from '../ui/commands'
import { Button, Icon } from '../ui/components'
import { findLeaf, noOperand } from './address'
import { shortest } from './conditions'
import { dayWords, FilterForm, operatorWords } from './filter-form'
import { useNamesOf } from './names'

const FilterBox = lazy(() => import('./filter-box'))

const valuesOf = (f: Filter): unknown[] => f.values ?? (f.value === undefined ? [] : [f.value])

function useFilterWords(res: Resource, filters: Filter[]): (f: Filter) => string {
  const names = useNamesOf(filters.flatMap(valuesOf))
  return (f) => {
    const l = findLeaf(res, f.field)
    if (!l) return f.field
    const one = (v: unknown) =>
      v === '@me' ? inSentence(t('me')) : typeof v === 'string' && v.startsWith('@') ? dayWords(v) : formatPlain(l, v, undefined, names)
    const values = noOperand(f.operator)
      ? ''
      : valuesOf(f)
          .map(one)
          .join(f.operator === 'between' ? ` ${t('and')} ` : ', ')
    return `${labelOf(l)} ${operatorWords(l, f.operator)}${values ? ' ' + values : ''}`
  }
}

export function Filters({ res, filters, onChange }: { res: Resource; filters: Filter[]; onChange: (filters: Filter[]) => void }) {
  const words = useFilterWords(res, filters)
  return (
    <ul className="chips" aria-label={t('filters')}>
      {filters.map((f, i) => (
        <li key={i} className="chip">
          <DialogTrigger>
            <Button look="quiet" className="chip-text">
              {words(f)}
            </Button>
            <Popover className="popover" placement="bottom start" offset={6}>
              <AriaDialog className="filter-form" aria-label={t('changeFilter')}>
                {({ close }) => (
                  <FilterForm
                    res={res}
                    filter={f}
                    onDone={(next) => {
                      onChange(filters.map((x, j) => (j === i ? shortest(next) : x)))
                      close()
                    }}
                  />
                )}
              </AriaDialog>
            </Popover>
          </DialogTrigger>
          <button
            type="button"
            className="chip-close"
            aria-label={t('removeFilter', { filter: words(f) })}
            onClick={() => onChange(filters.filter((_, j) => j !== i))}
          >
            <Icon name="close" size={12} />
          </button>
        </li>
      ))}
    </ul>
  )
}

export function AddFilter({ res, onAdd }: { res: Resource; onAdd: (filters: Filter[]) => void }) {
  const [open, setOpen] = useState(false)
  useCommands([{ act: 'filter', text: t('addFilter'), icon: 'filter', run: () => setOpen(true) }])
  return (
    <DialogTrigger isOpen={open} onOpenChange={setOpen}>
      <Button icon="filter">{t('filter')}</Button>
      <Popover className="popover" placement="bottom start" offset={6}>
        <AriaDialog className="filter-form" aria-label={t('addFilter')}>
          {({ close }) => (
            <Suspense fallback={<span className="bone" />}>
              <FilterBox
                res={res}
                onAdd={(more) => {
                  onAdd(more)
                  close()
                }}
              />
            </Suspense>
          )}
        </AriaDialog>
      </Popover>
    </DialogTrigger>
  )
}
