import { notifyManager, QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query'
import { lazy, StrictMode, Suspense, useMemo, useRef, useState } from 'react'
import { I18nProvider } from 'react-aria-components'
import { createRoot } from 'react-dom/client'
import { call, type Me, Problem } from './api/call'
import { AppContext } from './api/context'
import { chooseLanguage, language, locale, t } from './i18n/translate'
import { kinds } from './kinds'
import { EditingProvider } from './records/edit'
import { KindsContext } from './records/kinds'
import { type Schema, translateSchema } from './schema/schema'
import { Shell } from './shell'
import { Button, Empty, Mark, Notices } from './ui/components'
import { setTheme, theme } from './ui/theme'
import './ui/style.css'

// What is known anew is drawn with what the same key or click changed, and not a moment later: a cell that was edited would show its old value in between.
notifyManager.setScheduler(queueMicrotask)

const client = new QueryClient({
  defaultOptions: {
    queries: {
      // Who has waited for nothing is told soon; what a moment may mend is tried again.
      retry: (count, error) => count < 2 && !(error instanceof Problem && error.status >= 400 && error.status < 500),
      retryDelay: (count) => 400 * 2 ** count,
      staleTime: 5_000,
      refetchOnWindowFocus: true,
    },
  },
})

const RequiredFactor = lazy(() => import('./settings/required-factor'))

function App() {
  const [spoken, setLanguage] = useState(language())
  const me = useQuery({ queryKey: ['me'], queryFn: () => call<Me>('GET', '/v1/me'), staleTime: 60_000 })
  const schema = useQuery({ queryKey: ['schema'], queryFn: () => call<Schema>('GET', '/v1/schema'), staleTime: 60_000 })
  // biome-ignore lint/correctness/useExhaustiveDependencies: the labels are those of the language.
  const known = useMemo(() => schema.data && translateSchema(schema.data), [schema.data, spoken])
  const error = me.error ?? schema.error
  // Who has just set up a second factor still has to keep the recovery codes.
  const lacksFactor = useRef(false)
  lacksFactor.current ||= error instanceof Problem && error.code === 'second_factor_required'
  if (lacksFactor.current)
    return (
      <Suspense>
        <I18nProvider locale={locale()}>
          <RequiredFactor />
        </I18nProvider>
      </Suspense>
    )
  if (error)
    return (
      <main className="splash">
        <Empty first icon="close" title={t('couldNotLoad')}>
          <p>{error.message || t('offline')}</p>
          <Button
            look="primary"
            onPress={() => {
              void me.refetch()
              void schema.refetch()
            }}
          >
            {t('tryAgain')}
          </Button>
        </Empty>
      </main>
    )
  if (!me.data || !known)
    return (
      <main className="splash" aria-busy="true">
        <h1 className="unseen">kith</h1>
        <Mark />
        <span className="unseen" role="status">
          {t('loading')}
        </span>
      </main>
    )
  return (
    <I18nProvider locale={locale()}>
      <AppContext value={{ me: me.data, schema: known }}>
        <KindsContext value={kinds}>
          <Notices>
            <EditingProvider>
              <Shell
                onLanguage={async (code) => {
                  localStorage.setItem('kith.language', code)
                  await chooseLanguage(code)
                  setLanguage(language())
                }}
              />
            </EditingProvider>
          </Notices>
        </KindsContext>
      </AppContext>
    </I18nProvider>
  )
}

setTheme(theme())
await chooseLanguage(localStorage.getItem('kith.language') ?? undefined)
createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <App />
    </QueryClientProvider>
  </StrictMode>,
)
