// Pipelines with their stages, and how far a contact can have come.

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { readAll } from '../api/cache'
import { call } from '../api/call'
import { useApp, useResource } from '../api/context'
import type { LifecycleStage, LossReason, Pipeline as PipelineRecord } from '../api/records'
import { t } from '../i18n/translate'
import { useEditing } from '../records/edit'
import { type Resource, reaches } from '../schema/schema'
import { Button, Chip, useNotice } from '../ui/components'
import { Unsaved } from '../ui/unsaved'
import { ColourPicker, nextColour } from './colour-picker'
import { moved, Sorting } from './sorting'

type Stage = { key: string; id?: string; name: string; kind: 'open' | 'won' | 'lost'; probability: number | null; colour?: string | null }

function useRecords<R>(res: Resource | undefined) {
  return useQuery({
    queryKey: [res?.name === 'pipeline' ? 'pipelines' : 'figures', res?.name, 'settings'],
    enabled: !!res && res.permissions.read !== 'none',
    queryFn: () => readAll<R>(res!.path, { order_by: 'position', sort_direction: 'asc' }),
  })
}

export default function Pipelines() {
  const res = useResource('pipeline')
  const stages = useResource('lifecycle_stage')
  const reasons = useResource('loss_reason')
  const { data } = useRecords<PipelineRecord>(res)
  const client = useQueryClient()
  const { explain } = useEditing()
  const make = async () => {
    try {
      await call('POST', res!.path, { name: t('newPipeline') })
      await client.invalidateQueries({ queryKey: ['pipelines'] })
    } catch (error) {
      explain(error)
    }
  }
  return (
    <>
      <p className="soft">{t('pipelinesMore')}</p>
      {data?.map((p) => (
        <PipelineForm key={p.id} res={res!} newest={p} />
      ))}
      {res && res.permissions.write !== 'none' && (
        <p className="row">
          <Button icon="plus" onPress={() => void make()}>
            {t('addPipeline')}
          </Button>
        </p>
      )}
      {stages && stages.permissions.read !== 'none' && (
        <OwnList
          res={stages}
          title={t('lifecycle')}
          more={t('lifecycleMore')}
          saved={t('lifecycleSaved')}
          fresh={t('newStage')}
          add={t('addStage')}
          remove={(name) => t('removeStage', { name })}
        />
      )}
      {reasons && reasons.permissions.read !== 'none' && (
        <OwnList
          res={reasons}
          title={t('lossReasons')}
          more={t('lossReasonsMore')}
          saved={t('lossReasonsSaved')}
          fresh={t('newLossReason')}
          add={t('addLossReason')}
          remove={(name) => t('removeLossReason', { name })}
        />
      )}
    </>
  )
}

let fresh = 0

const stagesOf = (record: PipelineRecord): Stage[] =>
  record.stages.map((s) => ({ key: s.id, id: s.id, name: s.name, kind: s.kind!, probability: s.probability!, colour: s.colour }))

