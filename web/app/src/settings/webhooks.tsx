// Webhooks: who is told of changes, what was sent and how it was answered, and sending it again.

import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { readAll } from '../api/cache'
import { call } from '../api/call'
import { useApp, useResource } from '../api/context'
import type { NewWebhook, Webhook } from '../api/records'
import { ago, formatTime } from '../i18n/format'
import { said, t } from '../i18n/translate'
import { DraftBack } from '../records/draft-back'
import { useDraft } from '../records/drafts'
import { useEditing } from '../records/edit'
import { Input } from '../records/fields'
import { type Leaf, leaves, mainResources, pluralLabel, type Resource } from '../schema/schema'
import { Button, Chip, Dialog, Empty, useNotice } from '../ui/components'
import { useRefused } from './refused'

type Delivery = {
  id: string
  event: string
  seq: number | null
  replayed: boolean
  status: string
  attempts: number
  created_at: string
  next_attempt_at: string | null
  tries: { at: string; status: number | null; error: string | null; milliseconds: number }[]
  request: unknown
  response: { status: number | null; body: string | null; error: string | null; milliseconds: number } | null
}

const eventsLeaf: Leaf = {
  name: 'events',
  path: 'events',
  kind: 'tags',
  label: '',
  operators: [],
  sortable: false,
  required: false,
  read_only: false,
  custom: false,
  nullable: true,
}

export default function Webhooks() {
  const { schema } = useApp()
  const res = useResource('webhook')!
  const [editing, setEditing] = useState<Webhook | 'new' | null>(null)
  const [secret, setSecret] = useState<string | null>(null)
  const [open, setOpen] = useState<string | null>(null)
  const client = useQueryClient()
  const notice = useNotice()
  const { explain } = useEditing()
  const { data, isPending } = useQuery({
    queryKey: ['figures', 'webhook', 'settings'],
    queryFn: () => readAll<Webhook>(res.path, { order_by: 'name', sort_direction: 'asc' }),
  })
  // What stands for many events is called as where it was chosen; a single one is what programs call it.
  const nameOfEvents = (event: string) => {
    const about = schema.resources.find((r) => event === `${r.name}.*`)
    return event === '*' ? t('everything') : about ? pluralLabel(about) : event
  }
  const able = res.permissions.write !== 'none'
  const reread = () => client.invalidateQueries({ queryKey: ['figures', 'webhook'] })
  const act = async (work: () => Promise<unknown>, text: string) => {
    try {
      await work()
      notice({ text })
    } catch (error) {
      explain(error)
    }
    await reread()
    void client.invalidateQueries({ queryKey: ['deliveries'] })
  }
  return (
    <>
      <p className="soft">{t('webhooksMore')}</p>
      {able && (
        <p className="row">
          <Button look="primary" icon="plus" onPress={() => setEditing('new')}>
            {t('newWebhook')}
          </Button>
        </p>
      )}
      {isPending ? (
        <span className="bone" />
      ) : data?.length === 0 ? (
        <Empty icon="link" title={t('noWebhooks')}>
          <p>{t('noWebhooksMore')}</p>
        </Empty>
      ) : null}
      {data?.map((w) => (
        <section key={w.id} className="panel" aria-label={w.name}>
          <div className="row">
            <span className="what">
              <span>
                <bdi className="strong">{w.name}</bdi>{' '}
                <Chip color={w.status === 'active' ? 'green' : 'red'}>{said(`webhook.${w.status}`, w.status)}</Chip>
              </span>
              <bdi className="soft">{w.url}</bdi>
              <span className="soft">{w.events.map(nameOfEvents).join(', ')}</span>
              {w.disabled_reason && <span className="error">{w.disabled_reason}</span>}
            </span>
            {able && (
              <>
                <Button onPress={() => void act(() => call('POST', `${res.path}/${w.id}/test`), t('testSent'))}>{t('sendTest')}</Button>
                {w.status === 'disabled' && (
                  <Button
                    onPress={() =>
                      void act(
                        () => call('PATCH', `${res.path}/${w.id}`, { status: 'active' }, { match: w.version }),
                        t('webhookSaved', { name: w.name }),
                      )
                    }
                  >
                    {t('enable')}
                  </Button>
                )}
                <Button look="quiet" icon="edit" label={t('editField', { field: w.name })} onPress={() => setEditing(w)} />
              </>
            )}
          </div>
          <p>
            <Button
              look="quiet"
              icon={open === w.id ? 'up' : 'down'}
              aria-expanded={open === w.id}
              onPress={() => setOpen(open === w.id ? null : w.id)}
            >
              {t('deliveries')}
            </Button>
          </p>
          {open === w.id && (
            <Deliveries
              webhook={w}
              canReplay={able}
              onReplay={(from, to) =>
                void act(() => call('POST', `${res.path}/${w.id}/replay`, { from_seq: from, to_seq: to }), t('replayBegun'))
              }
            />
          )}
        </section>
      ))}
      {editing && (
        <WebhookDialog
          res={res}
          webhook={editing === 'new' ? null : editing}
          onClose={() => setEditing(null)}
          onSaved={(saved) => {
            setEditing(null)
            if (saved.secret) setSecret(saved.secret)
            else notice({ text: t('webhookSaved', { name: saved.name }) })
            void reread()
          }}
          onRotate={(w) => {
            setEditing(null)
            void call<NewWebhook>('POST', `${res.path}/${w.id}/rotate_secret`).then((r) => setSecret(r.secret ?? null), explain)
          }}
          onDelete={(w) => {
            setEditing(null)
            void act(() => call('DELETE', `${res.path}/${w.id}`), t('webhookDeleted', { name: w.name }))
          }}
        />
      )}
      {secret && (
        <Dialog title={t('signingSecret')} onClose={() => setSecret(null)}>
          <p>{t('signingSecretMore')}</p>
          <code className="address">{secret}</code>
          <footer className="dialog-foot">
            <Button onPress={() => void navigator.clipboard.writeText(secret).then(() => notice({ text: t('copied') }))}>
              {t('copy')}
            </Button>
            <Button look="primary" autoFocus onPress={() => setSecret(null)}>
              {t('close')}
            </Button>
          </footer>
        </Dialog>
      )}
    </>
  )
}

