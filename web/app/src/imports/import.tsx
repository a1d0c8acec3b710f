// Bringing a file in: what its rows are, the file, which column is which field, what would become of it, and then the records themselves.

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { refresh } from '../api/cache'
import { call, Problem } from '../api/call'
import { useApp } from '../api/context'
import { formatNumber } from '../i18n/format'
import { t, translateSentence } from '../i18n/translate'
import { useEditing } from '../records/edit'
import { type Job, useFollow } from '../records/jobs'
import { refusal } from '../records/refusals'
import { mainResources, plural, type Resource } from '../schema/schema'
import { Button, Empty, Icon, Skeleton } from '../ui/components'
import { go, Link, root } from '../ui/route'
import { busyStates, type Import, saveErrors } from './api'
import { Columns } from './columns'
import { Progress } from './progress'
import { nameOf, StatusBadge } from './status'
import { Upload } from './upload'

export default function ImportScreen({ id }: { id?: string }) {
  useEffect(() => {
    document.title = `${t('importTitle')} · kith`
  }, [])
  return (
    <section className="screen importing" aria-labelledby="screen-title">
      <div className="import-body">
        <h1 id="screen-title">{t('importTitle')}</h1>
        {id ? <One key={id} id={id} /> : <Upload />}
      </div>
    </section>
  )
}

function One({ id }: { id: string }) {
  const { schema } = useApp()
  const client = useQueryClient()
  const key = ['import', id]
  const { data, error } = useQuery({
    queryKey: key,
    queryFn: () => call<Import>('GET', `/v1/imports/${id}`),
    refetchInterval: (q) => (q.state.data && busyStates.includes(q.state.data.status) ? 700 : false),
  })
  const was = useRef(data?.status)
  useEffect(() => {
    // What it made or took back is in lists and figures.
    if (was.current && was.current !== data?.status && busyStates.includes(was.current)) {
      void refresh(client)
      void client.invalidateQueries({ queryKey: ['schema'] })
    }
    was.current = data?.status
  }, [client, data?.status])
  if (error)
    return (
      <Empty icon="search" title={t('noScreen')}>
        <p>{error instanceof Problem && error.status === 404 ? t('importGone') : refusal(error)}</p>
        <Button onPress={() => go(`${root}/import`)}>{t('newImport')}</Button>
      </Empty>
    )
  if (!data) return <Skeleton />
  const res = schema.resources.find((r) => r.name === data.resource)
  return (
    <Wizard
      res={res}
      data={data}
      onChanged={(next) => (next ? client.setQueryData(key, next) : void client.invalidateQueries({ queryKey: key }))}
    />
  )
}

// toUndecided leads to the first thing that is to be decided.
function toUndecided() {
  const first = document.querySelector<HTMLElement>('.import-body :is([aria-invalid="true"], .error)')
  first?.scrollIntoView({ block: 'center' })
  first?.focus({ preventScroll: true })
}

