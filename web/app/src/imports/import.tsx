// Bringing a file in: what its rows are, the file, which column is which field, what would become of it, and then the records themselves.

import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { refresh } from '../api/cache'
import { call, fetchApi, Problem } from '../api/call'
import { useApp, useResource } from '../api/context'
import { ago, formatNumber } from '../i18n/format'
import { said, t, translateSentence } from '../i18n/translate'
import { useEditing } from '../records/edit'
import { type Job, type Refused, reason, reasons, useFollow } from '../records/jobs'
import { labelOf, leaves, plural, pluralLabel, type Resource } from '../schema/schema'
import { nameFrom } from '../settings/names'
import { Button, Empty, Icon, Skeleton, useNotice } from '../ui/components'
import { go, Link, root, useAddress } from '../ui/route'

type Run = {
  job_id: string
  status: Job['status']
  total: number
  done: number
  created: number
  changed: number
  unchanged: number
  refused: number
  error: { detail?: string } | null
}
type Column = { name: string; field: string | null; about: string | null; samples: string[] }
export type Import = {
  id: string
  resource: string
  status: string
  file: { format: string; encoding: string | null; delimiter: string | null; bytes: number; rows: number } | null
  columns: Column[]
  undecided: { field: string; code: string; message: string }[]
  mapping: Record<string, string>
  new_fields: Record<string, { kind: string; label?: string }>
  unknown_options: string
  match: string | null
  policy: string | null
  empty: string
  decimals: string | null
  dates: string | null
  preview: Run | null
  run: Run | null
  undo: { status: string; undone: number; left: number } | null
  created_at: string
}

// whole is what the archive of a business brings: records of all kinds.
const whole = 'business'
// fieldKinds are what a column can be made a new field of.
const fieldKinds = [
  'text',
  'long_text',
  'number',
  'decimal',
  'money',
  'boolean',
  'date',
  'datetime',
  'select',
  'multi_select',
  'url',
  'email',
  'phone',
]
const busyStates = ['previewing', 'running', 'undoing']

export default function ImportScreen({ id }: { id?: string }) {
  useEffect(() => {
    document.title = `${t('importTitle')} · kith`
  }, [])
  return (
    <section className="screen importing" aria-labelledby="screen-title">
      <div className="import-body">
        <h1 id="screen-title">{t('importTitle')}</h1>
        {id ? <One key={id} id={id} /> : <Begin />}
      </div>
    </section>
  )
}

function Begin() {
  const { schema } = useApp()
  const able = schema.resources.filter((r) => r.operations.includes('import') && r.permissions.write !== 'none')
  const settings = useResource('pipeline')
  const asked = useAddress().searchParams.get('of')
  const [kind, setKind] = useState((able.find((r) => r.name === asked) ?? able[0])?.name ?? '')
  const [busy, setBusy] = useState(false)
  const [over, setOver] = useState(false)
  const picker = useRef<HTMLInputElement>(null)
  const { explain } = useEditing()
  const notice = useNotice()
  const send = async (file: File | undefined) => {
    if (!file || busy) return
    setBusy(true)
    const card = notice({ text: t('sendingFile', { name: file.name }), progress: { done: 0, total: 0 } })
    try {
      const made = await call<Import>('POST', '/v1/imports', { resource: kind })
      await sendFile(made.id, file)
      go(`${root}/import/${made.id}`)
    } catch (error) {
      explain(error)
    }
    card.close()
    setBusy(false)
  }
  if (able.length === 0)
    return (
      <Empty icon="search" title={t('noScreen')}>
        <p>{t('noScreenMore')}</p>
      </Empty>
    )
  return (
    <>
      <p className="soft">{t('importMore')}</p>
      <section className="panel">
        <label className="field short">
          <span className="field-label">{t('whatRowsAre')}</span>
          <select className="input" value={kind} onChange={(e) => setKind(e.target.value)}>
            {able.map((r) => (
              <option key={r.name} value={r.name}>
                {pluralLabel(r)}
              </option>
            ))}
            {settings && settings.permissions.write !== 'none' && <option value={whole}>{t('wholeBusiness')}</option>}
          </select>
        </label>
        <div
          className={`drop${over ? ' over' : ''}`}
          onDragOver={(e) => {
            e.preventDefault()
            setOver(true)
          }}
          onDragLeave={() => setOver(false)}
          onDrop={(e) => {
            e.preventDefault()
            setOver(false)
            void send(e.dataTransfer.files[0])
          }}
        >
          <span className="empty-sign">
            <Icon name="import" size={28} />
          </span>
          <p className="strong">{t('dropFile')}</p>
          <p className="soft">{t('dropFileMore')}</p>
          <input
            ref={picker}
            type="file"
            className="unseen"
            tabIndex={-1}
            aria-label={t('chooseFile')}
            accept=".zip,.csv,.tsv,.txt,.jsonl,.ndjson,.xlsx,.vcf,text/csv"
            onChange={(e) => {
              void send(e.target.files?.[0])
              e.target.value = ''
            }}
          />
          <Button look="primary" isDisabled={busy} onPress={() => picker.current?.click()}>
            {t('chooseFile')}
          </Button>
        </div>
      </section>
      <Earlier />
    </>
  )
}

