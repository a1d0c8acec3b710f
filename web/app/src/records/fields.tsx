// What takes the value of a field, in grids, on pages, in forms and in filters. What it looks like follows from its kind alone.

import { useQuery, useQueryClient } from '@tanstack/react-query'
import {
  type ComponentProps,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  Suspense,
  use,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react'
import {
  Button as AriaButton,
  Input as AriaInput,
  ComboBox,
  ComboBoxStateContext,
  ListBox,
  ListBoxItem,
  Popover,
} from 'react-aria-components'
import { refresh } from '../api/cache'
import { call, type Hit, type Page, type Rec } from '../api/call'
import { useApp } from '../api/context'
import { useStageChoices } from '../deals/stages'
import { decimalOf } from '../i18n/decimal'
import { decimalSign, formatPlain, localDecimal } from '../i18n/format'
import { locale, t } from '../i18n/translate'
import { at, type Leaf, leaf as leafOf, leaves, patchOf, titleOf } from '../schema/schema'
import { Icon, useNotice } from '../ui/components'
import { DayInput, MomentInput, unfinished } from '../ui/day-input'
import { useEditing } from './edit'
import { useKinds } from './kinds'
import { useMakingForm } from './making'
import type { Picked } from './names'
import { useRecent } from './recent'
import { openBeside, openedBy } from './shown'

// toLocal and fromLocal turn a moment into what the browser's own controls for one take, and back.
export function toLocal(value: string | null): string {
  if (!value || value === unfinished) return value ?? ''
  const at = new Date(value)
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

export const fromLocal = (text: string) => (text === unfinished ? text : text ? new Date(text).toISOString() : null)

export type InputProps = {
  leaf: Leaf
  // value is what the API has for the kind of the field, or nothing.
  value: unknown
  onChange: (value: unknown, picked?: Picked | null) => void
  label: string
  // shownAs is the name of what a reference leads to now.
  shownAs?: string | null
  describedBy?: string
  invalid?: boolean
  autoFocus?: boolean
  // filtering tells that any value may stand here, also one that a form would not take.
  filtering?: boolean
  // except is the id of a record that a reference cannot lead to, as one that another is merged into: what is new is not either.
  except?: string
  // inCell tells that choosing is all that there is to do, so choices are shown at once.
  inCell?: boolean
}

export function Input(props: InputProps): ReactNode {
  const { leaf, value, onChange, label, describedBy, invalid, autoFocus } = props
  const text = (value ?? '') as string
  const several = (value ?? []) as string[]
  const common = {
    'aria-label': label,
    'aria-describedby': describedBy,
    'aria-invalid': invalid || undefined,
    'aria-required': (!props.filtering && leaf.required) || undefined,
    autoFocus,
    className: 'input',
  }
  switch (leaf.kind) {
    case 'reference':
      return <ReferenceInput {...props} />
    case 'boolean':
      if (leaf.nullable || props.filtering)
        return (
          <select
            {...common}
            value={value === null || value === undefined ? '' : String(value)}
            onChange={(e) => onChange(e.target.value === '' ? null : e.target.value === 'true')}
          >
            {!props.filtering && <option value="">{t('unset')}</option>}
            <option value="true">{t('yes')}</option>
            <option value="false">{t('no')}</option>
          </select>
        )
      return (
        <label className="switch">
          <input type="checkbox" aria-label={label} autoFocus={autoFocus} checked={!!value} onChange={(e) => onChange(e.target.checked)} />
          <span>{value ? t('yes') : t('no')}</span>
        </label>
      )
    case 'select':
      return (
        <select {...common} value={text} onChange={(e) => onChange(e.target.value || null)}>
          {(leaf.nullable || !value) && <option value="">{t('unset')}</option>}
          {leaf.options
            ?.filter((o) => !o.archived || o.value === value)
            .map((o) => (
              <option key={o.value} value={o.value}>
                {o.label}
              </option>
            ))}
        </select>
      )
    case 'multi_select':
      return (
        <fieldset className="checks" aria-describedby={describedBy}>
          <legend className="unseen">{label}</legend>
          {leaf.options
            ?.filter((o) => !o.archived || several.includes(o.value))
            .map((o, i) => (
              <label key={o.value}>
                <input
                  type="checkbox"
                  autoFocus={autoFocus && i === 0}
                  checked={several.includes(o.value)}
                  onChange={(e) => onChange(e.target.checked ? [...several, o.value] : several.filter((v) => v !== o.value))}
                />
                {o.label}
              </label>
            ))}
        </fieldset>
      )
    case 'tags':
      return <TagsInput {...props} />
    case 'date':
      return <DayInput {...common} value={text} onText={(text) => onChange(text || null)} />
    case 'datetime':
      return <MomentInput {...common} value={toLocal(text)} onText={(text) => onChange(fromLocal(text))} />
    case 'long_text':
      return (
        <textarea
          {...common}
          dir="auto"
          rows={4}
          maxLength={leaf.max_length}
          value={text}
          onChange={(e) => onChange(e.target.value || null)}
        />
      )
    case 'integer':
    case 'number':
    case 'percent':
    case 'decimal':
    case 'money':
      return <FigureInput {...props} />
    case 'url':
      return <AddressInput {...props} common={common} />
    default:
      return <TextInput {...props} common={common} />
  }
}

// known are the values that there are of what is written by a standard.
const known: Record<string, (() => string[]) | undefined> = {
  currency: () => Intl.supportedValuesOf('currency'),
  timezone: () => Intl.supportedValuesOf('timeZone'),
  locale: () => languages,
}

// languages are those that most people write in, with how their countries write numbers and days; others can be typed.
const languages = [
  ...'ar cs da de de-AT de-CH el en en-AU en-CA en-GB en-IE en-US es es-MX fi fr fr-BE fr-CA fr-CH he hi hu it ja ko'.split(' '),
  ...'nb nl nl-BE pl pt pt-BR ro sv tr uk zh'.split(' '),
]

// spokenName is what people call such a value, where it is a code.
function spokenName(format: string, value: string): string | undefined {
  const type = ({ currency: 'currency', locale: 'language' } as const)[format]
  return type && new Intl.DisplayNames(locale(), { type }).of(value)
}

function TextInput({ leaf, value, onChange, common }: InputProps & { common: ComponentProps<'input'> }) {
  const id = useId()
  const [used, setUsed] = useState(false)
  const offered = used && known[leaf.format ?? '']?.()
  return (
    <>
      <input
        {...common}
        dir={leaf.kind === 'text' ? 'auto' : undefined}
        type={leaf.kind === 'phone' ? 'tel' : 'text'}
        inputMode={leaf.kind === 'email' ? 'email' : leaf.kind === 'url' ? 'url' : undefined}
        autoCapitalize={leaf.kind === 'email' || leaf.kind === 'url' ? 'none' : undefined}
        autoComplete="off"
        maxLength={leaf.max_length}
        value={(value ?? '') as string}
        list={offered ? id : undefined}
        onFocus={() => setUsed(true)}
        onChange={(e) => onChange(e.target.value || null)}
      />
      {offered && (
        <datalist id={id}>
          {offered.map((v) => (
            <option key={v} value={v} label={spokenName(leaf.format!, v)} />
          ))}
        </datalist>
      )}
    </>
  )
}

// withScheme is a web address as it is kept, of what people write: the name of a site is one.
const withScheme = (text: string) => (/^[\p{L}\p{N}][\p{L}\p{N}-]*(\.[\p{L}\p{N}-]+)+([/?#]\S*)?$/u.test(text) ? `https://${text}` : text)

function AddressInput({ value, onChange, ...props }: InputProps & { common: ComponentProps<'input'> }) {
  const [text, setText] = useState(value)
  return (
    <TextInput
      {...props}
      value={text}
      onChange={(next) => {
        setText(next)
        onChange(typeof next === 'string' ? withScheme(next.trim()) : next)
      }}
    />
  )
}

function FigureInput({ leaf, value, onChange, label, describedBy, invalid, autoFocus }: InputProps) {
  const [text, setText] = useState(value === null || value === undefined ? '' : localDecimal(value as string | number))
  return (
    <input
      className="input figure"
      aria-label={label}
      aria-describedby={describedBy}
      aria-invalid={invalid || undefined}
      autoFocus={autoFocus}
      inputMode="decimal"
      autoComplete="off"
      value={text}
      onChange={(e) => {
        setText(e.target.value)
        const read = decimalOf(e.target.value, decimalSign())
        // What is no number goes to the API as it is, which says so beside the field.
        onChange(read === null ? null : ['money', 'decimal'].includes(leaf.kind) || Number.isNaN(Number(read)) ? read : Number(read))
      }}
    />
  )
}

function TagsInput({ leaf, value, onChange, label, describedBy, autoFocus }: InputProps) {
  const [text, setText] = useState('')
  const tags = (value ?? []) as string[]
  const add = () => {
    const more = text
      .split(',')
      .map((s) => s.trim())
      .filter((s) => s && !tags.includes(s))
    if (more.length) onChange([...tags, ...more])
    setText('')
  }
  return (
    <div className="input tags-input">
      {tags.map((tag) => (
        <span className="tag" key={tag}>
          <bdi>{tag}</bdi>
          <button type="button" aria-label={t('removeTag', { tag })} onClick={() => onChange(tags.filter((x) => x !== tag))}>
            <Icon name="close" size={12} />
          </button>
        </span>
      ))}
      <input
        aria-label={label}
        aria-describedby={describedBy}
        autoFocus={autoFocus}
        dir="auto"
        maxLength={leaf.max_length}
        value={text}
        placeholder={tags.length ? '' : t(leaf.name === 'tags' ? 'addTag' : 'addOne')}
        onChange={(e) => (e.target.value.endsWith(',') ? add() : setText(e.target.value))}
        onBlur={add}
        onKeyDown={(e) => {
          if (e.key === 'Enter' && text.trim()) {
            e.preventDefault()
            e.stopPropagation()
            add()
          }
          if (e.key === 'Backspace' && text === '' && tags.length) onChange(tags.slice(0, -1))
        }}
      />
    </div>
  )
}

type Choice = { id: string; name: string; more: string }

// useChoices finds what a reference may lead to: before anything is typed what was opened lately stands first. The choices are settled once
// they are those of the text.
function useChoices(leaf: Leaf, text: string, open: boolean, filtering?: boolean): { choices: Choice[]; settled: boolean } {
  const { schema, me } = useApp()
  const choosable = useKinds()[leaf.target ?? '']?.choosable
  const stages = useStageChoices(leaf, text)
  const target = schema.resources.find((r) => r.name === leaf.target)
  const several = schema.resources.filter((r) => leaf.targets?.includes(r.name))
  const lately = useRecent(5, open && text.trim() === '' && !(choosable && !filtering) ? (target ? [target] : several) : [])
  const { data, isFetching } = useQuery({
    queryKey: ['choices', leaf.target ?? leaf.targets?.join(), text],
    enabled: !stages && (!!target || !!leaf.targets) && target?.permissions.read !== 'none' && (!!target || text.trim() !== ''),
    staleTime: 10_000,
    placeholderData: (kept) => kept,
    queryFn: async (): Promise<Choice[]> => {
      if (!target) {
        const found = await call<{ data: Hit[] }>('POST', '/v1/search', { search_text: text, resources: leaf.targets, limit: 20 })
        return found.data.map((hit) => ({
          id: hit.record.id,
          name: (hit.record.name as string | undefined) ?? hit.resource,
          more: schema.resources.find((r) => r.name === hit.resource)?.label ?? '',
        }))
      }
      // What a business has put in an order is chosen from in that order, and not told apart by it.
      const ordered = !!leafOf(target, 'position')
      const order = ordered ? 'position' : target.named_by[0]
      const telling = ordered ? undefined : target.telling[0]
      const found = await call<Page>('POST', target.path + '/search', {
        limit: 20,
        fields: ['id', ...target.named_by, ...(telling ? [telling] : [])],
        order_by: order === 'body' ? 'created_at' : order,
        sort_direction: 'asc',
        ...(text.trim() ? { search_text: text.trim() } : {}),
        ...(choosable && !filtering ? { filters: choosable } : {}),
      })
      return found.data.map((r) => {
        const value = telling && at(r, telling)
        return { id: r.id, name: titleOf(target, r), more: value ? formatPlain(leafOf(target, telling), value, r) : '' }
      })
    },
  })
  if (stages) return { choices: stages, settled: true }
  const mine =
    filtering && target && me.user.id.startsWith(target.id_prefix + '_') ? [{ id: '@me', name: t('me'), more: me.user.name }] : []
  const recent = lately.map((r) => ({ id: r.id, name: r.name, more: target ? t('openedLately') : r.res.label }))
  const others = target || text.trim() ? (data ?? []).filter((c) => !recent.some((r) => r.id === c.id)) : []
  return { choices: [...mine, ...recent, ...others], settled: !isFetching }
}

const create = 'create!'

// useMaking makes what a reference is to lead to, by the name that was typed: at once where that is all it takes, or else in a form.
function useMaking(leaf: Leaf, onMade: (made: Picked) => void, onLeft: () => void) {
  const { schema } = useApp()
  const client = useQueryClient()
  const notice = useNotice()
  const { explain } = useEditing()
  const Form = useMakingForm()
  const [asking, setAsking] = useState<string | null>(null)
  const res = schema.resources.find((r) => r.name === leaf.target)
  const title = res && leafOf(res, res.named_by[0])
  const able = !!title && !title.read_only && !res.feature && res.permissions.write !== 'none' && res.operations.includes('create')
  const made = (record: Rec) => {
    setAsking(null)
    onMade({ id: record.id, name: titleOf(res!, record) })
  }
  const make = async (name: string) => {
    if (leaves(res!).some((l) => l.required && !l.read_only && l !== title)) return setAsking(name)
    try {
      const record = await call<Rec>('POST', res!.path, patchOf(title!.path, name))
      notice({ text: t('created', { name: titleOf(res!, record) }) })
      void refresh(client)
      made(record)
    } catch (error) {
      explain(error, res)
      onLeft()
    }
  }
  const form = asking !== null && (
    <Suspense>
      <Form
        res={res!}
        preset={{ [title!.path]: { value: asking } }}
        onClose={() => {
          setAsking(null)
          onLeft()
        }}
        onCreated={made}
      />
    </Suspense>
  )
  return { able, make, form }
}

// While its list is open, the library hides the rest of the page from who cannot see it, although Tab still goes there. What can be gone to is not hidden.
const reachable = 'a[href], button, input, select, textarea, [tabindex]'
function useShownBeside(open: boolean) {
  useEffect(() => {
    if (!open) return
    for (const e of document.querySelectorAll('[aria-hidden=true]'))
      if (e.matches(reachable) || e.querySelector(reachable)) e.removeAttribute('aria-hidden')
  }, [open])
}

function ReferenceInput({ leaf, value, onChange, label, shownAs, autoFocus, invalid, filtering, except, inCell }: InputProps) {
  const [text, setText] = useState(value === '@me' ? t('me') : (shownAs ?? ''))
  const named = useRef(text)
  const [open, setOpen] = useState(false)
  useShownBeside(open)
  const [typed, setTyped] = useState(false)
  // A name that was typed is not dropped without a word: while nothing is chosen for it, it is unsettled, and who leaves it is told.
  const [left, setLeft] = useState(false)
  const escaped = useRef(false)
  const unsettled = typed && !filtering && text.trim() !== ''
  const { choices: found, settled } = useChoices(leaf, typed ? text : '', open, filtering)
  // What is given from elsewhere, because something else was chosen, shows by its name, also where that is found out later.
  const own = useRef(value ?? null)
  const told = useRef(shownAs)
  useEffect(() => {
    const found = !!shownAs && shownAs !== told.current && named.current === ''
    told.current = shownAs
    if (own.current === (value ?? null) && !found) return
    own.current = value ?? null
    named.current = shownAs ?? ''
    setText(named.current)
    setTyped(false)
  }, [value, shownAs])
  const pick = (choice: Picked) => {
    own.current = choice.id
    named.current = choice.name
    setText(choice.name)
    setTyped(false)
    setLeft(false)
    onChange(choice.id, { id: choice.id, name: choice.name })
  }
  const unpick = () => {
    setText(value ? named.current : '')
    setTyped(false)
    setLeft(false)
  }
  const { able, make, form } = useMaking(leaf, pick, unpick)
  const name = typed && able && settled && !filtering && !except ? text.trim() : ''
  const choices = found.filter((c) => c.id !== except)
  if (name && !choices.some((c) => c.name.toLowerCase() === name.toLowerCase()))
    choices.push({ id: create, name: t('createNamed', { name }), more: '' })
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (autoFocus) input.current?.select()
  }, [autoFocus])
  const same = choices.filter((c) => c.id !== create && c.name.toLowerCase() === text.trim().toLowerCase())
  const only = left && unsettled && settled && same.length === 1 ? same[0] : null
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is picked once it is found.
  useEffect(() => {
    if (only) pick(only)
  }, [only?.id])
  const { schema } = useApp()
  const to = value && !filtering ? openedBy(leaf, value as string, schema.resources) : null
  return (
    <>
      <ComboBox
        className={`combo${to ? ' leads' : ''}`}
        aria-label={label}
        autoFocus={autoFocus}
        isInvalid={invalid}
        items={choices}
        inputValue={text}
        // In a form a list that opened by itself, because a field has the focus first, would stand over what one wants to press.
        menuTrigger={inCell ? 'focus' : 'input'}
        onOpenChange={setOpen}
        allowsEmptyCollection
        selectedKey={(value ?? null) as string | null}
        onInputChange={(next) => {
          setTyped(next !== (shownAs ?? ''))
          setText(next)
          if (next !== '' || !value || !(leaf.nullable || filtering)) return
          own.current = null
          onChange(null, null)
        }}
        onSelectionChange={(key) => {
          const choice = choices.find((c) => c.id === key)
          if (key === create) void make(name)
          else if (choice && key !== (value ?? null)) pick(choice)
          // What was typed leads nowhere: who gives it up, or has what was chosen before, finds that there again.
          else if (escaped.current || !unsettled) unpick()
          else if (choice && !inCell && input.current === document.activeElement) pick(choice)
          else setLeft(true)
        }}
      >
        <div
          className="combo-box"
          onKeyDownCapture={(e) => {
            escaped.current = e.key === 'Escape'
            if (!to || e.key !== 'Enter' || (!e.ctrlKey && !e.metaKey)) return
            e.preventDefault()
            e.stopPropagation()
            openBeside(to)
          }}
        >
          <ChoiceInput input={input} unsettled={unsettled} onHeld={() => setLeft(true)} />
          {/* What is typed is not left for it: it is opened beside. */}
          {to && (
            <a
              href={to}
              target="_blank"
              rel="noopener"
              className="reference-open"
              tabIndex={-1}
              aria-label={t('openOne', { name: named.current })}
            >
              <Icon name="right" size={14} />
            </a>
          )}
          <AriaButton className="combo-open" aria-label={t('showAll')}>
            <Icon name="down" size={14} />
          </AriaButton>
        </div>
        <Popover className="popover combo-list" offset={4}>
          <ListBox
            className="menu"
            renderEmptyState={() => <p className="hint pad">{t(text.trim() === '' ? 'typeToSearch' : 'nothingFound')}</p>}
          >
            {(choice: Choice) => (
              <ListBoxItem id={choice.id} textValue={choice.name} className={`menu-item two-lines${choice.id === create ? ' makes' : ''}`}>
                {choice.id === create && <Icon name="plus" size={14} />}
                <bdi>{choice.name}</bdi> {choice.more && <bdi className="soft">{choice.more}</bdi>}
              </ListBoxItem>
            )}
          </ListBox>
        </Popover>
      </ComboBox>
      {left && unsettled && settled && !only && (
        <p className="error" role="alert">
          {t(able && !except ? 'chooseOrMake' : 'chooseOne', { name: text.trim() })}{' '}
          {name && same.length === 0 && (
            <button type="button" className="unfold" onClick={() => void make(name)}>
              {t('createNamed', { name })}
            </button>
          )}
        </p>
      )}
      {form}
    </>
  )
}

// useHeld keeps a form from being sent while something in it is unsettled. Who wants to send it, or to leave a cell, is told.
function useHeld(input: RefObject<HTMLInputElement | null>, unsettled: boolean, tell: () => void) {
  const now = useRef(tell)
  now.current = tell
  useEffect(() => {
    const [box, form] = [input.current, input.current?.form]
    if (!unsettled || !box) return
    const hold = (e: Event) => {
      e.preventDefault()
      e.stopPropagation()
      now.current()
      box.focus()
    }
    form?.addEventListener('submit', hold)
    box.addEventListener('unsettled', hold)
    return () => {
      form?.removeEventListener('submit', hold)
      box.removeEventListener('unsettled', hold)
    }
  }, [input, unsettled])
}

// isHeld tells whether something in a place is unsettled, and has that told.
export function isHeld(place: HTMLElement | null): boolean {
  const box = place?.querySelector('[data-unsettled]')
  box?.dispatchEvent(new Event('unsettled'))
  return !!box
}

// ChoiceInput opens the list of its combo box by a click, too, and not only by typing and by the arrow.
function ChoiceInput({ input, unsettled, onHeld }: { input: RefObject<HTMLInputElement | null>; unsettled: boolean; onHeld: () => void }) {
  const state = use(ComboBoxStateContext)
  useHeld(input, unsettled, () => {
    state?.close()
    onHeld()
  })
  return (
    <AriaInput
      ref={input}
      className="input"
      placeholder={t('searchIn')}
      data-unsettled={unsettled || undefined}
      onClick={() => state?.open(null, 'manual')}
    />
  )
}

// Labelled is a field of a form: its name, its control, what helps and what is wrong.
export function Labelled({
  leaf,
  value,
  onChange,
  shownAs,
  error,
  autoFocus,
  except,
  brief,
}: {
  leaf: Leaf
  value: unknown
  onChange: InputProps['onChange']
  shownAs?: string | null
  error?: string
  autoFocus?: boolean
  except?: string
  // brief leaves what helps to who points at the name.
  brief?: boolean
}) {
  const id = useId()
  const help = brief ? undefined : leaf.help
  const told = [help && `${id}-help`, error && `${id}-error`].filter(Boolean).join(' ')
  return (
    <div
      className={`field${error ? ' wrong' : ''}${leaf.kind === 'long_text' || leaf.kind === 'tags' || leaf.kind === 'multi_select' ? ' broad' : ''}`}
    >
      <span className="field-label" aria-hidden="true" title={brief ? leaf.help : undefined}>
        {leaf.label}
        {leaf.required && <span className="required"> {t('required')}</span>}
      </span>
      <Input
        leaf={leaf}
        value={value}
        onChange={onChange}
        label={leaf.group ? `${leaf.group}: ${leaf.label}` : leaf.label}
        shownAs={shownAs}
        describedBy={told || undefined}
        invalid={!!error}
        autoFocus={autoFocus}
        except={except}
      />
      {help && !error && (
        <p className="hint" id={`${id}-help`}>
          {help}
        </p>
      )}
      {error && (
        <p className="error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  )
}

// leaving tells whether a key means that an input in a cell is done with.
export function leaving(e: KeyboardEvent, leaf: Leaf): 'keep' | 'drop' | null {
  if (e.key === 'Escape') return 'drop'
  if (e.key === 'Tab') return 'keep'
  // With Ctrl, what a reference leads to is opened.
  if (e.key === 'Enter' && leaf.kind === 'reference' && (e.ctrlKey || e.metaKey)) return null
  if (e.key === 'Enter' && (leaf.kind !== 'long_text' || e.ctrlKey || e.metaKey)) return 'keep'
  return null
}
