// From a record to the one before and after it in the list that it was opened from, however long that is; and back to the list.

import { useQueries, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { locale, t } from '../i18n/translate'
import { plural, pluralLabel, type Resource } from '../schema/schema'
import { useCommands } from '../ui/commands'
import { Button, Icon } from '../ui/components'
import { go, Link, root } from '../ui/route'
import { keepList, keptList } from './place'
import { blockOf, inBlock, rowAt, totalOf, whereIs } from './rows'
import { pathTo } from './shown'

// backTo is the list that a record was opened from, or all of its kind.
export const backTo = (res: Resource) => keptList(res)?.back ?? `${root}/${plural(res)}`

export function Steps({ res, id }: { res: Resource; id: string }) {
  const client = useQueryClient()
  const kept = keptList(res)
  const question = kept?.questions.find((q) => whereIs(client, res, q, id) !== undefined) ?? (kept?.id === id ? kept.question : undefined)
  const found = kept && question ? (whereIs(client, res, question, id) ?? kept.row) : undefined
  // The rows around this one are asked for, where nobody has seen them yet.
  const around =
    kept && found !== undefined ? [...new Set([found - 1, found, found + 1].filter((n) => n >= 0).map((n) => Math.floor(n / inBlock)))] : []
  useQueries({ queries: around.map((n) => blockOf(client, res, question!, n)) })
  useEffect(() => {
    if (kept && found !== undefined && (kept.id !== id || kept.row !== found)) keepList({ ...kept, question, id, row: found })
  })
  // What was changed so that the list has it no more leaves its place to the next.
  const at = (row: number) => (question ? rowAt(client, res, question, row)?.id : undefined)
  const before = found ? at(found - 1) : undefined
  const after = found === undefined ? undefined : at(at(found) === id ? found + 1 : found)
  const step = (to: string | undefined, row: number) => {
    if (!to || !kept) return
    keepList({ ...kept, question, id: to, row })
    go(pathTo(res, to), { replace: true })
  }
  const down = () => step(after, at(found!) === id ? found! + 1 : found!)
  const up = () => step(before, found! - 1)
  useCommands([
    { act: 'down', run: down },
    { act: 'up', run: up },
  ])
  const total = question ? (totalOf(client, res, question) ?? kept?.total) : undefined
  return (
    <div className="crumbs">
      <Link to={backTo(res)} className="back">
        <Icon name="left" size={14} />
        {pluralLabel(res)}
      </Link>
      {found !== undefined && (before || after) && (
        <span className="steps">
          <Button look="quiet" icon="up" label={t('previous')} isDisabled={!before} onPress={up} />
          <span className="soft">
            {t('placeOf', {
              place: (found + 1).toLocaleString(locale()),
              count: total === undefined ? '…' : total.toLocaleString(locale()),
            })}
          </span>
          <Button look="quiet" icon="down" label={t('next')} isDisabled={!after} onPress={down} />
        </span>
      )}
    </div>
  )
}
