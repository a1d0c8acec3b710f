// The list of keys.

import './i18n/messages/more'
import { said, t } from './i18n/translate'
import { Dialog } from './ui/components'
import { goKey, shortcuts } from './ui/keys'

// A place that a letter leads to.
export type Place = { name: string; to: string; letter?: string }

export default function Shortcuts({ places, onClose }: { places: Place[]; onClose: () => void }) {
  const groups = [...new Set(shortcuts.map((s) => s.when))].map((when) => ({
    title: t(when),
    keys: shortcuts.filter((s) => s.when === when).map((s) => ({ what: t(s.what), keys: s.keys })),
  }))
  groups.push({ title: t('goTo'), keys: places.flatMap((p) => (p.letter ? [{ what: p.name, keys: [goKey, p.letter] }] : [])) })
  return (
    <Dialog title={t('shortcuts')} onClose={onClose} wide>
      <div className="keys">
        {groups.map((g) => (
          <section key={g.title} aria-label={g.title}>
            <h3>{g.title}</h3>
            <dl>
              {g.keys.map(({ what, keys }) => (
                <div key={what}>
                  <dt>{what}</dt>
                  <dd>
                    {keys.map((k) => (
                      <kbd key={k}>{said(`key.${k}`, k)}</kbd>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  )
}
