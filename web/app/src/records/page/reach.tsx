// The ways to speak with whom a record is about: with the record itself, or with whom it names.

import { begin } from '../../activities/composer'
import type { Rec } from '../../api/call'
import { useApp } from '../../api/context'
import { t } from '../../i18n/translate'
import { at, type Leaf, leaves, type Resource } from '../../schema/schema'
import { Icon } from '../../ui/components'
import { type Kinds, useKinds } from '../kinds'

const direct = (res: Resource): Leaf[] => leaves(res).filter((l) => (l.kind === 'phone' || l.kind === 'email') && !l.custom)

// reachOf are the numbers and addresses of a record; where a record has none of its own, those of the people and companies that it names.
export function reachOf(res: Resource, resources: Resource[], kinds: Kinds): Leaf[] {
  const own = direct(res)
  if (own.length > 0) return own
  const place = (name: string) => kinds[name]?.beside || { place: 0 }
  return leaves(res)
    .filter((l) => l.followed_as && !res.own.includes(l.path))
    .flatMap((l) => resources.find((r) => r.name === l.target && r.permissions.read !== 'none' && !r.feature) ?? [])
    .filter((r) => direct(r).some((l) => l.kind === 'phone'))
    .sort((a, b) => place(a.name).place - place(b.name).place)
    .flatMap((r) => {
      const via = leaves(res).find((l) => l.target === r.name && l.followed_as)!
      return direct(r).map((l) => ({ ...l, path: `${via.followed_as}.${l.path}` }))
    })
}

export function Reach({ res, record }: { res: Resource; record: Rec }) {
  const { schema } = useApp()
  const all = reachOf(res, schema.resources, useKinds())
  const first = (kind: string) => all.filter((l) => l.kind === kind).map((l) => at(record, l.path))
  const phone = first('phone').find(Boolean)
  const email = first('email').find(Boolean)
  return (
    <>
      {phone && (
        <a
          className="button plain"
          href={`tel:${String(phone).replace(/[^+\d]/g, '')}`}
          onClick={() => begin('call')} // what was said is written down beside it
        >
          <Icon name="call" />
          {t('callThem')}
        </a>
      )}
      {email && (
        <a className="button plain" href={`mailto:${email}`}>
          <Icon name="email" />
          {t('writeThem')}
        </a>
      )}
    </>
  )
}
