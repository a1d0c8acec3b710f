// The second step: which column is which field, and how its cells are read.

import { useApp, useResource } from '../api/context'
import { inSentence, knownSentence, said, t, translateSentence } from '../i18n/translate'
import { findLeaf } from '../records/address'
import { refusalOf } from '../records/refusals'
import { labelOf, leaves, type Resource, sentence } from '../schema/schema'
import { nameFrom } from '../settings/names'
import { Button } from '../ui/components'
import type { Column, Import } from './api'
import { guessKind } from './guess'

// fieldKinds are what a column can be made a new field of.
const fieldKinds = [
  'text',
  'long_text',
  'number',
  'decimal',
  'money',
  'boolean',
  'date',
  'datetime',
  'select',
  'multi_select',
  'url',
  'email',
  'phone',
]

// Numbers that kith gives are in few files, so they are offered last.
const numbered = (path: string) => path === 'id' || (path.endsWith('_id') && path !== 'external_id' && !path.includes('.'))

// targets are the fields that a column can be: those of the records, and what finds the records that they lead to.
function targets(res: Resource, resources: Resource[]): { path: string; label: string }[] {
  return leaves(res)
    .filter((l) => (!l.read_only || l.path === 'id') && !['group', 'any', 'list'].includes(l.kind))
    .flatMap((l) => {
      if (l.kind !== 'reference' || !l.followed_as || l.path === 'id')
        return [{ path: l.path, label: l.path === 'id' ? t('itsNumber', { label: res.label }) : labelOf(l) }]
      const target = resources.find((r) => r.name === l.target)
      const by = [
        ...new Set([
          target?.named_by[0] ?? 'name',
          ...['email', 'domain', 'sku', 'external_id'].filter((p) => target && leaves(target).some((x) => x.path === p)),
        ]),
      ]
      return [
        ...by.map((p) => ({
          path: `${l.followed_as}.${p}`,
          label: `${labelOf(l)}: ${inSentence((target && leaves(target).find((x) => x.path === p)?.label) ?? sentence(p))}`,
        })),
        { path: l.path, label: t('itsNumber', { label: labelOf(l) }) },
      ]
    })
    .sort((a, b) => Number(numbered(a.path)) - Number(numbered(b.path)))
}

