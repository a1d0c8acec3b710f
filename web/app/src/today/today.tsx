// The first page: what there is to do of the kinds of records that have something there, or what a new business can begin with.

import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useEffect, useState } from 'react'
import { call, type Filter, type Page, type Rec } from '../api/call'
import { useApp } from '../api/context'
import { ago, formatTime } from '../i18n/format'
import { locale, t } from '../i18n/translate'
import { pathTo } from '../records/shown'
import { mainResources, plural, pluralLabel, titleOf } from '../schema/schema'
import { Button, Empty, Skeleton } from '../ui/components'
import { go, Link, root } from '../ui/route'
import { kindsToday } from './kinds'
import { useLists } from './lists'
import type { KindToday } from './panel'

const Start = lazy(() => import('./start'))
const SampleNote = lazy(async () => ({ default: (await import('../samples/samples')).SampleNote }))

type Beginning = { size: 'empty' | 'small' | 'grown'; idle: boolean; fresh?: boolean }

// useHere are the kinds of records that have something on this page, also those that there are none of or that one may not read.
function useHere() {
  const { schema } = useApp()
  return Object.entries(kindsToday).map(([name, kind]) => ({
    kind,
    res: schema.resources.find((r) => r.name === name && r.permissions.read !== 'none'),
  }))
}

// useBeginning tells of a business that has just begun: whether it has nothing at all, and whether it has so little that it may be sample data; and whether it is all others' work. It is undefined while that is asked.
function useBeginning(): Beginning | undefined {
  const here = useHere()
  const begins = here.filter(({ kind }) => kind.begins)
  const looked = begins.flatMap(({ res }) => (res?.permissions.read === 'all' ? [res] : []))
  const own = here.flatMap(({ res, kind }) =>
    kind.mine && kind.open && res && res.permissions.read !== 'none' ? [[res, [kind.mine, kind.open]] as const] : [],
  )
  const { data, isFetching, isFetchedAfterMount } = useQuery({
    queryKey: ['figures', looked[0]?.name, 'beginning'],
    enabled: looked.length === begins.length,
    queryFn: async (): Promise<Beginning> => {
      const [mine, ...all] = await Promise.all([
        Promise.all(own.map(([res, filters]) => call<Page>('POST', res.path + '/search', { filters, fields: ['id'], limit: 1 }))),
        ...looked.map((res) => call<Page>('POST', res.path + '/search', { fields: ['id'], limit: 1 })),
      ])
      const some = all.find((page) => page.data.length)
      return {
        size: !some ? 'empty' : (some.meta.total ?? Infinity) < 100 ? 'small' : 'grown',
        idle: own.length > 0 && mine.every((page) => !page.data.length),
      }
    },
  })
  if (data) return { ...data, fresh: isFetchedAfterMount }
  return isFetching ? undefined : { size: 'grown', idle: false } // who may not ask, or gets no answer, sees the day
}

type Touched = Rec & { updated_at: string }

export default function Today() {
  const beginning = useBeginning()
  const here = useHere()
  if (beginning?.size === 'empty')
    return (
      <Suspense>
        <Start
          firsts={here.flatMap(({ res, kind: { first } }) => (res && first && res.permissions.write !== 'none' ? [{ res, ...first }] : []))}
        />
      </Suspense>
    )
  return <Day beginning={beginning} />
}

