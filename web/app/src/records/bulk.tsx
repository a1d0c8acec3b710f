// One thing done to many records, or to all that a search finds: first what it would do, then a job, and the way back.

import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { call, type Page, type Rec } from '../api/call'
import { formatPlain } from '../i18n/format'
import { t } from '../i18n/translate'
import { editable, type Leaf, labelOf, leaf, leaves, patchOf, type Resource, titleOf } from '../schema/schema'
import { Button, Dialog } from '../ui/components'
import { findLeaf, type Selected } from './address'
import { whatWentWrong } from './edit'
import { Input, Labelled } from './fields'
import { type Refused, reasons, useBulk } from './jobs'
import { useKnownNames } from './names'

export type Doing = 'field' | 'tag' | 'assign' | 'delete'

type Preview = {
  total: number
  tried: number
  changed: number
  unchanged: number
  refused: number
  samples: { record_id: string; changes: Record<string, { from: unknown; to: unknown }> }[]
  refusals: Refused[]
}

// assignee is the field that says whose a record is.
export const assignee = (res: Resource): Leaf | undefined =>
  ['assignee_id', 'owner_id'].map((p) => leaf(res, p)).find((l) => l && editable(res, l))

export default function BulkDialog({
  res,
  doing,
  selected,
  onClose,
  onDone,
}: {
  res: Resource
  doing: Doing
  selected: Selected[]
  onClose: () => void
  onDone: () => void
}) {
  const able = leaves(res).filter((l) => editable(res, l) && !l.unique && l.kind !== 'tags')
  const [path, setPath] = useState(doing === 'assign' ? assignee(res)!.path : (able[0]?.path ?? ''))
  const [value, setValue] = useState<unknown>(null)
  const [emptied, setEmptied] = useState(false)
  const [add, setAdd] = useState<string[]>([])
  const [remove, setRemove] = useState<string[]>([])
  const [busy, setBusy] = useState(false)
  const bulk = useBulk(res)
  const l = findLeaf(res, path)

  const filled = value !== null && value !== '' && !(Array.isArray(value) && value.length === 0)
  const does =
    doing === 'delete'
      ? { op: 'delete' }
      : doing === 'tag'
        ? add.length || remove.length
          ? { op: 'tag', data: { ...(add.length ? { add } : {}), ...(remove.length ? { remove } : {}) } }
          : null
        : l && (filled || emptied)
          ? { op: 'update', data: patchOf(l.path, emptied ? null : value) }
          : null
  const wanted = useSettled(JSON.stringify(does))
  const settled = wanted === JSON.stringify(does)
  const preview = useQuery({
    queryKey: ['preview', res.name, wanted, JSON.stringify(selected)],
    enabled: wanted !== 'null',
    staleTime: Infinity,
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
    queryFn: async ({ signal }) => {
      const parts: Preview[] = []
      for (const some of selected)
        parts.push(await call<Preview>('POST', `${res.path}/bulk?dry_run=true`, { ...some, ...JSON.parse(wanted) }, { signal }))
      const all = parts.reduce((sum, p) => ({
        samples: sum.samples,
        refusals: sum.refusals,
        total: sum.total + p.total,
        tried: sum.tried + p.tried,
        changed: sum.changed + p.changed,
        unchanged: sum.unchanged + p.unchanged,
        refused: sum.refused + p.refused,
      }))
      const ids = all.samples.slice(0, 3).map((s) => s.record_id)
      const named =
        ids.length && doing !== 'delete'
          ? await call<Page>(
              'POST',
              res.path + '/search',
              {
                filters: [{ field: 'id', operator: 'in', values: ids }],
                fields: ['id', 'version', ...res.named_by, ...(leaf(res, 'currency') ? ['currency'] : [])],
              },
              { signal },
            )
          : { data: [] as Rec[] }
      return { ...all, records: named.data }
    },
  })
  const told = settled ? preview.data : undefined
  // Where all were tried it is known how many of them change.
  const count = told && (told.tried < told.total ? told.total : told.changed)
  const run = async () => {
    if (!does || !told) return
    setBusy(true)
    onClose()
    onDone()
    const deletes = doing === 'delete'
    const done = (count: number) =>
      deletes ? t('deleted', { count }) : doing === 'tag' ? t('taggedMany', { count }) : t('changedMany', { count, field: labelOf(l!) })
    await bulk(selected, does, (count) => t(deletes ? 'deletingMany' : 'changingMany', { count }), done)
  }
  const title = { field: t('changeField'), tag: t('tagMany'), assign: t('assign'), delete: t('delete') }[doing]
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        noValidate
        className="stack"
        onSubmit={(e) => {
          e.preventDefault()
          void run()
        }}
      >
        {doing === 'field' && (
          <label className="field">
            <span className="field-label">{t('field')}</span>
            <select
              className="input"
              value={path}
              autoFocus
              onChange={(e) => {
                setPath(e.target.value)
                setValue(null)
                setEmptied(false)
              }}
            >
              {able.map((x) => (
                <option key={x.path} value={x.path}>
                  {labelOf(x)}
                </option>
              ))}
            </select>
          </label>
        )}
        {(doing === 'field' || doing === 'assign') && l && !emptied && (
          <Labelled
            key={path}
            leaf={{ ...l, label: doing === 'assign' ? labelOf(l) : t('newValue'), help: undefined, required: false }}
            autoFocus={doing === 'assign'}
            value={value}
            onChange={(v) => setValue(v)}
          />
        )}
        {doing === 'field' && l && l.nullable && !l.required && (
          <label className="check">
            <input type="checkbox" checked={emptied} onChange={(e) => setEmptied(e.target.checked)} />
            {t('emptyIt')}
          </label>
        )}
        {doing === 'tag' && leaf(res, 'tags') && (
          <>
            <Tags res={res} label={t('tagsToAdd')} value={add} onChange={setAdd} autoFocus />
            <Tags res={res} label={t('tagsToRemove')} value={remove} onChange={setRemove} />
          </>
        )}
        <div className="preview" role="status">
          {preview.isError && settled ? (
            <p className="error">{whatWentWrong(preview.error, res)}</p>
          ) : told ? (
            <Told res={res} preview={told} deleting={doing === 'delete'} />
          ) : wanted !== 'null' || does ? (
            <p className="soft">{t('looking')}</p>
          ) : (
            <p className="soft">{t('previewHint')}</p>
          )}
        </div>
        <footer className="dialog-foot">
          <Button onPress={onClose}>{t('cancel')}</Button>
          <Button
            look={doing === 'delete' ? 'danger' : 'primary'}
            type="submit"
            autoFocus={doing === 'delete'}
            isDisabled={busy || !told || told.total === 0 || (told.changed === 0 && told.tried === told.total)}
          >
            {count !== undefined
              ? doing === 'delete'
                ? t('deleteMany', { count })
                : t('changeMany', { count })
              : doing === 'delete'
                ? t('delete')
                : t('change')}
          </Button>
        </footer>
      </form>
    </Dialog>
  )
}