export function Columns({ res, data, onDecide }: { res: Resource; data: Import; onDecide: (body: Record<string, unknown>) => void }) {
  const { schema } = useApp()
  const fields = useResource('field')
  const all = targets(res, schema.resources)
  const canMake = !!fields && fields.permissions.write !== 'none'
  // The field of a column that is made on the way, by its name.
  const newOf = (column: string) =>
    Object.keys(data.new_fields).find(
      (name) => data.mapping[column] === `custom_fields.${name}` && !leaves(res).some((l) => l.path === `custom_fields.${name}`),
    )
  const make = (column: Column) => {
    const name = nameFrom(column.name, [...leaves(res).map((l) => l.name), ...Object.keys(data.new_fields)])
    const kind = guessKind(column.samples, data.decimals === 'comma')
    onDecide({ mapping: { [column.name]: `custom_fields.${name}` }, new_fields: { [name]: { kind, label: column.name } } })
  }
  const choosePath = (column: string, path: string) => {
    const made = newOf(column)
    onDecide({ mapping: { [column]: path || null }, ...(made ? { new_fields: { [made]: null } } : {}) })
  }
  const labelAt = (path: string) => {
    const known = findLeaf(res, path)
    return known ? labelOf(known) : path
  }
  const wrongOf = (column: string) => {
    const wrong = data.undecided.find((u) => u.field === `mapping.${column}`)
    return wrong?.code === 'required'
      ? t('decideColumn')
      : wrong && (knownSentence(wrong.message) ?? refusalOf({ ...wrong, field: column }))
  }
  const other = data.undecided.filter((u) => !u.field.startsWith('mapping.') || !data.columns.some((c) => u.field === `mapping.${c.name}`))
  const choose = (
    name: 'match' | 'unknown_options' | 'policy' | 'empty' | 'decimals' | 'dates',
    label: string,
    options: [string, string][],
  ) => (
    <label className="field">
      <span className="field-label">{label}</span>
      <select
        className="input"
        value={data[name] ?? ''}
        aria-invalid={data.undecided.some((u) => u.field === name) || undefined}
        onChange={(e) => onDecide({ [name]: e.target.value || null })}
      >
        {options.map(([v, text]) => (
          <option key={v} value={v}>
            {text}
          </option>
        ))}
      </select>
    </label>
  )
  const matchable = (res.match_by ?? []).map((p): [string, string] => [p, all.find((x) => x.path === p)?.label ?? p])
  return (
    <>
      <section className="panel" aria-labelledby="import-columns">
        <h2 id="import-columns">{t('whichColumns')}</h2>
        <div className="scroll" tabIndex={0} role="region" aria-label={t('whichColumns') + ': ' + t('table')}>
          <table className="plain-table">
            <thead>
              <tr>
                <th scope="col">{t('column')}</th>
                <th scope="col">{t('examples')}</th>
                <th scope="col">{t('field')}</th>
              </tr>
            </thead>
            <tbody>
              {data.columns.map((c) => {
                const chosen = data.mapping[c.name] ?? (c.field || (c.about && !wrongOf(c.name) ? '-' : ''))
                return (
                  <tr key={c.name} className={wrongOf(c.name) ? 'wrong' : ''}>
                    <th scope="row">
                      <bdi>{c.name}</bdi>
                    </th>
                    <td className="soft samples">
                      {c.samples.map((s, i) => (
                        <bdi key={i}>{s}</bdi>
                      ))}
                    </td>
                    <td>
                      <select
                        className="input"
                        aria-label={t('fieldOf', { column: c.name })}
                        value={chosen}
                        aria-invalid={wrongOf(c.name) ? true : undefined}
                        onChange={(e) => (e.target.value === 'new!' ? make(c) : choosePath(c.name, e.target.value))}
                      >
                        {chosen === '' && <option value="">{t('decide')}</option>}
                        <option value="-">{t('notRead')}</option>
                        {canMake && <option value="new!">{t('makeField')}</option>}
                        {chosen && chosen !== '-' && !all.some((x) => x.path === chosen) && (
                          <option value={chosen}>{newOf(c.name) ? t('asNewField', { name: c.name }) : labelAt(chosen)}</option>
                        )}
                        {all.map((x) => (
                          <option key={x.path} value={x.path}>
                            {x.label}
                          </option>
                        ))}
                      </select>
                      {newOf(c.name) && (
                        <select
                          className="input"
                          aria-label={t('kindOfNew', { column: c.name })}
                          value={data.new_fields[newOf(c.name)!].kind}
                          onChange={(e) => onDecide({ new_fields: { [newOf(c.name)!]: { kind: e.target.value, label: c.name } } })}
                        >
                          {fieldKinds.map((k) => (
                            <option key={k} value={k}>
                              {said(`fieldkind.${k}`, k)}
                            </option>
                          ))}
                        </select>
                      )}
                      {wrongOf(c.name) && <p className="error">{wrongOf(c.name)}</p>}
                      {!c.field && c.about && !data.mapping[c.name] && <p className="soft">{translateSentence(c.about)}</p>}
                    </td>
                  </tr>
                )
              })}
            </tbody>
          </table>
        </div>
        {data.columns.some((c) => wrongOf(c.name)) && (
          <p>
            <Button look="quiet" onPress={() => onDecide({ mapping: { '*': '-' } })}>
              {t('leaveOthers')}
            </Button>
          </p>
        )}
      </section>
      <section className="panel" aria-labelledby="import-how">
        <h2 id="import-how">{t('howToRead')}</h2>
        <div className="form-grid">
          {choose('match', t('matchBy'), [['', t('matchNone')], ...matchable])}
          {canMake &&
            choose('unknown_options', t('unknownOptions'), [
              ['refuse', t('options.refuse')],
              ['make', t('options.make')],
            ])}
        </div>
        <details className="how-more" open={other.length > 0 || undefined}>
          <summary>{t('howToReadMore')}</summary>
          <div className="form-grid">
            {choose('policy', t('policy'), [
              ['', t('policy.any')],
              ['create', t('policy.create')],
              ['update', t('policy.update')],
              ['upsert', t('policy.upsert')],
            ])}
            {choose('empty', t('emptyCells'), [
              ['keep', t('empty.keep')],
              ['clear', t('empty.clear')],
            ])}
            {choose('decimals', t('decimals'), [
              ['point', '1,234.56'],
              ['comma', '1.234,56'],
            ])}
            {choose('dates', t('dates'), [
              ['', t('dates.none')],
              ['dmy', t('dates.dmy')],
              ['mdy', t('dates.mdy')],
            ])}
          </div>
        </details>
        {other.map((u, i) => (
          <p key={i} className="error">
            {refusalOf({ ...u, said: knownSentence(u.message) }, res)}
          </p>
        ))}
      </section>
    </>
  )
}
