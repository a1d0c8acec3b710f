// The fields that the business adds to its records.

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { readAll } from '../api/cache'
import { call } from '../api/call'
import { useApp, useResource } from '../api/context'
import type { CustomField } from '../api/records'
import { said, t } from '../i18n/translate'
import { useEditing } from '../records/edit'
import { refusal } from '../records/refusals'
import { leaf, leaves, pluralLabel, type Resource } from '../schema/schema'
import { Button, Chip, Dialog, Empty, useNotice } from '../ui/components'
import { ColourPicker, nextColour } from './colour-picker'
import { nameFrom } from './names'
import { moved, Sorting } from './sorting'

type Choice = { key: string; value?: string; label: string; colour?: string | null; archived?: boolean }

const withOptions = (kind: string) => kind === 'select' || kind === 'multi_select'
const texts = ['text', 'long_text', 'url', 'email', 'phone']

export default function Fields() {
  const { schema } = useApp()
  const res = useResource('field')!
  const owners = leaf(res, 'resource')!.options!.map((o) => o.value)
  const [of, setOf] = useState(owners[0])
  const [editing, setEditing] = useState<CustomField | 'new' | null>(null)
  const { data, isPending } = useQuery({
    queryKey: ['figures', 'field', 'settings'],
    queryFn: () => readAll<CustomField>(res.path, { order_by: 'position', sort_direction: 'asc' }),
  })
  const client = useQueryClient()
  const notice = useNotice()
  const { explain } = useEditing()
  const shown = (data ?? []).filter((f) => f.resource === of)
  const able = res.permissions.write !== 'none'
  const named = (name: string) => pluralLabel(schema.resources.find((r) => r.name === name)!)
  const reread = () => {
    void client.invalidateQueries({ queryKey: ['figures', 'field'] })
    return client.invalidateQueries({ queryKey: ['schema'] })
  }
  const order = async (from: number, to: number) => {
    try {
      await call('POST', res.path + '/batch', {
        atomic: true,
        operations: moved(shown, from, to).map((f, i) => ({ op: 'update', id: f.id, data: { position: i + 1 } })),
      })
    } catch (error) {
      explain(error)
    }
    await reread()
  }
  const remove = async (f: CustomField) => {
    setEditing(null)
    try {
      await call('DELETE', `${res.path}/${f.id}`, undefined, { match: f.version })
      notice({
        text: t('fieldDeleted', { name: f.label }),
        undo: () => void call('POST', `${res.path}/${f.id}/restore`).then(reread, explain),
      })
    } catch (error) {
      explain(error)
    }
    await reread()
  }
  return (
    <>
      <p className="soft">{t('fieldsMore')}</p>
      <div className="row">
        <label className="field short">
          <span className="field-label">{t('fieldsOf')}</span>
          <select className="input" value={of} onChange={(e) => setOf(e.target.value)}>
            {owners.map((o) => (
              <option key={o} value={o}>
                {named(o)}
                {data?.some((f) => f.resource === o) ? ` (${data.filter((f) => f.resource === o).length})` : ''}
              </option>
            ))}
          </select>
        </label>
        <span className="grow" />
        {able && (
          <Button look="primary" icon="plus" onPress={() => setEditing('new')}>
            {t('newField')}
          </Button>
        )}
      </div>
      {isPending ? (
        <span className="bone" />
      ) : shown.length === 0 ? (
        <Empty icon="columns" title={t('noFields', { label: named(of) })}>
          <p>{t('noFieldsMore')}</p>
        </Empty>
      ) : (
        <Sorting
          items={shown}
          keyOf={(f) => f.id}
          nameOf={(f) => f.label}
          label={t('customFields')}
          disabled={!able}
          onMove={(from, to) => void order(from, to)}
        >
          {(f) => (
            <>
              <span className="what">
                <bdi className="strong">{f.label}</bdi>
                <span className="soft">
                  {said(`fieldkind.${f.kind}`, f.kind)}
                  {f.required ? ` · ${t('required')}` : ''}
                  {f.unique ? ` · ${t('uniqueField')}` : ''}
                </span>
                {!!f.options?.length && (
                  <span className="tags">
                    {f.options
                      .filter((o) => !o.archived)
                      .map((o) => (
                        <Chip key={o.value} color={o.colour ?? undefined}>
                          {o.label}
                        </Chip>
                      ))}
                  </span>
                )}
              </span>
              {able && <Button look="quiet" icon="edit" label={t('editField', { field: f.label })} onPress={() => setEditing(f)} />}
            </>
          )}
        </Sorting>
      )}
      {editing && (
        <FieldDialog
          res={res}
          of={of}
          field={editing === 'new' ? null : editing}
          onClose={() => setEditing(null)}
          onSaved={() => void reread()}
          onRemove={res.permissions.delete !== 'none' ? remove : undefined}
        />
      )}
    </>
  )
}

