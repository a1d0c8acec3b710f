// The bar under a list that tells how many records are selected, and what can be done with them.

import { said, t } from '../i18n/translate'
import { type Action, editable, leaf, type Resource } from '../schema/schema'
import { useCommands } from '../ui/commands'
import { Button } from '../ui/components'
import type { Doing } from './bulk'
import { useKinds } from './kinds'

export function SelectionBar({
  res,
  count,
  more,
  canExport,
  onWhole,
  onClear,
  onDo,
  onAct,
}: {
  res: Resource
  count?: number
  more?: number | true
  canExport: boolean
  onWhole: () => void
  onClear: () => void
  onDo: (what: Doing | 'export' | 'merge') => void
  onAct: (action: Action) => void
}) {
  const many = res.operations.includes('bulk')
  const canWrite = res.permissions.write !== 'none' && many
  const canDelete = res.permissions.delete !== 'none' && res.operations.includes('batch')
  const owned = ['assignee_id', 'owner_id'].some((p) => leaf(res, p) && editable(res, leaf(res, p)!))
  const canMerge = canDelete && count === 2 && res.actions.some((a) => a.name === 'merge')
  const grave = useKinds()[res.name]?.grave ?? []
  const about = count === undefined ? t('allSelected') : t('selected', { count })
  const command = (able: boolean | undefined, text: string, icon: string, what: Doing | 'export' | 'merge') =>
    able ? [{ text, icon, about, run: () => onDo(what) }] : []
  useCommands([
    ...(canWrite ? res.actions : [])
      .filter((a) => !a.body.some((b) => b.required || b.kind === 'group') && !['merge', 'unmerge', ...grave].includes(a.name))
      .map((a) => ({ text: said(`action.${a.name}`, a.label), also: a.label, icon: res.name, about, run: () => onAct(a) })),
    ...command(canWrite && owned, t('assign'), 'user', 'assign'),
    ...command(canWrite, t('changeField'), 'edit', 'field'),
    ...command(canWrite && !!leaf(res, 'tags'), t('tagMany'), 'tag', 'tag'),
    ...command(canMerge, said('action.merge', 'Merge'), 'link', 'merge'),
    ...command(canExport, t('export'), 'export', 'export'),
    ...command(canDelete, t('delete'), 'bin', 'delete'),
  ])
  return (
    <div className="selection" role="region" aria-label={t('selection')}>
      <span className="strong" role="status">
        {about}
      </span>
      {more !== undefined && many && (
        <Button look="quiet" className="whole" onPress={onWhole}>
          {more === true ? t('selectWhole') : t('selectWholeOf', { count: more })}
        </Button>
      )}
      {canWrite && (
        <Button icon="edit" onPress={() => onDo('field')}>
          {t('changeField')}
        </Button>
      )}
      {canWrite && leaf(res, 'tags') && (
        <Button icon="tag" onPress={() => onDo('tag')}>
          {t('tagMany')}
        </Button>
      )}
      {canWrite && owned && (
        <Button icon="user" onPress={() => onDo('assign')}>
          {t('assign')}
        </Button>
      )}
      {canMerge && (
        <Button icon="link" onPress={() => onDo('merge')}>
          {said('action.merge', 'Merge')}
        </Button>
      )}
      {canExport && (
        <Button icon="export" onPress={() => onDo('export')}>
          {t('export')}
        </Button>
      )}
      {canDelete && (
        <Button look="danger" icon="bin" onPress={() => onDo('delete')}>
          {t('delete')}
        </Button>
      )}
      <Button look="quiet" icon="close" label={t('clearSelection')} onPress={onClear} />
    </div>
  )
}
