// What was said to belong to a record, from either side: the people of a deal with their parts, above all.

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { refresh } from '../api/cache'
import { call, type Page, type Rec, tell } from '../api/call'
import { useApp } from '../api/context'
import { t } from '../i18n/translate'
import { leaf as leafOf, pluralLabel, type Resource, titleOf } from '../schema/schema'
import { Button, Chip, Dialog, useNotice } from '../ui/components'
import { Link } from '../ui/route'
import { associatedWith, endsOf, linksOf } from './associated-with'
import { useEditing } from './edit'
import { Input } from './fields'
import { useUndo } from './jobs'
import { useKinds } from './kinds'
import { named } from './names'
import { pathTo } from './shown'

export default function Associated({ of, record, canWrite }: { of: Resource; record: Rec; canWrite: boolean }) {
  const { schema } = useApp()
  const people = useKinds()[of.name]?.people
  const client = useQueryClient()
  const notice = useNotice()
  const undo = useUndo()
  const { explain } = useEditing()
  const [adding, setAdding] = useState(false)
  const res = linksOf(schema)
  const all = associatedWith(schema, of, record.id, people)
  const { data } = useQuery({
    queryKey: ['figures', 'association', record.id],
    enabled: all.length > 0,
    staleTime: 60_000,
    queryFn: async () => {
      // What was found together with the record is not asked for again, once.
      const found = await Promise.all(
        all.map(async (b) => {
          const kept = client.getQueryData<{ pages: Page[] }>(b.key)?.pages[0]
          client.removeQueries({ queryKey: b.key, exact: true })
          return kept ?? (await call<Page>('POST', b.res.path + '/search', b.search))
        }),
      )
      const others = found.flatMap((page, i) =>
        all[i].res !== res
          ? []
          : page.data.map((a) => ({
              a,
              id: other(
                a,
                endsOf(res!, of).map((l) => l.path),
                record.id,
              ),
            })),
      )
      const known = new Map(
        found.flatMap((page, i) =>
          all[i].res === res ? [] : page.data.map((r) => [r.id, { id: r.id, res: all[i].res, name: titleOf(all[i].res, r) }]),
        ),
      )
      const more = others.map((o) => o.id).filter((id) => !known.has(id))
      if (more.length > 0) for (const n of await named(schema, more)) known.set(n.id, n)
      return others.flatMap(({ a, id }) => (known.has(id) ? [{ ...known.get(id)!, link: a }] : []))
    },
  })
  const able = canWrite && !!res && res.permissions.write !== 'none'
  if (!res || all.length === 0 || (!data?.length && !(people && able))) return null
  const remove = async (link: Rec, name: string) => {
    try {
      const { request } = await tell('DELETE', `${res.path}/${link.id}`)
      notice({ text: t('tookOff', { name }), undo: () => undo(request) })
    } catch (error) {
      explain(error)
    }
    void refresh(client)
  }
  const title = people ? t('peopleIn') : pluralLabel(res)
  return (
    <section className="related" aria-label={title}>
      <header className="related-head">
        <h2>{title}</h2>
        {able && people && <Button look="quiet" icon="plus" label={t('addPerson')} onPress={() => setAdding(true)} />}
      </header>
      <ul className="minis">
        {data?.map((o) => (
          <li key={o.link.id} className="mini person">
            <Link to={pathTo(o.res, o.id)}>
              <bdi>{o.name}</bdi>
            </Link>
            {o.link.label ? <Chip>{o.link.label as string}</Chip> : null}
            {able && (
              <Button look="quiet" icon="close" label={t('takeOff', { name: o.name })} onPress={() => void remove(o.link, o.name)} />
            )}
          </li>
        ))}
      </ul>
      {adding && people && <AddPerson res={res} record={record} people={people} onClose={() => setAdding(false)} />}
    </section>
  )
}

// other is the end of a link that is not the record itself.
const other = (link: Rec, ends: string[], id: string) => ends.map((path) => link[path] as string).find((end) => end !== id) ?? id

function AddPerson({ res, record, people, onClose }: { res: Resource; record: Rec; people: string; onClose: () => void }) {
  const { schema } = useApp()
  const client = useQueryClient()
  const { explain } = useEditing()
  const [who, setWho] = useState<string | null>(null)
  const [part, setPart] = useState('')
  const label = leafOf(res, 'label')
  const target = schema.resources.find((r) => r.name === people)!
  const save = async () => {
    try {
      await call('POST', res.path, { from_id: record.id, to_id: who, ...(part.trim() ? { label: part.trim() } : {}) })
      void refresh(client)
      onClose()
    } catch (error) {
      explain(error)
    }
  }
  return (
    <Dialog title={t('addPerson')} onClose={onClose}>
      <form
        noValidate
        className="stack"
        onSubmit={(e) => {
          e.preventDefault()
          if (who) void save()
        }}
      >
        <div className="field">
          <span className="field-label" aria-hidden="true">
            {target.label}
          </span>
          <Input
            leaf={{ ...leafOf(res, 'to_id')!, target: people, targets: undefined }}
            value={who}
            label={target.label}
            autoFocus
            onChange={(id) => setWho(id as string | null)}
          />
        </div>
        <label className="field">
          <span className="field-label">{t('theirPart')}</span>
          <input
            className="input"
            value={part}
            maxLength={label?.max_length}
            placeholder={t('partExample')}
            onChange={(e) => setPart(e.target.value)}
          />
        </label>
        <footer className="dialog-foot">
          <Button onPress={onClose}>{t('cancel')}</Button>
          <Button look="primary" type="submit" isDisabled={!who}>
            {t('addPerson')}
          </Button>
        </footer>
      </form>
    </Dialog>
  )
}