// What was changed here stays while somebody else changes the pipeline, and whoever changed it is asked which is to count.
function PipelineForm({ res, newest }: { res: Resource; newest: PipelineRecord }) {
  const { me } = useApp()
  const [record, setRecord] = useState(newest)
  const [name, setName] = useState<string>(record.name)
  const [stages, setStages] = useState(() => stagesOf(record))
  const client = useQueryClient()
  const notice = useNotice()
  const { explain } = useEditing()
  const able = reaches(res, res.permissions.write, record, me.user.id)
  const dirty = name !== record.name || JSON.stringify(stages) !== JSON.stringify(stagesOf(record))
  const begin = (from: PipelineRecord) => {
    setRecord(from)
    setName(from.name)
    setStages(stagesOf(from))
  }
  const newer = newest.version > record.version
  if (newer && !dirty) begin(newest)
  const set = (i: number, change: Partial<Stage>) => setStages((all) => all.map((s, j) => (j === i ? { ...s, ...change } : s)))
  const write = async (work: () => Promise<unknown>, text: string): Promise<boolean> => {
    let done = true
    try {
      await work()
      notice({ text })
    } catch (error) {
      done = false
      explain(error)
    }
    await client.invalidateQueries({ queryKey: ['pipelines'] })
    return done
  }
  const save = (over = record) =>
    write(
      async () =>
        begin(
          await call<PipelineRecord>(
            'PATCH',
            `${res.path}/${record.id}`,
            { name, stages: stages.map(({ key, ...s }, i) => ({ ...s, position: i + 1 })) },
            { match: over.version },
          ),
        ),
      t('pipelineSaved', { name }),
    )
  return (
    <form
      noValidate
      className="panel stack"
      aria-label={record.name}
      onSubmit={(e) => {
        e.preventDefault()
        void save()
      }}
    >
      <div className="row">
        <label className="field grow">
          <span className="field-label">{t('pipeline')}</span>
          <input className="input" value={name} readOnly={!able} maxLength={255} onChange={(e) => setName(e.target.value)} />
        </label>
        {record.is_default && <Chip color="green">{t('standard')}</Chip>}
      </div>
      <Sorting
        items={stages}
        keyOf={(s) => s.key}
        nameOf={(s) => s.name}
        label={t('stagesOf', { name })}
        disabled={!able}
        onMove={(from, to) => setStages((all) => moved(all, from, to))}
      >
        {(s, i) => (
          <>
            <ColourPicker
              label={t('colourOf', { name: s.name })}
              value={s.colour}
              disabled={!able}
              onChange={(colour) => set(i, { colour })}
            />
            <input
              className="input grow"
              aria-label={t('stageName', { place: i + 1 })}
              value={s.name}
              readOnly={!able}
              maxLength={255}
              onChange={(e) => set(i, { name: e.target.value })}
            />
            <select
              className="input kind"
              aria-label={t('stageKind', { name: s.name })}
              value={s.kind}
              disabled={!able}
              onChange={(e) =>
                set(i, {
                  kind: e.target.value as Stage['kind'],
                  probability: e.target.value === 'won' ? 100 : e.target.value === 'lost' ? 0 : s.probability,
                })
              }
            >
              {(['open', 'won', 'lost'] as const).map((k) => (
                <option key={k} value={k}>
                  {t(`kind.${k}`)}
                </option>
              ))}
            </select>
            <span className="percent">
              <input
                className="input figure"
                aria-label={t('stageProbability', { name: s.name })}
                inputMode="numeric"
                value={s.probability ?? ''}
                readOnly={!able || s.kind !== 'open'}
                onChange={(e) =>
                  set(i, {
                    probability: e.target.value === '' ? null : Math.min(100, Math.max(0, Number(e.target.value.replace(/\D/g, '')))),
                  })
                }
              />
              <span className="soft" aria-hidden="true">
                %
              </span>
            </span>
            {able && (
              <Button
                look="quiet"
                icon="bin"
                label={t('removeStage', { name: s.name })}
                onPress={() => setStages((all) => all.filter((_, j) => j !== i))}
              />
            )}
          </>
        )}
      </Sorting>
      {newer && dirty && (
        <div className="note-bad row" role="alert">
          <span className="grow">{t('changedMeanwhile', { name: newest.name })}</span>
          <Button onPress={() => begin(newest)}>{t('keepTheirs')}</Button>
          <Button onPress={() => void save(newest)}>{t('useMine')}</Button>
        </div>
      )}
      {able && (
        <footer className="row">
          <Button
            icon="plus"
            onPress={() =>
              setStages((all) => {
                const at = all.findIndex((s) => s.kind !== 'open')
                return [
                  ...all.slice(0, at < 0 ? all.length : at),
                  {
                    key: `new-${++fresh}`,
                    name: t('newStage'),
                    kind: 'open',
                    probability: 50,
                    colour: nextColour(all.map((s) => s.colour)),
                  },
                  ...all.slice(at < 0 ? all.length : at),
                ]
              })
            }
          >
            {t('addStage')}
          </Button>
          <span className="grow" />
          {!record.is_default && (
            <Button
              look="quiet"
              onPress={() =>
                void write(
                  () => call('PATCH', `${res.path}/${record.id}`, { is_default: true }, { match: record.version }),
                  t('pipelineSaved', { name }),
                )
              }
            >
              {t('makeStandard')}
            </Button>
          )}
          {!record.is_default && res.permissions.delete !== 'none' && (
            <Button
              look="danger"
              icon="bin"
              label={t('removePipeline', { name })}
              onPress={() =>
                void write(
                  () => call('DELETE', `${res.path}/${record.id}`, undefined, { match: record.version }),
                  t('deletedOne', { name }),
                )
              }
            />
          )}
          <Button look="primary" type="submit" isDisabled={!dirty || !name.trim() || stages.some((s) => !s.name.trim())}>
            {t('save')}
          </Button>
        </footer>
      )}
      {able && dirty && <Unsaved onSave={save} />}
    </form>
  )
}