async function sendFile(id: string, file: File): Promise<void> {
  let response: Response
  try {
    response = await fetch(`/v1/imports/${id}/file`, {
      method: 'PUT',
      headers: { Version: 'v1', 'Content-Type': 'application/octet-stream' },
      body: file,
      credentials: 'same-origin',
    })
  } catch {
    throw new Problem(0, {})
  }
  if (!response.ok) throw new Problem(response.status, await response.json().catch(() => ({})))
}

function Earlier() {
  const { schema } = useApp()
  const list = useInfiniteQuery({
    queryKey: ['imports'],
    initialPageParam: '',
    queryFn: ({ pageParam }) =>
      call<{ data: Import[]; meta: { cursor: { next: string | null } } }>('POST', '/v1/imports/search', {
        limit: 10,
        ...(pageParam ? { cursor: pageParam } : {}),
      }),
    getNextPageParam: (page) => page.meta.cursor.next ?? undefined,
  })
  const all = list.data?.pages.flatMap((p) => p.data) ?? []
  if (all.length === 0) return null
  return (
    <section aria-labelledby="earlier-imports" className="stack">
      <h2 id="earlier-imports">{t('earlierImports')}</h2>
      <ul className="rows">
        {all.map((x) => (
          <li key={x.id}>
            <Link to={`${root}/import/${x.id}`}>
              {nameOf(schema.resources.find((r) => r.name === x.resource))}
              {x.file ? ` · ${t('rowCount', { count: x.file.rows })}` : ''}
            </Link>
            <span className="row-more">
              <StatusBadge status={x.status} />
              <span>{ago(x.created_at)}</span>
            </span>
          </li>
        ))}
      </ul>
      {list.hasNextPage && (
        <Button look="quiet" onPress={() => void list.fetchNextPage()}>
          {t('showMore')}
        </Button>
      )}
    </section>
  )
}

const nameOf = (res?: Resource) => (res ? pluralLabel(res) : t('wholeBusiness'))

const StatusBadge = ({ status }: { status: string }) => (
  <span
    className={`badge ${status === 'succeeded' ? 'good' : status === 'failed' ? 'bad' : busyStates.includes(status) ? 'careful' : 'mute'}`}
  >
    {said(`import.${status}`, status)}
  </span>
)

