// Two records that are one: which they are, what the one that stays takes over, and what is lost of the other.

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { refresh } from '../api/cache'
import { call, type Page, type Rec, tell } from '../api/call'
import { useApp } from '../api/context'
import { formatPlain } from '../i18n/format'
import { useEditing, whatWentWrong } from './edit'
import { Labelled } from './fields'
import { useUndo } from './jobs'
import '../i18n/messages/more'
import { inSentence, said, t } from '../i18n/translate'
import { type Action, asked, at, type Leaf, labelOf, leaf, leaves, linked, pluralLabel, type Resource, titleOf } from '../schema/schema'
import { Button, Dialog, useNotice } from '../ui/components'

type Pair = { records: Rec[]; reasons: string[] }
type Merged = { moved: Record<string, number>; filled: string[]; lost: Record<string, unknown> }
type Told = Merged & { mine: Rec; theirs?: Rec }

export default function MergeDialog({
  res,
  record,
  action,
  chosen = null, // where both were selected, nothing else is proposed
  onClose,
}: {
  res: Resource
  record: Rec
  action: Action
  chosen?: string | null
  onClose: () => void
}) {
  const { schema } = useApp()
  const client = useQueryClient()
  const notice = useNotice()
  const { explain } = useEditing()
  const undo = useUndo()
  const [other, setOther] = useState(chosen)
  const [preferred, setPreferred] = useState<string[]>([])
  const [busy, setBusy] = useState(false)
  const choose = (id: string | null) => {
    setOther(id)
    setPreferred([])
  }

  const alike = useQuery({
    queryKey: ['alike', res.name, record.id],
    enabled: !chosen && res.operations.includes('duplicates'),
    queryFn: async () =>
      (await call<{ data: Pair[] }>('POST', res.path + '/duplicates/search', { id: record.id })).data.map((p) => ({
        ...p.records.find((r) => r.id !== record.id)!,
        why: p.reasons,
      })),
  })
  const body = { other_id: other, ...(preferred.length ? { prefer: Object.fromEntries(preferred.map((path) => [path, 'other'])) } : {}) }
  const preview = useQuery<Told>({
    queryKey: ['preview', res.name, record.id, record.version, other, JSON.stringify(preferred)],
    enabled: !!other,
    retry: false,
    gcTime: 0,
    refetchOnWindowFocus: false,
    placeholderData: (kept, query) => (query?.queryKey[4] === other ? kept : undefined),
    queryFn: async ({ signal }) => {
      const told = await call<Merged>('POST', `${res.path}/${record.id}/merge?dry_run=true`, body, { signal })
      // What the two have is read with the names behind references.
      const paths = [...told.filled, ...Object.keys(told.lost)]
        .flatMap((path) => fieldsOf(res, path))
        .flatMap((l) => asked(l, schema.resources))
      const both = await call<Page>(
        'POST',
        res.path + '/search',
        {
          filters: [{ field: 'id', operator: 'in', values: [record.id, other] }],
          fields: [...new Set(['id', 'version', ...res.named_by, ...paths, ...(leaf(res, 'currency') ? ['currency'] : [])])],
        },
        { signal },
      )
      return { ...told, mine: both.data.find((r) => r.id === record.id) ?? record, theirs: both.data.find((r) => r.id === other) }
    },
  })
  const told = other ? preview.data : undefined
  const merge = async () => {
    if (!told?.theirs) return
    setBusy(true)
    try {
      const { request } = await tell('POST', `${res.path}/${record.id}/merge`, body, { match: record.version })
      onClose()
      notice({
        text: t('mergedOne', { other: titleOf(res, told.theirs), name: titleOf(res, record) }),
        undo: () => undo(request, t('separated', { other: titleOf(res, told.theirs!), name: titleOf(res, record) })),
      })
      void refresh(client)
    } catch (error) {
      setBusy(false)
      explain(error, res)
    }
  }
  const different = async (id: string) => {
    try {
      await call('POST', res.path + '/duplicates/dismiss', { ids: [record.id, id] })
      if (other === id) choose(null)
      void alike.refetch()
    } catch (error) {
      explain(error)
    }
  }

  const field = action.body.find((f) => f.name === 'other_id')!
  const shown = (l: Leaf, of: Rec) =>
    l.kind === 'reference' ? (linked(l, of, schema.resources)?.name ?? t('nothing')) : formatPlain(l, at(of, l.path), of)
  // Of a field on which they differ, either value can be kept. What neither has, and what is united, is no choice.
  const choices = told?.theirs
    ? leaves(res).filter(
        (l) =>
          !l.read_only &&
          l.path !== 'external_id' &&
          Object.keys(told.lost).some((path) => covers(path, l)) &&
          shown(l, told.mine) !== shown(l, told.theirs!) &&
          shown(l, told.theirs!) !== t('nothing'),
      )
    : []
  const filled = told?.theirs ? leaves(res).filter((l) => told.filled.some((path) => covers(path, l)) && !choices.includes(l)) : []
  const moved = Object.entries(told?.moved ?? {}).flatMap(([name, count]) =>
    schema.resources.filter((r) => r.name === name).map((r) => `${count} ${inSentence(count === 1 ? r.label : pluralLabel(r))}`),
  )
  return (
    <Dialog title={t('mergeTitle', { name: titleOf(res, record) })} onClose={onClose} wide>
      <form
        noValidate
        className="stack merge"
        onSubmit={(e) => {
          e.preventDefault()
          void merge()
        }}
      >
        <p className="soft">{action.help}</p>
        {!chosen && !!alike.data?.length && (
          <fieldset className="alike">
            <legend className="field-label">{t('maybeSame')}</legend>
            {alike.data.map((r) => (
              <div key={r.id} className="row">
                <label className="check">
                  <input type="radio" name="other" checked={other === r.id} onChange={() => choose(r.id)} />
                  <span>
                    <bdi className="strong">{titleOf(res, r)}</bdi>{' '}
                    <bdi className="soft">
                      {res.telling
                        .filter((path) => at(r, path))
                        .map((path) => formatPlain(leaf(res, path), at(r, path)))
                        .join(' · ')}
                    </bdi>
                    <span className="soft why">
                      {t('alikeBy', {
                        what: r.why
                          .flatMap((path: string) => leaf(res, path) ?? [])
                          .map(labelOf)
                          .join(', '),
                      })}
                    </span>
                  </span>
                </label>
                <Button look="quiet" label={t('notSameOf', { name: titleOf(res, r) })} onPress={() => void different(r.id)}>
                  {t('notSame')}
                </Button>
              </div>
            ))}
          </fieldset>
        )}
        {!chosen && !alike.isLoading && (
          <Labelled
            except={record.id}
            leaf={{
              ...field,
              path: field.name,
              nullable: true,
              ...(alike.data?.length ? { label: t('anotherOne'), required: false, help: undefined } : {}),
            }}
            autoFocus={!alike.data?.length}
            value={alike.data?.some((r) => r.id === other) ? null : other}
            onChange={(v) => choose(v as string | null)}
          />
        )}
        {other && (
          <div className="preview" role="status" aria-busy={preview.isFetching}>
            {preview.isError ? (
              <p className="error">{whatWentWrong(preview.error, res)}</p>
            ) : !told ? (
              <p className="soft">{t('looking')}</p>
            ) : (
              <>
                {choices.length > 0 && (
                  <table className="either">
                    <caption className="unseen">{t('keepWhich')}</caption>
                    <thead>
                      <tr>
                        <th scope="col">{t('keepWhich')}</th>
                        <th scope="col">{t('ofThis')}</th>
                        <th scope="col">{t('theOther')}</th>
                      </tr>
                    </thead>
                    <tbody>
                      {choices.map((l) => (
                        <tr key={l.path}>
                          <th scope="row">{labelOf(l)}</th>
                          {[told.mine, told.theirs!].map((of, i) => (
                            <td key={i}>
                              <label className="check">
                                <input
                                  type="radio"
                                  name={`keep ${l.path}`}
                                  aria-label={`${labelOf(l)}: ${shown(l, of)}`}
                                  checked={preferred.includes(l.path) === (i === 1)}
                                  onChange={() => setPreferred((all) => (i === 1 ? [...all, l.path] : all.filter((p) => p !== l.path)))}
                                />
                                <bdi>{shown(l, of)}</bdi>
                              </label>
                            </td>
                          ))}
                        </tr>
                      ))}
                    </tbody>
                  </table>
                )}
                {filled.length > 0 && (
                  <p>
                    {t('takesOver')}{' '}
                    {filled.map((l, i) => (
                      <span key={l.path}>
                        {i > 0 && ', '}
                        <span className="soft">{labelOf(l)}</span> <bdi>{shown(l, told.theirs!)}</bdi>
                      </span>
                    ))}
                  </p>
                )}
                {moved.length > 0 && <p>{t('movesAlong', { what: moved.join(', ') })}</p>}
                {choices.length + filled.length + moved.length === 0 && <p className="soft">{t('nothingNew')}</p>}
              </>
            )}
          </div>
        )}
        <footer className="dialog-foot">
          <Button onPress={onClose}>{t('cancel')}</Button>
          <Button look="primary" type="submit" isDisabled={busy || !told?.theirs || preview.isFetching}>
            {said('action.merge', action.label)}
          </Button>
        </footer>
      </form>
    </Dialog>
  )
}

// covers tells whether a path that the API tells of is that of a field, or of the group that it is in.
const covers = (path: string, l: Leaf) => l.path === path || l.path.startsWith(path + '.')

const fieldsOf = (res: Resource, path: string) => leaves(res).filter((l) => covers(path, l))