// OwnList is a list of names in an order that the business decides, of which one may be the default.
function OwnList({
  res,
  title,
  more,
  saved,
  fresh,
  add,
  remove,
}: {
  res: Resource
  title: string
  more: string
  saved: string
  fresh: string
  add: string
  remove: (name: string) => string
}) {
  const { data } = useRecords<LifecycleStage | LossReason>(res)
  const heading = useId()
  const client = useQueryClient()
  const notice = useNotice()
  const { explain } = useEditing()
  const [name, setName] = useState('')
  const able = res.permissions.write !== 'none'
  const all = data ?? []
  const write = async (work: () => Promise<unknown>) => {
    try {
      await work()
      notice({ text: saved })
    } catch (error) {
      explain(error)
    }
    await client.invalidateQueries({ queryKey: ['figures', res.name] })
  }
  return (
    <section className="panel stack" aria-labelledby={heading}>
      <h2 id={heading}>{title}</h2>
      <p className="soft">{more}</p>
      <Sorting
        items={all}
        keyOf={(s) => s.id}
        nameOf={(s) => s.name}
        label={title}
        disabled={!able}
        onMove={(from, to) =>
          void write(() =>
            call('POST', res.path + '/batch', {
              atomic: true,
              operations: moved(all, from, to).map((s, i) => ({ op: 'update', id: s.id, data: { position: i + 1 } })),
            }),
          )
        }
      >
        {(s) => (
          <>
            {'colour' in s && (
              <ColourPicker
                label={t('colourOf', { name: s.name })}
                value={s.colour}
                disabled={!able}
                onChange={(colour) => void write(() => call('PATCH', `${res.path}/${s.id}`, { colour }, { match: s.version }))}
              />
            )}
            <input
              className="input grow"
              aria-label={t('name')}
              defaultValue={s.name}
              key={s.name}
              readOnly={!able}
              maxLength={255}
              onBlur={(e) =>
                e.target.value.trim() &&
                e.target.value !== s.name &&
                void write(() => call('PATCH', `${res.path}/${s.id}`, { name: e.target.value }, { match: s.version }))
              }
              onKeyDown={(e) => {
                if (e.key !== 'Enter') return
                e.preventDefault()
                e.currentTarget.blur()
              }}
            />
            {'is_default' in s && (
              <label className="check">
                <input
                  type="radio"
                  name="lifecycle-default"
                  checked={s.is_default}
                  disabled={!able}
                  onChange={() => void write(() => call('PATCH', `${res.path}/${s.id}`, { is_default: true }, { match: s.version }))}
                />
                <span>
                  {t('begins')}
                  <span className="unseen"> {s.name}</span>
                </span>
              </label>
            )}
            {'active' in s && (
              <label className="check">
                <input
                  type="checkbox"
                  checked={s.active}
                  disabled={!able}
                  onChange={(e) =>
                    void write(() => call('PATCH', `${res.path}/${s.id}`, { active: e.target.checked }, { match: s.version }))
                  }
                />
                <span>
                  {t('offered')}
                  <span className="unseen"> {s.name}</span>
                </span>
              </label>
            )}
            {able && res.permissions.delete !== 'none' && (
              <Button
                look="quiet"
                icon="bin"
                label={remove(s.name)}
                isDisabled={'is_default' in s && s.is_default}
                onPress={() => void write(() => call('DELETE', `${res.path}/${s.id}`, undefined, { match: s.version }))}
              />
            )}
          </>
        )}
      </Sorting>
      {able && (
        <form
          noValidate
          className="row"
          onSubmit={(e) => {
            e.preventDefault()
            name.trim() && void write(() => call('POST', res.path, { name: name.trim() })).then(() => setName(''))
          }}
        >
          <input
            className="input"
            aria-label={fresh}
            placeholder={fresh}
            value={name}
            maxLength={255}
            onChange={(e) => setName(e.target.value)}
          />
          <Button type="submit" icon="plus" isDisabled={!name.trim()}>
            {add}
          </Button>
        </form>
      )}
    </section>
  )
}
