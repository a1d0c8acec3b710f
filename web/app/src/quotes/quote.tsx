// What only quotes have, and deals in part: the editor of their lines with exact sums, the PDF, and the link of the customer.

import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useId, useMemo, useRef, useState } from 'react'
import { refresh } from '../api/cache'
import { call, type Fault, fetchFile, type Page, Problem } from '../api/call'
import type { Deal, Product, Quote } from '../api/records'
import { decimalOf } from '../i18n/decimal'
import { decimalSign, formatMoney, formatTime, localDecimal } from '../i18n/format'
import { t } from '../i18n/translate'
import { ConflictDialog, useEditing } from '../records/edit'
import { Input } from '../records/fields'
import { refusalOf } from '../records/refusals'
import { leaf as leafOf, type Resource } from '../schema/schema'
import { Button, Dialog, useNotice } from '../ui/components'
import { saveFile } from '../ui/save-file'
import { Unsaved } from '../ui/unsaved'
import { type Line, scaled, sums } from './sums'
import './quote.css'

// Quotes have lines, and so have deals.
type WithLines = Quote | Deal

// A row is a line while it is edited: its numbers are the texts that were typed.
type Row = Line & { key: number }

let keys = 0

function rowsOf(record: WithLines): Row[] {
  return (record.line_items ?? []).map((l) => ({
    key: ++keys,
    product_id: l.product_id ?? null,
    name: l.name ?? '',
    sku: l.sku ?? null,
    description: l.description ?? null,
    unit_price: localDecimal(l.unit_price ?? ''),
    quantity: trimmed(l.quantity ?? '1'),
    discount_percent: l.discount_percent ? localDecimal(l.discount_percent) : '',
    tax_rate: l.tax_rate ? localDecimal(l.tax_rate) : '',
  }))
}

// trimmed leaves out the places of a quantity that say nothing.
const trimmed = (n: unknown) => localDecimal(String(n).replace(/\.0+$/, ''))

// fresh is a line that nobody has typed anything in; needed is what any other must have.
const fresh: Line = {
  product_id: null,
  name: '',
  sku: null,
  description: null,
  unit_price: '',
  quantity: '1',
  discount_percent: '',
  tax_rate: '',
}

const untouched = (row: Row) => (Object.keys(fresh) as (keyof Line)[]).every((part) => row[part] === fresh[part])

const needed = ['name', 'quantity', 'unit_price'] as const

const numbers = ['quantity', 'unit_price', 'discount_percent', 'tax_rate'] as const

const read = (row: Row): Row => ({
  ...row,
  ...Object.fromEntries(numbers.map((n) => [n, (decimalOf(row[n], decimalSign()) ?? '').replace(/\.$/, '')])),
})

// percent is a percentage as the API takes it, a number, which has so few places that it is written as it was read. What is none is for the server to refuse.
const percent = (text: string) => (text === '' ? 0 : scaled(text) === null ? text : Number(text))

// given is what the server gets of a row: what somebody can have changed.
const given = ({ key: _, discount_percent, tax_rate, ...row }: Row) => ({
  ...row,
  discount_percent: percent(discount_percent),
  tax_rate: percent(tax_rate),
})

