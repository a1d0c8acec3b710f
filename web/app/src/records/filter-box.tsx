// The box that adds a filter: what people filter by most, and every field and value by a few letters of its name.

import { useEffect, useId, useState } from 'react'
import type { Filter } from '../api/call'
import '../i18n/messages/more'
import { t } from '../i18n/translate'
import { editable, type Leaf, labelOf, leaf, leaves, type Resource } from '../schema/schema'
import { Button, Icon } from '../ui/components'
import { FilterForm, operatorWords } from './filter-form'
import { type Preset, useKinds } from './kinds'
import { useUsers } from './names'

// Fields that a machine keeps for itself wait until they are asked for.
const usuallyWanted = ['created_at', 'last_contacted_at']
const isUsual = (l: Leaf) => l.custom || !!l.options || usuallyWanted.includes(l.path) || (!l.read_only && l.path !== 'external_id')

const mostValues = 6

// presetsOf are the conditions that are asked for most, of any kind of record and of this one.
function presetsOf(res: Resource, own: Preset[] = []): Preset[] {
  const whose = ['assignee_id', 'owner_id'].find((p) => leaf(res, p) && editable(res, leaf(res, p)!))
  const quiet = leaf(res, 'last_contacted_at') ? 'last_contacted_at' : 'updated_at'
  const able = (p: Preset) => p.filters.every((f) => leaf(res, f.field)?.operators.includes(f.operator))
  return [
    ...(whose ? [{ name: 'preset.mine' as const, filters: [{ field: whose, operator: 'eq', value: '@me' }] }] : []),
    ...own,
    { name: 'preset.new' as const, filters: [{ field: 'created_at', operator: 'gte', value: '@month_start' }] },
    { name: 'preset.quiet' as const, filters: [{ field: quiet, operator: 'lt', value: '@today-30d' }] },
  ].filter(able)
}

type Choice = { key: string; icon: string; text: string; more?: string; field?: string; run: () => void }

export default function FilterBox({ res, onAdd }: { res: Resource; onAdd: (filters: Filter[]) => void }) {
  const kind = useKinds()[res.name]
  const users = useUsers()
  const [field, setField] = useState('')
  const [text, setText] = useState('')
  const [all, setAll] = useState(false)
  const [place, setPlace] = useState(0)
  const id = useId()
  const wanted = text.trim().toLowerCase()
  const fits = (s: string) => s.toLowerCase().includes(wanted)
  const able = leaves(res).filter((l) => l.operators.length > 0)
  const shown = all ? able : able.filter(isUsual)
  const valued = (l: Leaf, value: string, name: string): Choice => ({
    key: `${l.path} ${value}`,
    icon: 'check',
    text: `${labelOf(l)} ${operatorWords(l, 'eq')} ${name}`,
    run: () => onAdd([{ field: l.path, operator: l.operators.includes('in') ? 'in' : 'eq', ...oneOf(l, value) }]),
  })
  const values = (l: Leaf) =>
    l.options
      ? l.options.filter((o) => !o.archived).map((o) => [o.value, o.label] as const)
      : users.size && l.kind === 'reference' && [...users.keys()][0].startsWith(`${l.target}_`)
        ? [['@me', t('me')] as const, ...users]
        : []
  const choices: Choice[] = [
    ...presetsOf(res, kind?.presets)
      .filter((p) => fits(t(p.name)))
      .map((p) => ({ key: p.name, icon: 'view', text: t(p.name), run: () => onAdd(p.filters) })),
    ...shown
      .filter((l) => fits(labelOf(l)))
      .map((l) => ({ key: l.path, icon: 'filter', text: labelOf(l), field: l.path, run: () => setField(l.path) })),
    ...(wanted.length > 1
      ? shown
          .filter((l) => l.operators.includes('eq') || l.operators.includes('in'))
          .flatMap((l) =>
            values(l)
              .filter(([, name]) => fits(name))
              .map(([value, name]) => valued(l, value, name)),
          )
          .slice(0, mostValues)
      : []),
    ...(!all && able.length > shown.length ? [{ key: '…', icon: 'more', text: t('moreFields'), run: () => setAll(true) }] : []),
  ]
  const chosen = Math.min(place, choices.length - 1)
  // biome-ignore lint/correctness/useExhaustiveDependencies: other words find others, of which the first is meant.
  useEffect(() => setPlace(0), [wanted])
  useEffect(() => {
    document.getElementById(`${id}-${chosen}`)?.scrollIntoView({ block: 'nearest' })
  }, [chosen, id])
  if (field)
    return (
      <FilterForm
        res={res}
        field={field}
        back={<Button look="quiet" icon="left" label={t('otherField')} onPress={() => setField('')} />}
        onDone={(f) => onAdd([f])}
      />
    )
  return (
    <div className="filter-box">
      <input
        className="input"
        role="combobox"
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={choices.length ? `${id}-${chosen}` : undefined}
        aria-autocomplete="list"
        aria-label={t('fieldOrValue')}
        placeholder={t('fieldOrValue')}
        autoFocus
        value={text}
        onChange={(e) => setText(e.target.value)}
        onKeyDown={(e) => {
          if (e.key === 'ArrowDown') setPlace((chosen + 1) % Math.max(1, choices.length))
          else if (e.key === 'ArrowUp') setPlace((chosen - 1 + choices.length) % Math.max(1, choices.length))
          else if (e.key === 'Enter') choices[chosen]?.run()
          else return
          e.preventDefault()
        }}
      />
      <div className="filter-list" role="listbox" id={`${id}-list`} aria-label={t('fields')}>
        {choices.map((c, i) => (
          <div
            key={c.key}
            role="option"
            id={`${id}-${i}`}
            aria-selected={i === chosen}
            data-field={c.field}
            className="menu-item"
            onClick={c.run}
            onPointerMove={() => setPlace(i)}
          >
            <Icon name={c.icon} />
            <bdi>{c.text}</bdi>
          </div>
        ))}
      </div>
      {choices.length === 0 && (
        <p className="hint pad" role="status">
          {t('nothingFound')}
        </p>
      )}
    </div>
  )
}

const oneOf = (l: Leaf, value: string) => (l.operators.includes('in') ? { values: [value] } : { value })
