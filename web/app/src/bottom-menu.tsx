// The bottom of a phone: where one goes most, within reach of a thumb, and the menu with all the rest.

import { useApp } from './api/context'
import { t } from './i18n/translate'
import { Unread, useInbox } from './inbox/unread'
import { useKinds } from './records/kinds'
import { mainResources, plural, pluralLabel } from './schema/schema'
import { Icon } from './ui/components'
import { Link, root, useAddress } from './ui/route'

export function BottomMenu({ open, onMenu }: { open: boolean; onMenu: () => void }) {
  const { schema } = useApp()
  const kinds = useKinds()
  const inbox = useInbox()
  const first = useAddress().pathname.slice(root.length + 1)
  const place = (to: string, icon: string, name: string) => (
    <li key={to}>
      <Link to={to ? `${root}/${to}` : root} aria-current={first === to ? 'page' : undefined}>
        <Icon name={icon} size={20} />
        <span>{name}</span>
        {to === 'inbox' && <Unread />}
      </Link>
    </li>
  )
  return (
    <nav className="bottom-menu" aria-label={t('mostUsed')}>
      <ul>
        {place('', 'home', t('today'))}
        {mainResources(schema)
          .filter((r) => kinds[r.name]?.byThumb)
          .map((r) => place(plural(r), r.name, pluralLabel(r)))}
        {inbox && place('inbox', 'bell', t('inbox'))}
        <li>
          <button type="button" aria-expanded={open} onClick={onMenu}>
            <Icon name="menu" size={20} />
            <span>{t('menu')}</span>
          </button>
        </li>
      </ul>
    </nav>
  )
}
