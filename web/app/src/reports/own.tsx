// Reports of one's own: kept by the API, each an aggregate with how its figures are shown, in an order that is decided here.

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { readAll } from '../api/cache'
import { call } from '../api/call'
import { useApp, useResource } from '../api/context'
import type { Report as Kept } from '../api/records'
import { t } from '../i18n/translate'
import { useEditing } from '../records/edit'
import { type Resource, reaches } from '../schema/schema'
import { Button, Menu, MenuItem, useNotice } from '../ui/components'
import { save as saveCsv } from './chart'
import type { Cell } from './csv'
import { Editor } from './editor'
import { Figures } from './figures'
import type { Asked } from './narrow'

export type Draft = { name: string; resource: string; aggregate: Asked; chart: Kept['chart']; shared: boolean }

const path = '/v1/reports'
const key = ['figures', 'report', 'kept']

export function useOwnReports(): { res?: Resource; reports?: Kept[] } {
  const res = useResource('report')
  const { data } = useQuery({
    queryKey: key,
    enabled: !!res && res.permissions.read !== 'none',
    queryFn: () => readAll<Kept>(path, { order_by: 'position', sort_direction: 'asc' }),
  })
  return { res, reports: data }
}

export function NewReport() {
  const { res } = useOwnReports()
  const [open, setOpen] = useState(false)
  const save = useSave()
  if (!res || res.permissions.write === 'none') return null
  return (
    <>
      <Button icon="plus" look="primary" onPress={() => setOpen(true)}>
        {t('newReport')}
      </Button>
      {open && (
        <Editor
          onClose={() => setOpen(false)}
          onSave={async (draft) => {
            const made = await save('POST', path, draft, t('reportMade', { name: draft.name }))
            // It is the last one, far below the button that made it.
            if (made) setTimeout(() => document.querySelector('.reports-body .own:last-child')?.scrollIntoView({ block: 'nearest' }), 100)
            return made
          }}
        />
      )}
    </>
  )
}

// useSave writes a report, reads all of them anew, and tells whether that went well.
function useSave() {
  const client = useQueryClient()
  const notice = useNotice()
  const { explain } = useEditing()
  return async (method: string, to: string, body: unknown, text: string, match?: number, undo?: () => void): Promise<boolean> => {
    try {
      await call(method, to, body, match ? { match } : undefined)
      notice({ text, undo })
      return true
    } catch (error) {
      explain(error)
      return false
    } finally {
      await client.invalidateQueries({ queryKey: key })
    }
  }
}

export function OwnReports() {
  const { res, reports } = useOwnReports()
  if (!res || !reports || reports.length === 0) return null
  return (
    <section aria-labelledby="own-reports">
      <h2 id="own-reports" className="reports-part">
        {t('ownReports')}
      </h2>
      <div className="reports-body">
        {reports.map((r, i) => (
          <Own key={r.id} res={res} report={r} before={reports[i - 1]} after={reports[i + 1]} />
        ))}
      </div>
    </section>
  )
}

function Own({ res, report, before, after }: { res: Resource; report: Kept; before?: Kept; after?: Kept }) {
  const { me, schema } = useApp()
  const client = useQueryClient()
  const { explain } = useEditing()
  const save = useSave()
  const [editing, setEditing] = useState(false)
  const kept = useRef<Cell[][]>([])
  const about = schema.resources.find((r) => r.name === report.resource)
  const able = reaches(res, res.permissions.write, report, me.user.id)
  const asked = (report.aggregate ?? {}) as Asked
  const draft: Draft = { name: report.name, resource: report.resource, aggregate: asked, chart: report.chart, shared: report.shared }
  const at = `${path}/${report.id}`
  const swap = async (other: Kept) => {
    try {
      await call('POST', `${path}/batch`, {
        atomic: true,
        operations: [
          { op: 'update', id: report.id, data: { position: other.position } },
          { op: 'update', id: other.id, data: { position: report.position } },
        ],
      })
    } catch (error) {
      explain(error)
    }
    await client.invalidateQueries({ queryKey: key })
  }
  const back = () => void call('POST', `${at}/restore`).then(() => client.invalidateQueries({ queryKey: key }), explain)
  const act = (what: string) => {
    if (what === 'edit') setEditing(true)
    if (what === 'csv') saveCsv(report.name, kept.current)
    if (what === 'copy')
      void save('POST', path, { ...draft, name: t('reportCopy', { name: report.name }), shared: false }, t('reportCopied'))
    if (what === 'share')
      void save('PATCH', at, { shared: !report.shared }, t(report.shared ? 'reportUnshared' : 'reportShared'), report.version)
    if (what === 'earlier' && before) void swap(before)
    if (what === 'later' && after) void swap(after)
    if (what === 'delete') void save('DELETE', at, undefined, t('reportDeleted', { name: report.name }), report.version, back)
  }
  return (
    <section className="panel own" aria-label={report.name}>
      <header className="row">
        <h3 className="grow">
          <bdi>{report.name}</bdi>
          {report.shared && <span className="soft"> · {t('sharedMark')}</span>}
        </h3>
        <Menu
          label={t('reportMenu', { name: report.name })}
          onAction={act}
          trigger={<Button look="quiet" icon="more" label={t('reportMenu', { name: report.name })} />}
        >
          {able ? <MenuItem id="edit">{t('edit')}</MenuItem> : null}
          <MenuItem id="csv" icon="export">
            {t('saveCsv')}
          </MenuItem>
          <MenuItem id="copy">{t('copyReport')}</MenuItem>
          {able ? <MenuItem id="share">{report.shared ? t('unshare') : t('share')}</MenuItem> : null}
          {able && before ? <MenuItem id="earlier">{t('placeEarlier')}</MenuItem> : null}
          {able && after ? <MenuItem id="later">{t('placeLater')}</MenuItem> : null}
          {able ? (
            <MenuItem id="delete" icon="bin">
              {t('deleteReport')}
            </MenuItem>
          ) : null}
        </Menu>
      </header>
      {report.missing.length > 0 ? (
        <p className="soft">{t('reportMisses')}</p>
      ) : about && about.permissions.read !== 'none' ? (
        <Figures res={about} asked={asked} chart={report.chart} kept={kept} />
      ) : (
        <p className="soft">{t('reportHidden')}</p>
      )}
      {editing && (
        <Editor
          draft={draft}
          onClose={() => setEditing(false)}
          onSave={({ resource: _, ...rest }) =>
            save(
              'PATCH',
              at,
              { ...rest, aggregate: { filters: null, group_by: null, metrics: null, ...rest.aggregate } },
              t('reportSaved', { name: rest.name }),
              report.version,
            )
          }
        />
      )}
    </section>
  )
}