// QuoteLines edits the lines of a draft. Until they are saved nothing else may be done with it, which onUnsaved tells.
// Where they have been opened for that, onDone closes them again.
export function QuoteLines({
  res,
  record,
  onUnsaved,
  onDone,
}: {
  res: Resource
  record: WithLines
  onUnsaved: (unsaved: boolean) => void
  onDone?: () => void
}) {
  const client = useQueryClient()
  const notice = useNotice()
  const { explain } = useEditing()
  const [rows, setRows] = useState<Row[] | null>(null)
  const [version, setVersion] = useState(record.version)
  const [wrong, setWrong] = useState<Record<string, string>>({})
  const [busy, setBusy] = useState(false)
  const [picking, setPicking] = useState(0)
  // meant is the field in which one goes on, once it is there.
  const [meant, setMeant] = useState('')
  const [conflict, setConflict] = useState<Problem | null>(null)
  const form = useRef<HTMLFormElement>(null)
  const id = useId()
  const table = useRef<HTMLTableElement>(null)
  const saved = useMemo(() => rowsOf(record), [record])
  const shown = rows ?? saved
  const exact = sums(shown.map(read), record.currency)
  const inner = leafOf(res, 'line_items')!.fields!
  const product = inner.find((f) => f.name === 'product_id')!
  const leafOfLine = (name: string) => {
    const field = inner.find((f) => f.name === name)
    return field && { ...field, path: name }
  }
  const label = (name: string) => inner.find((f) => f.name === name)?.label ?? name
  useEffect(() => {
    onUnsaved(!!rows)
    return () => onUnsaved(false)
  }, [rows, onUnsaved])

  useEffect(() => {
    if (!meant) return
    table.current?.querySelector<HTMLInputElement>(meant)?.focus()
    setMeant('')
  }, [meant])

  const opened = !!onDone
  useEffect(() => {
    if (opened) form.current?.querySelector<HTMLElement>('input, textarea')?.focus()
  }, [opened])

  const edit = (next: Row[]) => {
    if (!rows) setVersion(record.version)
    setWrong({})
    setRows(next)
  }
  const change = (at: number, part: Partial<Row>) => edit(shown.map((r, i) => (i === at ? { ...r, ...part } : r)))
  const add = (row: Omit<Row, 'key'>, focus: string) => {
    edit([...shown, { ...row, key: ++keys }])
    setMeant(`tbody:last-child [data-part=${focus}]`)
  }
  const move = (from: number, to: number) => {
    const next = [...shown]
    next.splice(to, 0, ...next.splice(from, 1))
    edit(next)
  }
  const addProduct = async (id: string) => {
    setPicking((n) => n + 1)
    try {
      const found = await call<Page<Product>>('POST', '/v1/products/search', {
        filters: [{ field: 'id', operator: 'eq', value: id }],
        fields: ['id', 'name', 'sku', 'description', 'price', 'currency', 'tax_rate'],
        limit: 1,
      })
      const p = found.data[0]
      if (!p) return
      if (record.currency && p.currency && p.currency !== record.currency)
        return notice({ text: t('otherCurrency', { name: p.name, currency: p.currency, own: record.currency }), bad: true })
      add(
        {
          product_id: p.id,
          name: p.name,
          sku: p.sku,
          description: p.description,
          unit_price: localDecimal(p.price ?? ''),
          quantity: '1',
          discount_percent: '',
          tax_rate: p.tax_rate ? localDecimal(p.tax_rate) : '',
        },
        'quantity',
      )
    } catch (error) {
      explain(error)
    }
  }
  const save = async (match = version): Promise<boolean> => {
    if (!rows) return true
    const typed = rows.filter((row) => !untouched(row))
    setRows(typed)
    const missing = typed.flatMap((row, i) =>
      needed.filter((n) => !row[n].trim()).map((n) => [`[${i}].${n}`, t('fault.required', { field: label(n) })]),
    )
    if (missing.length) {
      setWrong(Object.fromEntries(missing))
      setMeant('[aria-invalid=true]')
      return false
    }
    setBusy(true)
    try {
      await call('PATCH', `${res.path}/${record.id}`, { line_items: typed.map(read).map(given) }, { match })
      await client.invalidateQueries({ queryKey: ['record', res.name, record.id] })
      void client.invalidateQueries({ queryKey: ['timeline', record.id] })
      void refresh(client, res.name)
      setRows(null)
      setBusy(false)
      notice({ text: t('saved', { field: leafOf(res, 'line_items')!.label }) })
      onDone?.()
      return true
    } catch (error) {
      if (error instanceof Problem && error.status === 412 && error.currentVersion) setConflict(error)
      else if (error instanceof Problem && error.errors.length && error.errors.every((e) => e.field.startsWith('line_items['))) {
        const refused = (e: Fault) => refusalOf(e, undefined, leafOfLine(e.field.split('.')[1]))
        setWrong(Object.fromEntries(error.errors.map((e) => [e.field.slice('line_items'.length), refused(e)])))
        setMeant('[aria-invalid=true]')
      } else explain(error)
    }
    setBusy(false)
    return false
  }
  // What a quote adds up to are fields of it; of a deal, the sum of its lines is its amount.
  const figures =
    res.name === 'quote'
      ? ([
          ['subtotal', exact.subtotal],
          ['discount_total', exact.discount],
          ['tax_total', exact.tax],
          ['total', exact.total],
        ] as const)
      : ([['amount', exact.net]] as const)
  const money = (n: string) => formatMoney(n, record.currency)
  const wrongIn = (i: number) => Object.entries(wrong).filter(([at]) => at.startsWith(`[${i}]`))
  return (
    <form
      ref={form}
      className="panel items lines"
      aria-label={t('quoteLines')}
      onSubmit={(e) => {
        e.preventDefault()
        void save()
      }}
      noValidate
    >
      <h2>{t('quoteLines')}</h2>
      <div className="scroll" tabIndex={0} role="region" aria-label={t('quoteLines')}>
        <table ref={table}>
          <thead>
            <tr>
              <th scope="col">{label('name')}</th>
              {numbers.map((n) => (
                <th key={n} scope="col" className="right">
                  {label(n)}
                </th>
              ))}
              <th scope="col" className="right">
                {label('total')}
              </th>
            </tr>
          </thead>
          {shown.map((row, i) => (
            <tbody key={row.key}>
              <tr>
                <td className="line-name">
                  <textarea
                    data-part="name"
                    className="input"
                    rows={1}
                    aria-label={t('lineField', { place: i + 1, field: label('name') })}
                    aria-required
                    aria-invalid={`[${i}].name` in wrong || undefined}
                    aria-describedby={wrongIn(i).length ? `${id}-${row.key}` : undefined}
                    maxLength={255}
                    value={row.name}
                    onChange={(e) => change(i, { name: e.target.value.replaceAll('\n', ' ') })}
                    onKeyDown={(e) => {
                      if (e.key !== 'Enter') return
                      e.preventDefault()
                      form.current?.requestSubmit()
                    }}
                  />
                </td>
                {numbers.map((n) => (
                  <td key={n} className="right" data-label={label(n)}>
                    <input
                      data-part={n}
                      className={`input right ${n}`}
                      inputMode="decimal"
                      autoComplete="off"
                      aria-label={t('lineField', { place: i + 1, field: label(n) })}
                      aria-required={n === 'quantity' || n === 'unit_price'}
                      aria-invalid={`[${i}].${n}` in wrong || undefined}
                      aria-describedby={wrongIn(i).length ? `${id}-${row.key}` : undefined}
                      value={row[n]}
                      onFocus={(e) => e.target.select()}
                      onChange={(e) => change(i, { [n]: e.target.value })}
                    />
                  </td>
                ))}
                <td className="right figure line-total" data-label={label('total')}>
                  {exact.lines[i] === null ? '–' : money(exact.lines[i]!)}
                </td>
              </tr>
              {wrongIn(i).length > 0 && (
                <tr className="line-more">
                  <td colSpan={numbers.length + 2}>
                    <div id={`${id}-${row.key}`} role="alert">
                      {wrongIn(i).map(([at, message]) => (
                        <p key={at} className="error">
                          {message}
                        </p>
                      ))}
                    </div>
                  </td>
                </tr>
              )}
              <tr className="line-more">
                <td colSpan={numbers.length}>
                  <div>
                    {row.sku && (
                      <span className="soft">
                        <bdi>{row.sku}</bdi>
                      </span>
                    )}
                    <textarea
                      rows={1}
                      className="input"
                      aria-label={t('lineField', { place: i + 1, field: label('description') })}
                      placeholder={label('description')}
                      value={row.description ?? ''}
                      onChange={(e) => change(i, { description: e.target.value || null })}
                    />
                  </div>
                </td>
                <td className="line-tools" colSpan={2}>
                  <div>
                    <Button
                      look="quiet"
                      icon="up"
                      label={t('moveUp', { label: row.name || t('line', { place: i + 1 }) })}
                      isDisabled={i === 0}
                      onPress={() => move(i, i - 1)}
                    />
                    <Button
                      look="quiet"
                      icon="down"
                      label={t('moveDown', { label: row.name || t('line', { place: i + 1 }) })}
                      isDisabled={i === shown.length - 1}
                      onPress={() => move(i, i + 1)}
                    />
                    <Button
                      look="quiet"
                      icon="close"
                      label={t('removeTag', { tag: row.name || t('line', { place: i + 1 }) })}
                      onPress={() => edit(shown.filter((r) => r !== row))}
                    />
                  </div>
                </td>
              </tr>
            </tbody>
          ))}
        </table>
      </div>
      {shown.length === 0 && <p className="soft pad">{t(res.name === 'quote' ? 'noLines' : 'noDealLines')}</p>}
      <div className="lines-foot">
        <div className="lines-add">
          <span className="field-label" aria-hidden="true">
            {t('addProduct')}
          </span>
          <Input
            key={picking}
            leaf={{ ...product, path: 'product_id', nullable: true }}
            value={null}
            label={t('addProduct')}
            onChange={(id) => id && void addProduct(id as string)}
          />
          <Button icon="plus" onPress={() => add(fresh, 'name')}>
            {t('addLine')}
          </Button>
        </div>
        <dl className="sums" aria-live="polite">
          {figures.map(([name, sum], i) => (
            <div key={name} className={i === figures.length - 1 ? 'strong' : undefined}>
              <dt>{leafOf(res, name)!.label}</dt>
              <dd className="figure">{money(sum)}</dd>
            </div>
          ))}
        </dl>
      </div>
      {rows && (
        <footer className="dialog-foot">
          <span className="soft grow" role="status">
            {t('unsaved')}
          </span>
          <Button
            onPress={() => {
              setRows(null)
              setWrong({})
              onDone?.()
            }}
          >
            {t('discard')}
          </Button>
          <Button look="primary" type="submit" isDisabled={busy}>
            {t('saveLines')}
          </Button>
        </footer>
      )}
      {!rows && onDone && (
        <footer className="dialog-foot">
          <Button onPress={onDone}>{t('close')}</Button>
        </footer>
      )}
      {conflict && rows && (
        <ConflictDialog
          res={res}
          record={record}
          leaf={leafOf(res, 'line_items')!}
          value={rows}
          problem={conflict}
          onTheirs={() => {
            setConflict(null)
            setRows(null)
            void client.invalidateQueries({ queryKey: ['record', res.name, record.id] })
          }}
          onMine={() => {
            setConflict(null)
            setVersion(conflict.currentVersion!)
            void save(conflict.currentVersion)
          }}
        />
      )}
      {rows && <Unsaved onSave={save} />}
    </form>
  )
}