function One({ id }: { id: string }) {
  const { schema } = useApp()
  const client = useQueryClient()
  const key = ['import', id]
  const { data, error } = useQuery({
    queryKey: key,
    queryFn: () => call<Import>('GET', `/v1/imports/${id}`),
    refetchInterval: (q) => (q.state.data && busyStates.includes(q.state.data.status) ? 700 : false),
  })
  const was = useRef(data?.status)
  useEffect(() => {
    // What it made or took back is in lists and figures.
    if (was.current && was.current !== data?.status && busyStates.includes(was.current)) {
      void refresh(client)
      void client.invalidateQueries({ queryKey: ['schema'] })
    }
    was.current = data?.status
  }, [client, data?.status])
  if (error)
    return (
      <Empty icon="search" title={t('noScreen')}>
        <p>{error instanceof Problem && error.status === 404 ? t('importGone') : error.message}</p>
        <Button onPress={() => go(`${root}/import`)}>{t('newImport')}</Button>
      </Empty>
    )
  if (!data) return <Skeleton />
  const res = schema.resources.find((r) => r.name === data.resource)
  return (
    <Wizard
      res={res}
      data={data}
      onChanged={(next) => (next ? client.setQueryData(key, next) : void client.invalidateQueries({ queryKey: key }))}
    />
  )
}

function Wizard({ res, data, onChanged }: { res?: Resource; data: Import; onChanged: (next?: Import) => void }) {
  const { explain } = useEditing()
  const follow = useFollow()
  const act = async (work: () => Promise<unknown>) => {
    try {
      await work()
    } catch (error) {
      explain(error)
    }
    onChanged()
  }
  const decide = async (body: Record<string, unknown>) => {
    try {
      const next = await call<Import>('PATCH', `/v1/imports/${data.id}`, body)
      // What was decided is answered without what is in the cells.
      onChanged({
        ...next,
        columns: next.columns.map((c) => ({ ...c, samples: data.columns.find((had) => had.name === c.name)?.samples ?? c.samples })),
      })
    } catch (error) {
      explain(error)
      onChanged()
    }
  }
  const undo = () =>
    act(async () => {
      const answer = await call<Job | undefined>('POST', `/v1/imports/${data.id}/undo`)
      if (answer && 'kind' in answer) void follow(answer, t('takingBack'), (count) => t('tookBack', { count }), false)
    })
  const open = data.status === 'new' || data.status === 'ready' || data.status === 'undone'
  const under = busyStates.includes(data.status)
  return (
    <>
      <p className="row">
        <Link to={`${root}/import`} className="back">
          <Icon name="left" size={14} />
          {t('allImports')}
        </Link>
        <span className="grow" />
        <StatusBadge status={data.status} />
      </p>
      {data.file && (
        <p className="soft">
          {nameOf(res)} · {t('rowCount', { count: data.file.rows })} · {data.file.format.toUpperCase()}
          {data.file.encoding && data.file.encoding !== 'utf-8' ? ` · ${data.file.encoding}` : ''}
        </p>
      )}
      {!data.file && <p className="note-bad">{t('noFile')}</p>}
      {open && data.file && res && <Mapping res={res} data={data} onDecide={decide} />}
      {data.preview && (open || data.status === 'previewing') && (
        <Figures title={t('previewOf')} run={data.preview} under={data.status === 'previewing'} would={open ? data : undefined} />
      )}
      {data.run && <Figures title={t('runOf')} run={data.run} under={data.status === 'running'} />}
      {data.undo && <p className="panel">{t('undoneOf', { undone: data.undo.undone, left: data.undo.left })}</p>}
      <footer className="row import-foot">
        {under && <Button onPress={() => void act(() => call('POST', `/v1/imports/${data.id}/cancel`))}>{t('cancel')}</Button>}
        {open && data.file && (
          <Button isDisabled={data.undecided.length > 0} onPress={() => void act(() => call('POST', `/v1/imports/${data.id}/preview`))}>
            {t('tryIt')}
          </Button>
        )}
        {open && data.file && (
          <Button
            look="primary"
            isDisabled={data.undecided.length > 0}
            onPress={() => void act(() => call('POST', `/v1/imports/${data.id}/run`))}
          >
            {t('runIt', { count: data.file.rows })}
          </Button>
        )}
        {!open && !under && data.run && data.run.refused > 0 && (
          <Button icon="export" onPress={() => void act(() => saveErrors(data))}>
            {t('refusedFile')}
          </Button>
        )}
        {!open && !under && data.run && data.run.created + data.run.changed > 0 && <Button onPress={() => void undo()}>{t('undo')}</Button>}
        {!open && !under && (
          <Button look="primary" onPress={() => go(`${root}/${res ? plural(res) : 'contacts'}`)}>
            {t('seeRecords', { label: nameOf(res) })}
          </Button>
        )}
      </footer>
    </>
  )
}

