// What follows from GET /v1/schema: the fields of a resource as a flat list, how records are named, what to ask for.

import type { Rec } from '../api/call'
import { inSentence, plain, said, t, translateLabel } from '../i18n/translate'

export type Kind =
  | 'text'
  | 'long_text'
  | 'email'
  | 'phone'
  | 'url'
  | 'integer'
  | 'number'
  | 'percent'
  | 'decimal'
  | 'money'
  | 'boolean'
  | 'date'
  | 'datetime'
  | 'select'
  | 'multi_select'
  | 'tags'
  | 'any'
  | 'reference'
  | 'group'
  | 'list'

export type Option = { value: string; label: string; colour?: string; archived?: boolean }

export type Field = {
  name: string
  kind: Kind
  label: string
  operators: string[]
  sortable: boolean
  required: boolean
  default?: unknown
  read_only: boolean
  immutable?: boolean
  custom: boolean
  nullable: boolean
  options?: Option[]
  target?: string
  targets?: string[]
  followed_as?: string
  format?: string
  max_length?: number
  minimum?: number
  maximum?: number
  bin_only?: boolean
  searchable?: boolean
  unique?: boolean
  help?: string
  set_by?: string[]
  fields?: Field[]
}

// A leaf is a field that holds a value; its path is what filters, orders and projections call it.
export type Leaf = Field & { path: string; group?: string }

export type Action = { name: string; label: string; help?: string; body: Field[] }
export type Move = { name: string; from: string[]; to: string; by_action: boolean; by_patch: boolean }
export type Reach = 'none' | 'own' | 'all'

// A section of a record's page, and where else fields stand for people; fields are named by their paths.
export type Section = { name: string; label: string; fields: string[]; folded: boolean; columns: number }
export type Layout = { head: string[]; sections: Section[]; card: string[]; form: string[] }

export type Resource = {
  name: string
  path: string
  label: string
  id_prefix: string
  operations: string[]
  named_by: string[]
  telling: string[]
  layout: Layout
  match_by?: string[]
  own: string[]
  feature?: string
  personal?: boolean
  power?: string
  fields: Field[]
  states: { field: string; initial: string; moves: Move[] } | null
  actions: Action[]
  permissions: { read: Reach; write: Reach; delete: Reach }
}

export type Schema = { resources: Resource[]; business?: { fields: Field[] } }

export const plural = (res: Resource) => res.path.slice('/v1/'.length)