function WebhookDialog({
  res,
  webhook,
  onClose,
  onSaved,
  onRotate,
  onDelete,
}: {
  res: Resource
  webhook: Webhook | null
  onClose: () => void
  onSaved: (saved: NewWebhook) => void
  onRotate: (w: Webhook) => void
  onDelete: (w: Webhook) => void
}) {
  const { schema } = useApp()
  const [{ name, url, all, events }, change, forget, restored] = useDraft(
    webhook ? `webhook.${webhook.id}.${webhook.version}` : 'webhook',
    {
      name: webhook?.name ?? '',
      url: webhook?.url ?? '',
      all: !webhook || webhook.events.includes('*'),
      events: (webhook?.events ?? []).filter((e) => e !== '*'),
    },
  )
  const set = (part: Partial<{ name: string; url: string; all: boolean }>) => change((now) => ({ ...now, ...part }))
  const setEvents = (next: (events: string[]) => string[]) => change((now) => ({ ...now, events: next(now.events) }))
  const wrong = useRefused(
    leaves(res).filter((l) => ['url', 'name', 'events'].includes(l.path)),
    {
      url: t('webhookUrl'),
      name: t('name'),
      events: t('toldOf'),
    },
  )
  const [busy, setBusy] = useState(false)
  const save = async () => {
    setBusy(true)
    wrong.clear()
    const body = { ...(name.trim() ? { name: name.trim() } : {}), url: url.trim(), events: all ? ['*'] : events }
    try {
      const saved = webhook
        ? await call<NewWebhook>('PATCH', `${res.path}/${webhook.id}`, body, { match: webhook.version })
        : await call<NewWebhook>('POST', res.path, body)
      forget()
      onSaved(saved)
    } catch (error) {
      wrong.fail(error)
      setBusy(false)
    }
  }
  const whole = mainResources(schema).filter((r) => r.name !== 'association')
  return (
    <Dialog title={webhook ? t('editField', { field: webhook.name }) : t('newWebhook')} onClose={onClose} wide>
      <form
        className="stack"
        onSubmit={(e) => {
          e.preventDefault()
          void save()
        }}
        noValidate
      >
        {restored && <DraftBack onDiscard={forget} />}
        {wrong.above}
        <div className={wrong.field('url')}>
          <label className="field">
            <span className="field-label">
              {t('webhookUrl')} <span className="required">{t('required')}</span>
            </span>
            <input
              className="input"
              type="url"
              autoFocus
              required
              value={url}
              maxLength={2048}
              placeholder="https://"
              onChange={(e) => set({ url: e.target.value })}
              {...wrong.control('url')}
            />
          </label>
          {wrong.sentence('url')}
        </div>
        <div className={wrong.field('name')}>
          <label className="field">
            <span className="field-label">{t('name')}</span>
            <input
              className="input"
              value={name}
              maxLength={255}
              onChange={(e) => set({ name: e.target.value })}
              {...wrong.control('name')}
            />
          </label>
          {wrong.sentence('name')}
        </div>
        <fieldset className="checks">
          <legend className="field-label">{t('toldOf')}</legend>
          <label>
            <input type="radio" name="told" checked={all} onChange={() => set({ all: true })} />
            <span>{t('everything')}</span>
          </label>
          <label>
            <input type="radio" name="told" checked={!all} onChange={() => set({ all: false })} />
            <span>{t('onlyThese')}</span>
          </label>
          {wrong.sentence('events')}
        </fieldset>
        {!all && (
          <>
            <fieldset className="checks columns-two">
              <legend className="unseen">{t('onlyThese')}</legend>
              {whole.map((r) => (
                <label key={r.name}>
                  <input
                    type="checkbox"
                    checked={events.includes(`${r.name}.*`)}
                    onChange={(e) =>
                      setEvents((list) => (e.target.checked ? [...list, `${r.name}.*`] : list.filter((x) => x !== `${r.name}.*`)))
                    }
                  />
                  <span>{pluralLabel(r)}</span>
                </label>
              ))}
            </fieldset>
            <div className="field">
              <span className="field-label" aria-hidden="true">
                {t('singleEvents')}
              </span>
              <Input
                leaf={eventsLeaf}
                value={events.filter((e) => !e.endsWith('.*'))}
                label={t('singleEvents')}
                onChange={(v) => setEvents((list) => [...list.filter((e) => e.endsWith('.*')), ...((v ?? []) as string[])])}
              />
              <p className="hint">{t('singleEventsMore')}</p>
            </div>
          </>
        )}
        <footer className="dialog-foot">
          {webhook && (
            <>
              <Button look="danger" icon="bin" onPress={() => onDelete(webhook)}>
                {t('delete')}
              </Button>
              <Button look="quiet" onPress={() => onRotate(webhook)}>
                {t('newSecret')}
              </Button>
              <span className="grow" />
            </>
          )}
          <Button onPress={onClose}>{t('cancel')}</Button>
          <Button look="primary" type="submit" isDisabled={busy || !url.trim() || (!all && events.length === 0)}>
            {webhook ? t('save') : t('create')}
          </Button>
        </footer>
      </form>
    </Dialog>
  )
}

