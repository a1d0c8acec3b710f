// The business itself: its name, currency, place, and for how long the bin is kept.

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call, Problem, type Rec } from '../api'
import { useEditing } from '../edit'
import { Labelled } from '../fields'
import type { Field } from '../model'
import { Button, useNotice } from '../ui'
import { useWorld } from '../world'
import { t } from '../words'
import { Page } from './you'

export function Business() {
  const { data } = useQuery({ queryKey: ['business'], queryFn: () => call<Rec>('GET', '/v1/business') })
  return data ? <BusinessForm key={data.version} business={data} /> : <span className="bone" />
}

function BusinessForm({ business }: { business: Rec }) {
  const { schema } = useWorld()
  const fields: Field[] = (schema.business?.fields ?? []).filter((f) => !f.read_only && !f.name.startsWith('login_'))
  const [given, setGiven] = useState<Record<string, any>>({})
  const [wrong, setWrong] = useState<Record<string, string>>({})
  const client = useQueryClient()
  const notice = useNotice()
  const { explain } = useEditing()
  const save = async () => {
    setWrong({})
    try {
      const saved = await call<Rec>('PATCH', '/v1/business', given, { match: business.version })
      client.setQueryData(['business'], saved)
      void client.invalidateQueries({ queryKey: ['me'] })
      notice({ text: t('businessSaved') })
    } catch (error) {
      if (error instanceof Problem && error.errors.length) setWrong(Object.fromEntries(error.errors.map((e) => [e.field, e.message])))
      else {
        explain(error)
        void client.invalidateQueries({ queryKey: ['business'] })
      }
    }
  }
  return (
    <>
      <form className="panel stack" onSubmit={(e) => (e.preventDefault(), void save())} noValidate>
        <div className="form-grid">
          {fields.map((f) => <Labelled key={f.name} leaf={{ ...f, path: f.name }} value={f.name in given ? given[f.name] : business[f.name]} error={wrong[f.name] && `${f.label} ${wrong[f.name]}`} onChange={(v) => setGiven((g) => ({ ...g, [f.name]: v }))} />)}
        </div>
        <footer className="dialog-foot"><Button look="primary" type="submit" isDisabled={Object.keys(given).length === 0}>{t('save')}</Button></footer>
      </form>
      <section className="panel">
        <h2>{t('companyLogin')}</h2>
        <p className="soft">{t('companyLoginMore')}</p>
        <p className="row"><Page to="/account/business/login">{t('companyLogin')}</Page></p>
      </section>
    </>
  )
}