async function saveErrors(data: Import): Promise<void> {
  const response = await fetchApi('GET', `/v1/imports/${data.id}/errors`)
  const link = document.createElement('a')
  link.href = URL.createObjectURL(await response.blob())
  link.download =
    /filename="([^"]+)"/.exec(response.headers.get('Content-Disposition') ?? '')?.[1] ??
    `errors.${data.file?.format === 'jsonl' ? 'jsonl' : 'csv'}`
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}

// targets are the fields that a column can be: those of the records, and what finds the records that they lead to.
export function targets(res: Resource, resources: Resource[]): { path: string; label: string }[] {
  return leaves(res)
    .filter((l) => (!l.read_only || l.path === 'id') && !['group', 'any', 'list'].includes(l.kind))
    .flatMap((l) => {
      if (l.kind !== 'reference' || !l.followed_as || l.path === 'id') return [{ path: l.path, label: labelOf(l) }]
      const target = resources.find((r) => r.name === l.target)
      const by = [
        ...new Set([
          target?.named_by[0] ?? 'name',
          ...['email', 'domain', 'sku', 'external_id'].filter((p) => target && leaves(target).some((x) => x.path === p)),
        ]),
      ]
      return [
        ...by.map((p) => ({
          path: `${l.followed_as}.${p}`,
          label: `${labelOf(l)}: ${(target && leaves(target).find((x) => x.path === p)?.label) ?? p}`,
        })),
        { path: l.path, label: `${labelOf(l)}: id` },
      ]
    })
}