let fresh = 0

function FieldDialog({
  res,
  of,
  field,
  onClose,
  onSaved,
  onRemove,
}: {
  res: Resource
  of: string
  field: CustomField | null
  onClose: () => void
  onSaved: () => void
  onRemove?: (f: CustomField) => void
}) {
  const { schema } = useApp()
  const owner = schema.resources.find((r) => r.name === of)!
  const [label, setLabel] = useState<string>(field?.label ?? '')
  const [kind, setKind] = useState<string>(field?.kind ?? 'text')
  const [target, setTarget] = useState<string>(field?.target ?? 'company')
  const [help, setHelp] = useState<string>(field?.help ?? '')
  const [required, setRequired] = useState<boolean>(field?.required ?? false)
  const [searchable, setSearchable] = useState<boolean>(field?.searchable ?? false)
  const [indexed, setIndexed] = useState<boolean>(field?.indexed ?? false)
  const [options, setOptions] = useState<Choice[]>(() =>
    (field?.options ?? []).map((o) => ({ key: o.value, value: o.value, label: o.label!, colour: o.colour, archived: o.archived! })),
  )
  const [added, setAdded] = useState('')
  const [wrong, setWrong] = useState('')
  const [busy, setBusy] = useState(false)
  const notice = useNotice()
  const taken = leaves(owner).map((l) => l.name)
  const save = async () => {
    setBusy(true)
    setWrong('')
    const values = options.filter((o) => o.label.trim())
    const used = values.flatMap((o) => (o.value ? [o.value] : []))
    const listed = values.map((o) => {
      const value = o.value ?? nameFrom(o.label, used)
      used.push(value)
      return { value, label: o.label.trim(), colour: o.colour, ...(o.archived ? { archived: true } : {}) }
    })
    const common = { label: label.trim(), help: help.trim() || null, required, indexed, ...(withOptions(kind) ? { options: listed } : {}) }
    try {
      if (field) await call('PATCH', `${res.path}/${field.id}`, common, { match: field.version })
      else
        await call('POST', res.path, {
          ...common,
          resource: of,
          kind,
          name: nameFrom(label, taken, kind === 'reference' ? '_id' : ''),
          ...(kind === 'reference' ? { target } : {}),
          ...(texts.includes(kind) ? { searchable } : {}),
        })
      notice({ text: t('fieldSaved', { name: label.trim() }) })
      onSaved()
      onClose()
    } catch (error) {
      setWrong(refusal(error, res))
      setBusy(false)
    }
  }
  const add = () => {
    const key = `new-${++fresh}`
    setAdded(key)
    setOptions((all) => [...all, { key, label: '', colour: nextColour(all.map((o) => o.colour)) }])
  }
  const set = (i: number, change: Partial<Choice>) => setOptions((all) => all.map((o, j) => (j === i ? { ...o, ...change } : o)))
  return (
    <Dialog title={field ? t('editField', { field: field.label }) : t('newFieldOf', { label: pluralLabel(owner) })} onClose={onClose} wide>
      <form
        className="stack"
        onSubmit={(e) => {
          e.preventDefault()
          void save()
        }}
        noValidate
      >
        {wrong && (
          <p className="note-bad" role="alert">
            {wrong}
          </p>
        )}
        <div className="form-grid">
          <label className="field">
            <span className="field-label">
              {t('name')} <span className="required">{t('required')}</span>
            </span>
            <input className="input" autoFocus required value={label} maxLength={255} onChange={(e) => setLabel(e.target.value)} />
          </label>
          <label className="field">
            <span className="field-label">{t('whatItHolds')}</span>
            <select className="input" value={kind} disabled={!!field} onChange={(e) => setKind(e.target.value)}>
              {leaf(res, 'kind')!.options!.map((o) => (
                <option key={o.value} value={o.value}>
                  {said(`fieldkind.${o.value}`, o.label)}
                </option>
              ))}
            </select>
          </label>
          {kind === 'reference' && (
            <label className="field">
              <span className="field-label">{t('leadsTo')}</span>
              <select className="input" value={target} disabled={!!field} onChange={(e) => setTarget(e.target.value)}>
                {schema.resources.map((r) => (
                  <option key={r.name} value={r.name}>
                    {pluralLabel(r)}
                  </option>
                ))}
              </select>
            </label>
          )}
          <label className="field broad">
            <span className="field-label">{t('helpText')}</span>
            <input className="input" value={help} maxLength={1000} onChange={(e) => setHelp(e.target.value)} />
          </label>
        </div>
        {withOptions(kind) && (
          <fieldset className="stack tight">
            <legend className="field-label">{t('choices')}</legend>
            <Sorting
              items={options}
              keyOf={(o) => o.key}
              nameOf={(o) => o.label}
              label={t('choices')}
              onMove={(from, to) => setOptions((all) => moved(all, from, to))}
            >
              {(o, i) => (
                <>
                  <ColourPicker
                    label={t('colourOf', { name: o.label || t('choice', { place: i + 1 }) })}
                    value={o.colour}
                    onChange={(colour) => set(i, { colour })}
                  />
                  <input
                    className="input grow"
                    aria-label={t('choice', { place: i + 1 })}
                    value={o.label}
                    maxLength={255}
                    autoFocus={o.key === added}
                    onChange={(e) => set(i, { label: e.target.value })}
                    onKeyDown={(e) => {
                      // Who types a list goes on with the next; the form is sent by its button.
                      if (e.key !== 'Enter') return
                      e.preventDefault()
                      if (o.label.trim() && i === options.length - 1) add()
                    }}
                  />
                  {o.value ? (
                    <label className="check">
                      <input type="checkbox" checked={!!o.archived} onChange={(e) => set(i, { archived: e.target.checked })} />
                      <span>
                        {t('archived')}
                        <span className="unseen"> {o.label}</span>
                      </span>
                    </label>
                  ) : (
                    <Button
                      look="quiet"
                      icon="close"
                      label={t('removeTag', { tag: o.label || t('choice', { place: i + 1 }) })}
                      onPress={() => setOptions((all) => all.filter((_, j) => j !== i))}
                    />
                  )}
                </>
              )}
            </Sorting>
            <p>
              <Button icon="plus" onPress={add}>
                {t('addChoice')}
              </Button>
            </p>
          </fieldset>
        )}
        <div className="checks">
          <label>
            <input type="checkbox" checked={required} onChange={(e) => setRequired(e.target.checked)} />
            <span>{t('mustBeGiven')}</span>
          </label>
          {kind !== 'long_text' && (
            <label>
              <input type="checkbox" checked={indexed} onChange={(e) => setIndexed(e.target.checked)} />
              <span>{t('filteredOften')}</span>
            </label>
          )}
          {!field && texts.includes(kind) && (
            <label>
              <input type="checkbox" checked={searchable} onChange={(e) => setSearchable(e.target.checked)} />
              <span>{t('searchFinds')}</span>
            </label>
          )}
        </div>
        <footer className="dialog-foot">
          {field && onRemove && (
            <>
              <Button look="danger" icon="bin" onPress={() => onRemove(field)}>
                {t('delete')}
              </Button>
              <span className="grow" />
            </>
          )}
          <Button onPress={onClose}>{t('cancel')}</Button>
          <Button
            look="primary"
            type="submit"
            isDisabled={busy || !label.trim() || (withOptions(kind) && !options.some((o) => o.label.trim()))}
          >
            {field ? t('save') : t('create')}
          </Button>
        </footer>
      </form>
    </Dialog>
  )
}
