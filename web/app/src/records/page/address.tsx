// An address as it stands on a letter, with a link to the map that somebody likes to use.

import { type ReactNode, useState } from 'react'
import type { Rec } from '../../api/call'
import { t } from '../../i18n/translate'
import { at, type Leaf } from '../../schema/schema'
import { Button, Menu, MenuItem } from '../../ui/components'

const maps = {
  osm: { name: 'OpenStreetMap', at: 'https://www.openstreetmap.org/search?query=' },
  google: { name: 'Google Maps', at: 'https://www.google.com/maps/search/?api=1&query=' },
  apple: { name: 'Apple Maps', at: 'https://maps.apple.com/?q=' },
}
type Map = keyof typeof maps
const place = 'kith.map'
const chosen = (): Map => {
  const kept = localStorage.getItem(place)
  return kept && kept in maps ? (kept as Map) : 'osm'
}

// isAddress tells that the fields of a section are the parts of one address.
export const isAddress = (parts: Leaf[]) => ['street', 'city', 'country'].every((name) => parts.some((l) => l.group && l.name === name))

// lettered are the lines of an address as they stand on a letter.
export function lettered(parts: Leaf[], record: Rec): string[] {
  const part = (name: string) => {
    const leaf = parts.find((l) => l.name === name)
    return ((leaf && at(record, leaf.path)) ?? '') as string
  }
  const joined = (sign: string, ...names: string[]) => names.map(part).filter(Boolean).join(sign)
  return [part('street'), joined(' ', 'postal_code', 'city'), joined(', ', 'region', 'country')].filter(Boolean)
}

export function AddressBlock({ parts, record, able, children }: { parts: Leaf[]; record: Rec; able: boolean; children: ReactNode }) {
  const [editing, setEditing] = useState(false)
  const [map, setMap] = useState(chosen)
  const lines = lettered(parts, record)
  if (editing)
    return (
      <>
        {children}
        <Button look="quiet" onPress={() => setEditing(false)}>
          {t('done')}
        </Button>
      </>
    )
  return (
    <div className="address">
      <address>
        {lines.map((line) => (
          <bdi key={line}>{line}</bdi>
        ))}
      </address>
      <p className="address-tools">
        <a href={maps[map].at + encodeURIComponent(lines.join(', '))} target="_blank" rel="noreferrer noopener">
          {t('map')}
        </a>
        <Menu
          label={t('chooseMap')}
          trigger={<Button look="quiet" icon="down" label={t('chooseMap')} />}
          onAction={(key) => {
            localStorage.setItem(place, key)
            setMap(key as Map)
          }}
        >
          {Object.entries(maps).map(([key, { name }]) => (
            <MenuItem key={key} id={key} icon={key === map ? 'check' : 'blank'}>
              {name}
            </MenuItem>
          ))}
        </Menu>
        {able && <Button look="quiet" icon="edit" label={t('editField', { field: parts[0].group! })} onPress={() => setEditing(true)} />}
      </p>
    </div>
  )
}