function Mapping({ res, data, onDecide }: { res: Resource; data: Import; onDecide: (body: Record<string, unknown>) => void }) {
  const { schema } = useApp()
  const fields = useResource('field')
  const all = targets(res, schema.resources)
  const canMake = !!fields && fields.permissions.write !== 'none'
  // The field of a column that is made on the way, by its name.
  const newOf = (column: string) =>
    Object.keys(data.new_fields).find(
      (name) => data.mapping[column] === `custom_fields.${name}` && !leaves(res).some((l) => l.path === `custom_fields.${name}`),
    )
  const make = (column: string) => {
    const name = nameFrom(column, [...leaves(res).map((l) => l.name), ...Object.keys(data.new_fields)])
    onDecide({ mapping: { [column]: `custom_fields.${name}` }, new_fields: { [name]: { kind: 'text', label: column } } })
  }
  const choosePath = (column: string, path: string) => {
    const made = newOf(column)
    onDecide({ mapping: { [column]: path || null }, ...(made ? { new_fields: { [made]: null } } : {}) })
  }
  const labelAt = (path: string) => {
    const known = leaves(res).find((l) => l.path === path)
    return known ? labelOf(known) : path
  }
  const wrongOf = (column: string) => {
    const wrong = data.undecided.find((u) => u.field === `mapping.${column}`)
    return wrong?.code === 'required' ? t('decideColumn') : wrong && translateSentence(wrong.message)
  }
  const other = data.undecided.filter((u) => !u.field.startsWith('mapping.') || !data.columns.some((c) => u.field === `mapping.${c.name}`))
  const choose = (label: string, value: string | null, options: [string, string][], onChange: (value: string | null) => void) => (
    <label className="field">
      <span className="field-label">{label}</span>
      <select className="input" value={value ?? ''} onChange={(e) => onChange(e.target.value || null)}>
        {options.map(([v, text]) => (
          <option key={v} value={v}>
            {text}
          </option>
        ))}
      </select>
    </label>
  )
  const matchable = (res.match_by ?? []).map((p): [string, string] => [p, leaves(res).find((l) => l.path === p)?.label ?? p])
  return (
    <>
      <section className="panel" aria-labelledby="import-columns">
        <h2 id="import-columns">{t('whichColumns')}</h2>
        <div className="scroll" tabIndex={0} role="region" aria-label={t('whichColumns') + ': ' + t('table')}>
          <table className="plain-table">
            <thead>
              <tr>
                <th scope="col">{t('column')}</th>
                <th scope="col">{t('examples')}</th>
                <th scope="col">{t('field')}</th>
              </tr>
            </thead>
            <tbody>
              {data.columns.map((c) => {
                const chosen = data.mapping[c.name] ?? (c.field || (c.about && !wrongOf(c.name) ? '-' : ''))
                return (
                  <tr key={c.name} className={wrongOf(c.name) ? 'wrong' : ''}>
                    <th scope="row">
                      <bdi>{c.name}</bdi>
                    </th>
                    <td className="soft samples">
                      {c.samples.map((s, i) => (
                        <bdi key={i}>{s}</bdi>
                      ))}
                    </td>
                    <td>
                      <select
                        className="input"
                        aria-label={t('fieldOf', { column: c.name })}
                        value={chosen}
                        aria-invalid={wrongOf(c.name) ? true : undefined}
                        onChange={(e) => (e.target.value === 'new!' ? make(c.name) : choosePath(c.name, e.target.value))}
                      >
                        {chosen === '' && <option value="">{t('decide')}</option>}
                        <option value="-">{t('notRead')}</option>
                        {canMake && <option value="new!">{t('makeField')}</option>}
                        {chosen && chosen !== '-' && !all.some((x) => x.path === chosen) && (
                          <option value={chosen}>{newOf(c.name) ? t('asNewField', { name: c.name }) : labelAt(chosen)}</option>
                        )}
                        {all.map((x) => (
                          <option key={x.path} value={x.path}>
                            {x.label}
                          </option>
                        ))}
                      </select>
                      {newOf(c.name) && (
                        <select
                          className="input"
                          aria-label={t('kindOfNew', { column: c.name })}
                          value={data.new_fields[newOf(c.name)!].kind}
                          onChange={(e) => onDecide({ new_fields: { [newOf(c.name)!]: { kind: e.target.value, label: c.name } } })}
                        >
                          {fieldKinds.map((k) => (
                            <option key={k} value={k}>
                              {said(`fieldkind.${k}`, k)}
                            </option>
                          ))}
                        </select>
                      )}
                      {wrongOf(c.name) && <p className="error">{wrongOf(c.name)}</p>}
                      {!c.field && c.about && !data.mapping[c.name] && <p className="soft">{translateSentence(c.about)}</p>}
                    </td>
                  </tr>
                )
              })}
            </tbody>
          </table>
        </div>
        {data.columns.some((c) => wrongOf(c.name)) && (
          <p>
            <Button look="quiet" onPress={() => onDecide({ mapping: { '*': '-' } })}>
              {t('leaveOthers')}
            </Button>
          </p>
        )}
      </section>
      <section className="panel" aria-labelledby="import-how">
        <h2 id="import-how">{t('howToRead')}</h2>
        <div className="form-grid">
          {choose(t('matchBy'), data.match, [['', t('matchNone')], ...matchable], (match) => onDecide({ match }))}
          {choose(
            t('policy'),
            data.policy,
            [
              ['', t('policy.any')],
              ['create', t('policy.create')],
              ['update', t('policy.update')],
              ['upsert', t('policy.upsert')],
            ],
            (policy) => onDecide({ policy }),
          )}
          {choose(
            t('emptyCells'),
            data.empty,
            [
              ['keep', t('empty.keep')],
              ['clear', t('empty.clear')],
            ],
            (empty) => onDecide({ empty }),
          )}
          {canMake &&
            choose(
              t('unknownOptions'),
              data.unknown_options,
              [
                ['refuse', t('options.refuse')],
                ['make', t('options.make')],
              ],
              (unknown_options) => onDecide({ unknown_options }),
            )}
          {choose(
            t('decimals'),
            data.decimals,
            [
              ['point', '1,234.56'],
              ['comma', '1.234,56'],
            ],
            (decimals) => onDecide({ decimals }),
          )}
          {choose(
            t('dates'),
            data.dates,
            [
              ['', t('dates.none')],
              ['dmy', t('dates.dmy')],
              ['mdy', t('dates.mdy')],
            ],
            (dates) => onDecide({ dates }),
          )}
        </div>
        {other.map((u, i) => (
          <p key={i} className="error">
            {u.field} {translateSentence(u.message)}
          </p>
        ))}
      </section>
    </>
  )
}