// QuoteTools are what stands beside the actions of a quote.
export function QuoteTools({
  res,
  record,
  canWrite,
}: {
  res: Resource
  record: Quote & { deleted_at?: string | null }
  canWrite: boolean
}) {
  const { explain } = useEditing()
  const [linking, setLinking] = useState(false)
  const [busy, setBusy] = useState(false)
  if (record.deleted_at) return null
  const download = async () => {
    setBusy(true)
    try {
      saveFile(await fetchFile(`${res.path}/${record.id}/pdf`), `quote-${record.number}.pdf`)
    } catch (error) {
      explain(error)
    }
    setBusy(false)
  }
  return (
    <>
      <Button isDisabled={busy} onPress={() => void download()}>
        PDF
      </Button>
      {canWrite && (record.status === 'sent' || record.shared_at) && (
        <Button icon="link" onPress={() => setLinking(true)}>
          {t('customerLink')}
        </Button>
      )}
      {linking && <LinkDialog res={res} record={record} onClose={() => setLinking(false)} />}
    </>
  )
}

export function LinkDialog({ res, record, onClose }: { res: Resource; record: Quote; onClose: () => void }) {
  const client = useQueryClient()
  const notice = useNotice()
  const { explain } = useEditing()
  const [link, setLink] = useState('')
  const [copied, setCopied] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  const run = async (action: string) => {
    try {
      const answer = await call<{ link?: string }>('POST', `${res.path}/${record.id}/${action}`, {}, { match: record.version })
      if (answer.link) setLink(location.origin + answer.link)
      else {
        onClose()
        notice({ text: t('linkEnded') })
      }
    } catch (error) {
      explain(error)
    }
    void client.invalidateQueries({ queryKey: ['record', res.name, record.id] })
    void client.invalidateQueries({ queryKey: ['timeline', record.id] })
  }
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(link)
      setCopied(true)
    } catch {
      field.current?.select() // some browsers leave it to people
    }
  }
  return (
    <Dialog title={t('customerLink')} onClose={onClose}>
      <div className="stack">
        {link ? (
          <>
            <p>{t('linkOnce')}</p>
            <input
              ref={field}
              className="input"
              readOnly
              aria-label={t('customerLink')}
              value={link}
              onFocus={(e) => e.target.select()}
              autoFocus
            />
            <footer className="dialog-foot">
              <span className="soft grow" role="status">
                {copied ? t('copied') : ''}
              </span>
              <Button look="primary" onPress={() => void copy()}>
                {t('copy')}
              </Button>
            </footer>
          </>
        ) : (
          <>
            <p>{t('linkAbout')}</p>
            {record.shared_at && <p>{t('linkSince', { time: formatTime(record.shared_at) })}</p>}
            <footer className="dialog-foot">
              {record.shared_at && <Button onPress={() => void run('unshare')}>{t('endLink')}</Button>}
              {record.status === 'sent' && (
                <Button look="primary" onPress={() => void run('share')}>
                  {record.shared_at ? t('anotherLink') : t('makeLink')}
                </Button>
              )}
            </footer>
          </>
        )}
      </div>
    </Dialog>
  )
}