function Day({ beginning }: { beginning: Beginning | undefined }) {
  const { me, schema } = useApp()
  // Who comes for the first time and has nothing to do sees what there is to do. From then on it is as they left it.
  const place = `kith.today.${me.user.id}`
  const [whose, setWhose] = useState(() => localStorage.getItem(place))
  const choose = (who: 'me' | 'all') => {
    localStorage.setItem(place, who)
    setWhose(who)
  }
  const everybody = whose ? whose === 'all' : !!beginning?.idle
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is decided once.
  useEffect(() => {
    if (!whose && beginning?.fresh) choose(beginning.idle ? 'all' : 'me')
  }, [whose, beginning])
  const here = useHere()
  const filtersOf = (kind: KindToday, filters: Filter[]) => (everybody || !kind.mine ? filters : [kind.mine, ...filters])
  const panels = here.flatMap(({ res, kind }) =>
    (kind.panels ?? []).map((panel) => ({ ...panel, res, filters: filtersOf(kind, panel.filters) })),
  )
  const lists = useLists(panels)
  const able = panels.some(({ res }) => res)
  const views = (aside: boolean) =>
    panels.flatMap(({ View, ...panel }, i) =>
      panel.res && !!panel.aside === aside
        ? [<View key={panel.name} res={panel.res} list={lists[i]} filters={panel.filters} everybody={everybody} />]
        : [],
    )
  const changing = here.filter(({ kind }) => kind.touched)
  const changed = useLists(
    changing.map(({ res, kind }) => ({
      res,
      name: 'touched',
      filters: filtersOf(kind, []),
      order: 'updated_at',
      down: true,
      shown: [],
      limit: 5,
    })),
  )
  // Touched last: those of all kinds together.
  const touched = changing
    .flatMap(({ res }, i) => (res ? ((changed[i].data?.data ?? []) as Touched[]).map((r) => ({ res, r })) : []))
    .sort((a, b) => (a.r.updated_at < b.r.updated_at ? 1 : -1))
    .slice(0, 6)
  const aside = views(true)
  const now = new Date()
  const hour = now.getHours()
  // What the day needs is asked for meanwhile, but nobody is shown a day that makes way for the first page a moment later.
  if (!beginning)
    return (
      <section className="screen">
        <Skeleton />
      </section>
    )
  return (
    <section className="screen today" aria-labelledby="screen-title">
      <header className="screen-head">
        <p className="soft date">{now.toLocaleDateString(locale(), { weekday: 'long', day: 'numeric', month: 'long' })}</p>
        <div className="title-row">
          <h1 id="screen-title">
            {t(hour < 12 ? 'goodMorning' : hour < 18 ? 'goodAfternoon' : 'goodEvening', { name: me.user.name.split(' ')[0] })}
          </h1>
          <span className="grow" />
          {able && (
            <div className="segments" role="group" aria-label={t('whose')}>
              <button type="button" aria-pressed={!everybody} onClick={() => choose('me')}>
                {t('mine')}
              </button>
              <button type="button" aria-pressed={everybody} onClick={() => choose('all')}>
                {t('everybodys')}
              </button>
            </div>
          )}
        </div>
      </header>
      {beginning.size === 'small' && (
        <Suspense>
          <SampleNote />
        </Suspense>
      )}
      {!able && (
        <Empty icon="home" title={t('todayNothing')}>
          <p>{t('todayNothingMore')}</p>
          <p className="row">
            {mainResources(schema).map((res) => (
              <Button key={res.name} icon={res.name} onPress={() => go(`${root}/${plural(res)}`)}>
                {pluralLabel(res)}
              </Button>
            ))}
          </p>
        </Empty>
      )}
      <div className="today-body">
        {views(false)}
        {aside.length > 0 && (
          <div className="aside">
            {aside}
            {touched.length > 0 && (
              <section className="panel" aria-label={t('touched')}>
                <header className="panel-head">
                  <h2>{t('touched')}</h2>
                </header>
                <ul className="rows">
                  {touched.map(({ res, r }) => (
                    <li key={r.id}>
                      <Link to={pathTo(res, r.id)}>
                        <bdi>{titleOf(res, r)}</bdi>
                      </Link>
                      <time className="row-more" dateTime={r.updated_at} title={formatTime(r.updated_at)}>
                        {ago(r.updated_at)}
                      </time>
                    </li>
                  ))}
                </ul>
              </section>
            )}
          </div>
        )}
      </div>
    </section>
  )
}