// useSettled is a text as soon as it has not changed for a moment.
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), 250)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}

function Tags({
  res,
  label,
  value,
  onChange,
  autoFocus,
}: {
  res: Resource
  label: string
  value: string[]
  onChange: (tags: string[]) => void
  autoFocus?: boolean
}) {
  return (
    <div className="field">
      <span className="field-label" aria-hidden="true">
        {label}
      </span>
      <Input
        leaf={leaf(res, 'tags')!}
        value={value}
        label={label}
        autoFocus={autoFocus}
        onChange={(v) => onChange((v ?? []) as string[])}
      />
    </div>
  )
}

// Told says what a preview found: exact about how many, tried on the first of them.
function Told({ res, preview, deleting }: { res: Resource; preview: Preview & { records: Rec[] }; deleting: boolean }) {
  const names = useKnownNames()
  const parts = [
    preview.changed && t(deleting ? 'wouldDelete' : 'wouldChange', { count: preview.changed }),
    preview.unchanged && t('soAlready', { count: preview.unchanged }),
    preview.refused && t('wouldRefuse', { count: preview.refused }),
  ].filter(Boolean)
  return (
    <>
      <p>
        <strong>{t('recordCount', { count: preview.total })}.</strong>{' '}
        {preview.tried < preview.total
          ? t('triedFirst', { count: preview.tried, what: parts.join(', ') })
          : parts.join(', ') + (parts.length ? '.' : '')}
      </p>
      {!deleting && preview.samples.length > 0 && (
        <ul className="diff">
          {preview.samples.slice(0, 3).map((s) => {
            const record = preview.records.find((r) => r.id === s.record_id)
            return (
              <li key={s.record_id}>
                <bdi className="strong">{record ? titleOf(res, record) : t('aRecord')}</bdi>
                {Object.entries(s.changes)
                  .slice(0, 2)
                  .map(([path, { from, to }]) => (
                    <span key={path}>
                      : <del>{formatPlain(leaf(res, path), from, record, names)}</del> →{' '}
                      <ins>{formatPlain(leaf(res, path), to, record, names)}</ins>
                    </span>
                  ))}
              </li>
            )
          })}
        </ul>
      )}
      {preview.refusals.length > 0 && <p className="hint">{t('because', { why: reasons(preview.refusals, res) })}</p>}
    </>
  )
}
