// The business itself: its name, currency, place, and for how long the bin is kept.

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { call, fetchFile, Problem } from '../api/call'
import { useApp } from '../api/context'
import type * as records from '../api/records'
import { useEditing } from '../records/edit'
import { Labelled } from '../records/fields'
import { refusalsAt } from '../records/refusals'
import type { Leaf } from '../schema/schema'
import { Button, useNotice } from '../ui/components'
import '../i18n/messages/more'
import { t } from '../i18n/translate'
import CompanyLogin from './company'
import { useRefused } from './refused'

export function Business() {
  const { data } = useQuery({ queryKey: ['business'], queryFn: () => call<records.Business>('GET', '/v1/business') })
  return data ? <BusinessForm business={data} /> : <span className="bone" />
}

function BusinessForm({ business }: { business: records.Business }) {
  const { schema } = useApp()
  const fields: Leaf[] = (schema.business?.fields ?? [])
    .filter((f) => !f.read_only && !f.name.startsWith('login_') && f.name !== 'logo')
    .map((f) => ({ ...f, path: f.name }))
  const [given, setGiven] = useState<Record<string, unknown>>({})
  const wrong = useRefused(fields)
  const client = useQueryClient()
  const notice = useNotice()
  const save = async () => {
    wrong.clear()
    try {
      const saved = await call<records.Business>('PATCH', '/v1/business', given, { match: business.version })
      client.setQueryData(['business'], saved)
      setGiven({})
      void client.invalidateQueries({ queryKey: ['me'] })
      notice({ text: t('businessSaved') })
    } catch (error) {
      wrong.fail(error)
      if (error instanceof Problem && error.status === 412) void client.invalidateQueries({ queryKey: ['business'] })
    }
  }
  return (
    <>
      <form
        className="panel stack"
        onSubmit={(e) => {
          e.preventDefault()
          void save()
        }}
        noValidate
      >
        {wrong.above}
        <div className="form-grid">
          {fields.map((f) => (
            <Labelled
              key={f.name}
              leaf={f}
              value={f.name in given ? given[f.name] : business[f.name as keyof records.Business]}
              error={wrong.at(f.name)}
              onChange={(v) => setGiven((g) => ({ ...g, [f.name]: v }))}
            />
          ))}
        </div>
        <footer className="dialog-foot">
          <Button look="primary" type="submit" isDisabled={Object.keys(given).length === 0}>
            {t('save')}
          </Button>
        </footer>
      </form>
      <Logo business={business} />
      <CompanyLogin business={business} />
    </>
  )
}

const asAddress = (file: Blob) =>
  new Promise<string>((done, fail) => {
    const reader = new FileReader()
    reader.onload = () => done(reader.result as string)
    reader.onerror = () => fail(reader.error)
    reader.readAsDataURL(file)
  })

// largest is how many bytes a picture may have that is sent as an address, of which the schema says how long it may be.
const largest = (longest: number) => Math.floor((longest - 'data:image/jpeg;base64,'.length) / 4) * 3

// Logo is the picture on quotes. The server draws it anew, so what is shown is what comes back.
function Logo({ business }: { business: records.Business }) {
  const client = useQueryClient()
  const notice = useNotice()
  const { explain } = useEditing()
  const field = useRef<HTMLInputElement>(null)
  const [wrong, setWrong] = useState('')
  const { schema } = useApp()
  const leaf: Leaf = { ...schema.business!.fields.find((f) => f.name === 'logo')!, path: 'logo' }
  const most = largest(leaf.max_length ?? Infinity)
  const size = `${Math.floor(most / 1024)} KB`
  const { data: picture } = useQuery({
    queryKey: ['logo', business.logo],
    enabled: !!business.logo,
    staleTime: Infinity,
    queryFn: async () => asAddress(await fetchFile('/v1/business/logo')),
  })
  const set = async (logo: string | null) => {
    setWrong('')
    try {
      client.setQueryData(['business'], await call<records.Business>('PATCH', '/v1/business', { logo }, { match: business.version }))
      notice({ text: logo ? t('logoSaved') : t('logoRemoved') })
    } catch (error) {
      if (error instanceof Problem && error.errors.length) setWrong(Object.values(refusalsAt(error, [leaf])!).join(' '))
      else {
        explain(error)
        void client.invalidateQueries({ queryKey: ['business'] })
      }
    }
  }
  const chosen = async (file?: File) => {
    if (!file) return
    if (file.size > most) setWrong(t('logoTooLarge', { size }))
    else await set(await asAddress(file))
  }
  return (
    <section className="panel" aria-labelledby="set-logo">
      <h2 id="set-logo">{t('logo')}</h2>
      {business.logo &&
        (picture ? <img className="logo" src={picture} alt={t('logoOf', { name: business.name })} /> : <span className="bone" />)}
      <p className="soft">{t('logoMore', { size })}</p>
      {wrong && (
        <p className="note-bad" role="alert">
          {t('logoWrong', { reason: wrong })}
        </p>
      )}
      <p className="row">
        <input
          ref={field}
          className="unseen"
          type="file"
          accept="image/png,image/jpeg"
          tabIndex={-1}
          aria-label={t('logoChoose')}
          onChange={(e) => {
            void chosen(e.target.files?.[0])
            e.target.value = ''
          }}
        />
        <Button onPress={() => field.current?.click()}>{business.logo ? t('logoReplace') : t('logoChoose')}</Button>
        {business.logo && (
          <Button look="danger" aria-label={t('removeOf', { name: t('logo') })} onPress={() => void set(null)}>
            {t('remove')}
          </Button>
        )}
      </p>
    </section>
  )
}