function Wizard({ res, data, onChanged }: { res?: Resource; data: Import; onChanged: (next?: Import) => void }) {
  const { schema } = useApp()
  const { explain } = useEditing()
  const follow = useFollow()
  // What was corrected counts from the next try on.
  const [correctedAfter, setCorrectedAfter] = useState<string>()
  const tried = data.preview?.status === 'succeeded' && data.preview.job_id !== correctedAfter ? data.preview : undefined
  // Of what is all refused nothing would come in.
  const useful = tried && (tried.refused === 0 || tried.created + tried.changed > 0)
  const act = async (work: () => Promise<unknown>) => {
    try {
      await work()
    } catch (error) {
      explain(error)
    }
    onChanged()
  }
  const decide = async (body: Record<string, unknown>) => {
    try {
      const next = await call<Import>('PATCH', `/v1/imports/${data.id}`, body)
      // What was decided is answered without what is in the cells.
      onChanged({
        ...next,
        columns: next.columns.map((c) => ({ ...c, samples: data.columns.find((had) => had.name === c.name)?.samples ?? c.samples })),
      })
    } catch (error) {
      explain(error)
      onChanged()
    }
  }
  const undo = () =>
    act(async () => {
      const answer = await call<Job | undefined>('POST', `/v1/imports/${data.id}/undo`)
      if (answer && 'kind' in answer) void follow([answer], t('takingBack'), (count) => t('tookBack', { count }), false)
    })
  // What it is about to become, and what it became, stands at the top. A short file is done before one hears that it was begun.
  const top = useRef<HTMLParagraphElement>(null)
  const jobs = [data.preview?.job_id, data.run?.job_id, data.undo?.status].join()
  // biome-ignore lint/correctness/useExhaustiveDependencies: one is led there by every new job.
  useEffect(() => {
    top.current?.scrollIntoView({ block: 'end' })
  }, [jobs])
  const open = data.status === 'new' || data.status === 'ready' || data.status === 'undone'
  const under = busyStates.includes(data.status)
  return (
    <>
      <p className="row" ref={top}>
        <Link to={`${root}/import`} className="back">
          <Icon name="left" size={14} />
          {t('allImports')}
        </Link>
        <span className="grow" />
        <StatusBadge status={data.status} />
      </p>
      {data.file && (
        <p className="soft">
          {nameOf(res)} · {t('rowCount', { count: data.file.rows })} · {data.file.format.toUpperCase()}
          {data.file.encoding && data.file.encoding !== 'utf-8' ? ` · ${data.file.encoding}` : ''}
        </p>
      )}
      {!data.file && <p className="note-bad">{t('noFile')}</p>}
      {data.preview && (open || data.status === 'previewing') && (
        <Progress
          title={t('previewOf')}
          run={data.preview}
          under={data.status === 'previewing'}
          of={data}
          res={res}
          onCorrected={open ? () => setCorrectedAfter(data.preview?.job_id) : undefined}
        />
      )}
      {open && data.file && res && <Columns res={res} data={data} onDecide={decide} />}
      {data.run && <Progress title={t('runOf')} run={data.run} under={data.status === 'running'} of={data} res={res} />}
      {data.undo && (
        <section className="panel" aria-label={t('import.undone')}>
          <p>{t('undoneOf', { undone: data.undo.undone, left: data.undo.left })}</p>
          {data.undo.reasons.length > 0 && (
            <ul className="diff">
              {data.undo.reasons.map((r) => (
                <li key={r.why}>
                  <span className="strong">{formatNumber(r.count)}</span> {translateSentence(r.why)}
                </li>
              ))}
            </ul>
          )}
        </section>
      )}
      <footer className="row import-foot">
        {under && <Button onPress={() => void act(() => call('POST', `/v1/imports/${data.id}/cancel`))}>{t('cancel')}</Button>}
        {open && data.undecided.length > 0 && (
          <span className="grow" role="status">
            <Button look="quiet" icon="up" onPress={toUndecided}>
              {t('stillOpen', { count: data.undecided.length })}
            </Button>
          </span>
        )}
        {open && data.file && (
          <Button
            look={useful ? undefined : 'primary'}
            isDisabled={data.undecided.length > 0}
            onPress={() => void act(() => call('POST', `/v1/imports/${data.id}/preview`))}
          >
            {t('tryIt')}
          </Button>
        )}
        {open && data.file && (
          <Button
            look={useful ? 'primary' : undefined}
            isDisabled={data.undecided.length > 0}
            onPress={() => void act(() => call('POST', `/v1/imports/${data.id}/run`))}
          >
            {tried && tried.refused > 0 ? t('runWithout', { count: tried.refused }) : t('runIt', { count: data.file.rows })}
          </Button>
        )}
        {!open && !under && data.run && data.run.refused > 0 && (
          <Button icon="export" onPress={() => void act(() => saveErrors(data))}>
            {t('refusedFile')}
          </Button>
        )}
        {!open && !under && data.run && data.run.created + data.run.changed > 0 && <Button onPress={() => void undo()}>{t('undo')}</Button>}
        {!open && !under && (
          <Button look="primary" onPress={() => go(`${root}/${plural(res ?? mainResources(schema)[0])}`)}>
            {t('seeRecords', { label: nameOf(res) })}
          </Button>
        )}
      </footer>
    </>
  )
}