function Deliveries({
  webhook,
  canReplay,
  onReplay,
}: {
  webhook: Webhook
  canReplay: boolean
  onReplay: (from: number, to: number) => void
}) {
  const [from, setFrom] = useState('')
  const [to, setTo] = useState('')
  const list = useInfiniteQuery({
    queryKey: ['deliveries', webhook.id],
    initialPageParam: '',
    refetchInterval: 3_000,
    queryFn: ({ pageParam }) =>
      call<{ data: Delivery[]; meta: { cursor: { next: string | null } } }>('POST', `/v1/webhooks/${webhook.id}/deliveries/search`, {
        limit: 20,
        ...(pageParam ? { cursor: pageParam } : {}),
      }),
    getNextPageParam: (page) => page.meta.cursor.next ?? undefined,
  })
  const all = list.data?.pages.flatMap((p) => p.data) ?? []
  const tone = (d: Delivery) =>
    d.status === 'delivered' || d.status === 'succeeded' ? 'green' : d.status === 'failed' || d.status === 'given_up' ? 'red' : 'yellow'
  const number = (text: string) => Number(text.replace(/\D/g, ''))
  return (
    <div className="stack">
      {list.isPending ? (
        <span className="bone" />
      ) : all.length === 0 ? (
        <p className="soft">{t('noDeliveries')}</p>
      ) : (
        <ul className="rows cards-rows" aria-label={t('deliveries')}>
          {all.map((d) => (
            <li key={d.id}>
              <details className="what">
                <summary>
                  <span className="strong">{d.event}</span>{' '}
                  <Chip color={tone(d)}>{said(`delivery.${d.status}`, d.status.replaceAll('_', ' '))}</Chip>
                  {d.replayed && <Chip color="gray">{t('replayed')}</Chip>}{' '}
                  <span className="soft">
                    {d.response?.status ?? d.response?.error ?? ''}
                    {d.response ? ` · ${t('milliseconds', { n: d.response.milliseconds })}` : ''}
                    {d.attempts > 1 ? ` · ${t('attempts', { count: d.attempts })}` : ''}
                    {d.next_attempt_at ? ` · ${t('nextAttempt', { when: ago(d.next_attempt_at) })}` : ''} ·{' '}
                    <time dateTime={d.created_at} title={formatTime(d.created_at)}>
                      {ago(d.created_at)}
                    </time>
                  </span>
                </summary>
                {d.tries.length > 1 && (
                  <ol className="soft" aria-label={t('tries')}>
                    {d.tries.map((y, i) => (
                      <li key={i}>
                        <time dateTime={y.at}>{formatTime(y.at)}</time> · {y.status ?? y.error} · {t('milliseconds', { n: y.milliseconds })}
                      </li>
                    ))}
                  </ol>
                )}
                {d.request !== null && (
                  <>
                    <p className="hint">{t('sent')}</p>
                    <pre tabIndex={0} role="region" aria-label={t('sent')}>
                      {JSON.stringify(d.request, null, 2)}
                    </pre>
                  </>
                )}
                {d.response?.body && (
                  <>
                    <p className="hint">{t('answered')}</p>
                    <pre tabIndex={0} role="region" aria-label={t('answered')}>
                      {d.response.body}
                    </pre>
                  </>
                )}
              </details>
              {canReplay && d.seq !== null && (
                <Button look="quiet" aria-label={t('sendAgainOf', { event: d.event })} onPress={() => onReplay(d.seq!, d.seq!)}>
                  {t('sendAgain')}
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
      {list.hasNextPage && (
        <Button look="quiet" onPress={() => void list.fetchNextPage()}>
          {t('showMore')}
        </Button>
      )}
      {canReplay && (
        <form
          noValidate
          className="row"
          onSubmit={(e) => {
            e.preventDefault()
            onReplay(number(from), number(to))
          }}
        >
          <label className="field">
            <span className="field-label">{t('fromSeq')}</span>
            <input className="input figure" inputMode="numeric" value={from} onChange={(e) => setFrom(e.target.value)} />
          </label>
          <label className="field">
            <span className="field-label">{t('toSeq')}</span>
            <input className="input figure" inputMode="numeric" value={to} onChange={(e) => setTo(e.target.value)} />
          </label>
          <Button type="submit" isDisabled={!number(from) || !number(to) || number(from) > number(to)}>
            {t('replay')}
          </Button>
        </form>
      )}
    </div>
  )
}