export function sentence(name: string): string {
  const words = name.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const known = new WeakMap<Resource, Leaf[]>()

// leaves are the fields with a value, groups opened. What belongs to the bin alone is not among them.
export function leaves(res: Resource): Leaf[] {
  let all = known.get(res)
  if (!all) {
    all = res.fields.flatMap((f): Leaf[] => {
      if (f.bin_only || f.name === 'merged_into_id') return []
      if (f.kind === 'group' && f.fields)
        return f.fields.map((part) => ({
          ...part,
          path: `${f.name}.${part.name}`,
          group: f.name === 'custom_fields' ? undefined : f.label,
        }))
      if (f.name === 'custom_fields') return []
      return [{ ...f, path: f.name }]
    })
    known.set(res, all)
  }
  return all
}

export const leaf = (res: Resource, path: string) => leaves(res).find((l) => l.path === path)

// labelOf names a leaf where no heading says which group it is of.
export const labelOf = (l: Leaf) => (l.group ? `${l.group}: ${inSentence(l.label)}` : l.label)

export function at(record: unknown, path: string): unknown {
  return path.split('.').reduce((value, part) => (value as Record<string, unknown> | null | undefined)?.[part], record)
}

export function put(record: Rec, path: string, value: unknown): Rec {
  const [head, ...rest] = path.split('.')
  if (rest.length === 0) return { ...record, [head]: value }
  return { ...record, [head]: put((record[head] ?? {}) as Rec, rest.join('.'), value) }
}

// patchOf is the body of a PATCH that changes one leaf.
export function patchOf(path: string, value: unknown): Record<string, unknown> {
  return path.split('.').reduceRight((inner, part) => ({ [part]: inner }), value) as Record<string, unknown>
}

// withNames says who is mentioned in a text as people read it, also at its end where it was cut; of whom nothing is known is no name.
export const withNames = (text: string, people?: Map<string, string>): string =>
  text.replace(/@\[(user_\w*)(?:\]|…$)/g, (_, id) => `@${people?.get(id) ?? '…'}`)

// titleOf is what people know a record by.
export function titleOf(res: Resource, record: Rec, people?: Map<string, string>): string {
  for (const name of res.named_by) {
    const value = at(record, name)
    if (value !== null && value !== undefined && value !== '') {
      const text = name === 'number' ? `${res.label} ${value}` : withNames(String(value), people)
      return text.length > 80 ? text.slice(0, 79) + '…' : text
    }
  }
  return `${res.label}`
}

// onceOf is what an answer tells only this once: what is no field of the resource, such as the secret of a webhook.
export const onceOf = (res: Resource, answer: Record<string, unknown>) =>
  Object.entries(answer).flatMap(([name, value]) =>
    typeof value === 'string' && !res.fields.some((f) => f.name === name) ? [{ label: said(`once.${name}`, sentence(name)), value }] : [],
  )

// coloured tells whether what a reference leads to has a colour: a record, or a part of one that is an item of its list.
function coloured(l: Leaf, resources: Resource[]): boolean {
  const has = (fields?: Field[]) => !!fields?.some((f) => f.name === 'colour')
  const target = resources.find((r) => r.name === l.target)
  if (target) return has(target.fields)
  return resources.some((r) => r.fields.some((f) => f.kind === 'list' && has(f.fields) && f.fields?.some((x) => x.target === l.target)))
}

// A reference is answered as its id and, followed, as the name of what it leads to. Where both have the same name the id is followed, too.
export function asked(l: Leaf, resources: Resource[]): string[] {
  if (l.kind !== 'reference' || !l.followed_as) return [l.path]
  const target = resources.find((r) => r.name === l.target)
  const names = [...(target?.named_by ?? ['name']), ...(coloured(l, resources) ? ['colour'] : [])].map((n) => `${l.followed_as}.${n}`)
  return l.followed_as === l.path ? [`${l.path}.id`, ...names] : [l.path, ...names]
}

export function projection(res: Resource, shown: Leaf[], resources: Resource[]): string[] {
  const extra = ['id', 'version', ...res.named_by, ...res.own.filter((o) => o !== 'id'), 'updated_at']
  if (res.states) extra.push(res.states.field)
  if (shown.some((l) => l.kind === 'money') && leaf(res, 'currency')) extra.push('currency')
  return [...new Set([...extra, ...shown.flatMap((l) => asked(l, resources))])]
}

export type Linked = { id: string; name: string | null; target: string; colour?: string }

// linked reads a reference out of a record as asked for it.
export function linked(l: Leaf, record: Rec, resources: Resource[]): Linked | null {
  const followed = (l.followed_as ? at(record, l.followed_as) : undefined) as Record<string, unknown> | null | undefined
  const own = at(record, l.path)
  const id = typeof own === 'string' ? own : (followed?.id as string | undefined)
  if (!id) return null
  const target = l.target ?? resources.find((r) => id.startsWith(r.id_prefix + '_') && id.length === r.id_prefix.length + 27)?.name ?? ''
  const res = resources.find((r) => r.name === target)
  const name =
    followed && typeof followed === 'object'
      ? ((res?.named_by ?? ['name']).map((n) => followed[n]).find((v) => v !== null && v !== undefined && v !== '') ?? null)
      : null
  return { id, name: name === null ? null : String(name), target, ...(followed?.colour ? { colour: String(followed.colour) } : {}) }
}

// editable tells whether a leaf can be changed by whoever uses the app, as far as the schema tells.
export function editable(res: Resource, l: Leaf): boolean {
  if (l.read_only || l.immutable || res.permissions.write === 'none' || !res.operations.includes('patch')) return false
  return !['group', 'list', 'any'].includes(l.kind)
}

// mine tells whether a record is one's own where the role reaches no further.
export function reaches(res: Resource, reach: Reach, record: Rec, me: string): boolean {
  if (reach === 'all') return true
  return reach === 'own' && res.own.some((path) => at(record, path) === me)
}

// What a list can have a column of without being asked to: short values, by which one compares.
const compared: Kind[] = ['select', 'reference', 'datetime', 'date', 'money', 'number', 'boolean', 'tags']
const ofMachines = ['id', 'created_by', 'updated_by', 'created_at', 'version', 'currency']
const mostColumns = 8

// columnsOf are those that a list shows where nobody has chosen: the name, what tells most, and what people look for first, which is what the
// layout has on a card, in the head of a page and in a form, and then in the order of the page.
export function columnsOf(res: Resource): Leaf[] {
  const { card, head, form, sections } = res.layout
  const named = (paths: string[]) => paths.map((path) => leaf(res, path))
  const first = res.telling.map((t) => leaves(res).find((l) => l.path === t || (l.followed_as && t.startsWith(l.followed_as + '.'))))
  const page = named(sections.filter((s) => !s.folded).flatMap((s) => s.fields))
  // What somebody decides says more than what follows from it.
  const decided = (l?: Leaf) => !l?.read_only
  const rest = [...named(form), ...page.filter(decided), ...page, ...leaves(res).filter(decided), ...leaves(res)]
  const all = [
    ...named([res.named_by[0]]),
    ...first,
    ...named([...card, ...head]),
    ...rest.filter((l) => l && !l.group && compared.includes(l.kind) && !ofMachines.includes(l.path)),
  ].filter((l): l is Leaf => !!l && l.format !== 'currency')
  return [...new Set(all)].slice(0, mostColumns)
}

export const mainResources = (schema: Schema) => schema.resources.filter((r) => r.permissions.read !== 'none' && !r.feature && !r.personal)
export const settingResources = (schema: Schema) => schema.resources.filter((r) => r.permissions.read !== 'none' && r.feature)

export const pluralLabel = (res: Resource) => said(`plural.${res.name}`, sentence(plural(res)))

// newLabel names what makes a new record; only some languages write such a word with a capital letter.
export const newLabel = (res: Resource) => t('newOne', { label: inSentence(res.label) })

// translateSchema gives the schema in the language of whoever reads it. The API has labels in English; those that a business wrote stay as they are.
export function translateSchema(schema: Schema): Schema {
  const say = <T extends { label: string; help?: string }>(x: T): T => ({
    ...x,
    label: translateLabel(x.label),
    ...(x.help ? { help: translateLabel(x.help, plain(x.help)) } : {}),
  })
  const field = (f: Field): Field => ({ ...(f.custom ? f : { ...say(f), options: f.options?.map(say) }), fields: f.fields?.map(field) })
  return {
    ...schema,
    resources: schema.resources.map((r) => ({
      ...say(r),
      fields: r.fields.map(field),
      actions: r.actions.map((a) => ({ ...say(a), body: a.body.map(field) })),
    })),
    business: schema.business && { ...schema.business, fields: schema.business.fields.map(field) },
  }
}
