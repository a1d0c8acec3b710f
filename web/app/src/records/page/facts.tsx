// What is known of a record, in sections that fold: what is empty and seldom filled in waits behind a button.

import { type ReactNode, useId, useRef, useState } from 'react'
import type { Rec } from '../../api/call'
import { useApp } from '../../api/context'
import { t, translateLabel } from '../../i18n/translate'
import { at, columnsOf, editable, type Leaf, labelOf, leaf as leafOf, linked, type Resource, type Section } from '../../schema/schema'
import { Button, Icon, useNarrow } from '../../ui/components'
import { CellEditor } from '../cell-editor'
import { useEditing, useRefused } from '../edit'
import { Shown } from '../shown'
import { AddressBlock, isAddress } from './address'

export function isEmpty(leaf: Leaf, record: Rec): boolean {
  const value = leaf.followed_as === leaf.path ? at(record, `${leaf.path}.id`) : at(record, leaf.path)
  return value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)
}

const usualOf = (res: Resource) => new Set(columnsOf(res).map((l) => l.path))

// Numbers by which programs know a record are not what people look for, nor is a name that follows from other fields, as it is in the head.
const unseen = ['id', 'version']

export function Facts({ res, record, canWrite }: { res: Resource; record: Rec; canWrite: boolean }) {
  const [all, setAll] = useState(false)
  // On a phone what is known stands behind what happened, and waits there.
  const waits = useNarrow() && res.operations.includes('timeline')
  const usual = usualOf(res)
  const leavesIn = (s: Section) =>
    s.fields
      .map((path) => leafOf(res, path))
      .filter((l): l is Leaf => !!l && l.kind !== 'any' && !unseen.includes(l.path) && !(l.read_only && res.named_by.includes(l.path)))
  const sections = res.layout.sections.map((s) => ({ ...s, shown: leavesIn(s) })).filter((s) => s.shown.length > 0)
  const seldom = (s: Section, l: Leaf) => !s.folded && isEmpty(l, record) && !usual.has(l.path) && !l.custom
  const later = sections.flatMap((s) => s.shown.filter((l) => seldom(s, l)))
  const fact = (l: Leaf, own = canWrite, grouped = false) => (
    <Fact key={l.path} res={res} leaf={l} record={record} canWrite={own} label={grouped ? l.label : labelOf(l)} />
  )
  return (
    <>
      {sections.map((s) => {
        const first = s.shown.filter((l) => !seldom(s, l))
        if (first.length === 0) return null
        return (
          <FactSection key={s.name} of={res.name} section={s} folds={s.folded || waits}>
            {isAddress(s.shown) ? (
              <AddressBlock parts={s.shown} record={record} able={canWrite && editable(res, s.shown[0])}>
                <dl>{s.shown.map((l) => fact(l, canWrite, true))}</dl>
              </AddressBlock>
            ) : (
              <dl>{first.map((l) => fact(l, canWrite && !s.folded))}</dl>
            )}
          </FactSection>
        )
      })}
      {later.length > 0 && (
        <section className="fact-section">
          <Button look="quiet" aria-expanded={all} onPress={() => setAll(!all)}>
            <Icon name={all ? 'down' : 'right'} size={12} />
            {t(all ? 'emptyFieldsHide' : 'emptyFields', { count: later.length })}
          </Button>
          {all && <dl>{later.map((l) => fact(l))}</dl>}
        </section>
      )}
    </>
  )
}

const place = 'kith.folded'
const kept = (): Record<string, boolean> => JSON.parse(localStorage.getItem(place) ?? '{}')

// FactSection is open or closed as it was left in this browser.
function FactSection({ of, section, folds, children }: { of: string; section: Section; folds: boolean; children: ReactNode }) {
  const key = `${of}.${section.name}`
  const [folded, setFolded] = useState(() => kept()[key] ?? folds)
  const id = useId()
  return (
    <section className="fact-section" aria-labelledby={id}>
      <h2>
        <button
          id={id}
          type="button"
          aria-expanded={!folded}
          onClick={() => {
            setFolded(!folded)
            localStorage.setItem(place, JSON.stringify({ ...kept(), [key]: !folded }))
          }}
        >
          <Icon name={folded ? 'right' : 'down'} size={12} />
          {translateLabel(section.label)}
        </button>
      </h2>
      {!folded && children}
    </section>
  )
}

function Fact({ res, leaf, record, canWrite, label }: { res: Resource; leaf: Leaf; record: Rec; canWrite: boolean; label: string }) {
  const { schema } = useApp()
  const { save } = useEditing()
  const [refused] = useRefused()
  const again = refused?.record.id === record.id && refused.leaf.path === leaf.path
  const [editing, setEditing] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const able = canWrite && editable(res, leaf)
  const close = () => {
    setEditing(false)
    requestAnimationFrame(() => button.current?.focus())
  }
  return (
    <div className="fact">
      <dt>{label}</dt>
      <dd>
        {editing || again ? (
          <CellEditor
            leaf={leaf}
            record={record}
            shownAs={leaf.kind === 'reference' ? linked(leaf, record, schema.resources)?.name : undefined}
            onDrop={close}
            onKeep={(value, picked, base) => {
              close()
              void save({ res, record: base, leaf, value, picked }, { inPlace: true })
            }}
          />
        ) : (
          <>
            <span className="fact-value" onClick={(e) => able && !(e.target as HTMLElement).closest('a') && setEditing(true)}>
              {isEmpty(leaf, record) ? (
                <span className="soft" aria-hidden="true">
                  {able ? t('addValue') : '–'}
                </span>
              ) : (
                <Shown leaf={leaf} record={record} onPage able={able} />
              )}
            </span>
            {able && (
              <button
                ref={button}
                type="button"
                className="fact-edit"
                aria-label={t('editField', { field: labelOf(leaf) })}
                onClick={() => setEditing(true)}
              >
                <Icon name="edit" size={14} />
              </button>
            )}
          </>
        )}
      </dd>
    </div>
  )
}