type RefusedRow = Refused & { n: number }

function Figures({ title, run, under, would }: { title: string; run: Run; under: boolean; would?: Import }) {
  const refused = useQuery({
    queryKey: ['refused', run.job_id, run.status],
    enabled: !under && run.refused > 0,
    queryFn: () => call<{ data: RefusedRow[] }>('POST', `/v1/jobs/${run.job_id}/refused/search`, { limit: 20 }),
  })
  const numbers = refused.data?.data.map((r) => r.n) ?? []
  const rows = useQuery({
    queryKey: ['import-rows', would?.id, run.job_id, numbers.join()],
    enabled: !!would && would.columns.length > 0 && numbers.length > 0,
    staleTime: 0,
    queryFn: () => call<{ data: { n: number; cells: string[] }[] }>('GET', `/v1/imports/${would!.id}/rows?n=${numbers.join()}`),
  })
  const parts: [string, number][] = [
    [t('countCreated'), run.created],
    [t('countChanged'), run.changed],
    [t('countUnchanged'), run.unchanged],
    [t('countRefused'), run.refused],
  ]
  return (
    <section className="panel" aria-label={title}>
      <h2>{title}</h2>
      {under && <progress aria-label={title} max={run.total || undefined} value={run.total ? run.done : undefined} />}
      <dl className="tally">
        {parts.map(([name, n]) => (
          <div key={name} className={n && name === t('countRefused') ? 'bad' : ''}>
            <dt>{name}</dt>
            <dd className="figure">{formatNumber(n)}</dd>
          </div>
        ))}
      </dl>
      {run.error && <p className="error">{translateSentence(run.error.detail ?? '')}</p>}
      {refused.data && refused.data.data.length > 0 && (
        <details open={refused.data.data.length <= 5}>
          <summary>
            {would ? t('whyRefusedWould') : t('whyRefused')}: {reasons(refused.data.data)}
          </summary>
          <ul className="diff">
            {refused.data.data.map((r) => (
              <li key={r.n}>
                <span className="strong">{t('rowNumber', { n: r.n })}</span> {reason(r)}
                {would && <Cells of={would} refused={r} cells={rows.data?.data.find((x) => x.n === r.n)?.cells} />}
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  )
}

// Cells are the wrong ones of a row, to be corrected where they are told. What is written there is kept with the file, and counts from the next try on.
function Cells({ of, refused, cells }: { of: Import; refused: RefusedRow; cells?: string[] }) {
  const { explain } = useEditing()
  const [kept, setKept] = useState<Record<string, string>>({})
  if (!cells) return null
  const wrong = [...new Set<string>((refused.error.errors ?? []).map((e: { field: string }) => e.field))].flatMap((name) => {
    const at = of.columns.findIndex((c) => c.name === name)
    return at < 0 ? [] : [{ name, value: cells[at] ?? '' }]
  })
  const correct = async (column: string, value: string) => {
    try {
      await call<Import>('PATCH', `/v1/imports/${of.id}`, { corrections: [{ row: refused.n, column, value: value || null }] })
      setKept((was) => ({ ...was, [column]: value }))
    } catch (error) {
      explain(error)
    }
  }
  return wrong.map(({ name, value }) => (
    <label key={name} className="field short">
      <span className="field-label">
        {name}
        {name in kept && <span className="badge good">{t('corrected')}</span>}
      </span>
      <input
        className="input"
        aria-label={t('cellOf', { column: name, n: refused.n })}
        defaultValue={value}
        onBlur={(e) => e.target.value !== (kept[name] ?? value) && void correct(name, e.target.value)}
        onKeyDown={(e) => e.key === 'Enter' && e.currentTarget.blur()}
      />
    </label>
  ))
}
