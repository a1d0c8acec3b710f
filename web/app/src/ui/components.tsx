// Small parts that all screens share: icons, buttons, menus, dialogs, notices.

import { createContext, type ReactNode, use, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import {
  Button as AriaButton,
  Dialog as AriaDialog,
  Menu as AriaMenu,
  MenuItem as AriaMenuItem,
  type ButtonProps,
  Heading,
  type MenuItemProps,
  MenuTrigger,
  Modal,
  ModalOverlay,
  Popover,
} from 'react-aria-components'
import { t } from '../i18n/translate'
import { colourOf } from './colours'
import { useCommands } from './commands'

const shapes: Record<string, string> = {
  contact: 'M8 8.5a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM2.5 14c.6-2.6 2.8-4 5.5-4s4.9 1.4 5.5 4',
  company: 'M3 14V3.5c0-.6.4-1 1-1h5c.6 0 1 .4 1 1V14M10 6.5h2c.6 0 1 .4 1 1V14M1.5 14h13M5.5 5.5h2M5.5 8h2M5.5 10.5h2',
  deal: 'M2.5 4h3v8h-3zM6.5 4h3v5h-3zM10.5 4h3v6.5h-3z',
  task: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM5.5 8l1.8 1.8L10.6 6.4',
  note: 'M3.5 2.5h9v7l-4 4h-5zM12.5 9.5h-4v4M5.5 5.5h5M5.5 8h3',
  activity: 'M1.5 8.5h3l2-5.5 3 10 2-4.5h3',
  product: 'M8 1.8 13.5 5v6L8 14.2 2.5 11V5zM2.5 5 8 8l5.5-3M8 8v6',
  quote: 'M4 1.8h5.5L12.5 5v9.2H4zM9.3 2v3.2h3M6 8h4.5M6 10.8h4.5',
  association: 'M6.5 9.5l3-3M7 4.7l1.3-1.3a2.8 2.8 0 0 1 4 4L11 8.7M9 11.3l-1.3 1.3a2.8 2.8 0 0 1-4-4L5 7.3',
  pipeline: 'M2.5 3h3v10h-3zM6.5 3h3v6h-3zM10.5 3h3v8h-3z',
  lifecycle_stage: 'M2 8h11M9.5 4.5 13 8l-3.5 3.5',
  role: 'M8 1.8l5 2v4c0 3.2-2.2 5.4-5 6.4-2.8-1-5-3.2-5-6.4v-4z',
  token: 'M10 9.5a3.5 3.5 0 1 0-3.3-2.4L2 11.8V14h2.2l.8-.8v-1.4h1.4l1-1V9.6h1.3ZM10.8 5.2h.01',
  app: 'M2.5 2.5H7V7H2.5zM9 2.5h4.5V7H9zM2.5 9H7v4.5H2.5zM9 9h4.5v4.5H9z',
  field: 'M2.5 3h11v10h-11zM6.2 3v10M9.8 3v10',
  webhook: 'M9.5 2.5h4v4M13.5 2.5 7.5 8.5M11.5 9.5v4h-9v-9h4',
  plus: 'M8 3v10M3 8h10',
  import: 'M8 10V2M5 5l3-3 3 3M2.5 12.5h11',
  tag: 'M2.5 2.5h5.6l5.4 5.4-5.6 5.6-5.4-5.4zM5.5 5.5h.01',
  export: 'M8 2v8M5 7l3 3 3-3M2.5 12.5h11',
  print: 'M4.5 5.5v-3h7v3M4.5 11H2.5V5.5h11V11h-2M4.5 9h7v4.5h-7z',
  close: 'M4 4l8 8M12 4l-8 8',
  down: 'M4 6l4 4 4-4',
  up: 'M4 10l4-4 4 4',
  right: 'M6 4l4 4-4 4',
  left: 'M10 4 6 8l4 4',
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10ZM10.8 10.8 14 14',
  filter: 'M2.5 4h11M4.5 8h7M6.5 12h3',
  columns: 'M2.5 3h11v10h-11zM6.2 3v10M9.8 3v10',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
  more: 'M3 8h1M7.5 8h1M12 8h1',
  check: 'M3 8.5 6.5 12 13 4.5',
  blank: 'M0 0', // the place of a sign, so that lines with and without one begin alike
  view: 'M2 4.5h12M2 8h12M2 11.5h7',
  views: 'M4 2.5h8v11l-4-3-4 3z',
  sort: 'M5 3v10M2.5 10.5 5 13l2.5-2.5M11 13V3M8.5 5.5 11 3l2.5 2.5',
  group: 'M2 3h8M5 6h9M2 10h8M5 13h9',
  board: 'M2.5 3h3v10h-3zM6.5 3h3v6h-3zM10.5 3h3v8h-3z',
  calendar: 'M2.5 3.5h11v10h-11zM2.5 6.8h11M5.5 2v3M10.5 2v3',
  pin: 'M6 2h4l-.5 4.5L12 9H4l2.5-2.5zM8 9v5',
  bin: 'M3 4.5h10M6.5 4.5V3h3v1.5M4.5 4.5l.6 8.5h5.8l.6-8.5',
  reports: 'M2.5 13.5h11M4.5 11V8M8 11V3.5M11.5 11V6',
  home: 'M2.5 7.5 8 2.8l5.5 4.7M4 6.5V13h8V6.5',
  settings: 'M2.5 5h7M12.5 5h1M2.5 11h1M6.5 11h7M11 6.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3ZM5 12.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3Z',
  clock: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM8 5v3.2l2.2 1.3',
  link: 'M9.5 2.5h4v4M13.5 2.5 7.5 8.5M11.5 9.5v4h-9v-9h4',
  undo: 'M5.5 2.5 2.5 5.5l3 3M2.5 5.5h7a4 4 0 0 1 0 8H6',
  edit: 'M3 13l.5-3L11 2.5 13.5 5 6 12.5z',
  bell: 'M4 11.5V7a4 4 0 0 1 8 0v4.5l1.2 1H2.8zM6.8 14h2.4',
  call: 'M3 2.5h3l1.2 3-1.6 1.3c.7 1.5 2 2.8 3.6 3.6l1.3-1.6 3 1.2v3c-6 .8-11.3-4.5-10.5-10.5Z',
  email: 'M2 3.5h12v9H2zM2 4.5l6 4.5 6-4.5',
  meeting: 'M2.5 4h11v9h-11zM2.5 7h11M5.5 2.5v3M10.5 2.5v3',
  people: 'M6 8.2a2.6 2.6 0 1 0 0-5.2 2.6 2.6 0 0 0 0 5.2ZM1.5 13c.4-2.2 2.2-3.4 4.5-3.4s4.1 1.2 4.5 3.4M10.5 3.2a2.5 2.5 0 0 1 0 4.8',
  user: 'M8 8.5a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM2.5 14c.6-2.6 2.8-4 5.5-4s4.9 1.4 5.5 4',
  keyboard: 'M1.5 4h13v8h-13zM4 6.5h.01M6.5 6.5h.01M9 6.5h.01M11.5 6.5h.01M5 9.5h6',
}

export function Icon({ name, size = 16 }: { name: string; size?: number }) {
  const shape = shapes[name]
  return (
    <svg className="icon" width={size} height={size} viewBox="0 0 16 16" aria-hidden="true" focusable="false">
      {shape ? <path d={shape} /> : <circle cx="8" cy="8" r="3" />}
    </svg>
  )
}

export function Mark() {
  return (
    <svg className="mark" viewBox="0 0 32 20" aria-hidden="true" focusable="false">
      <circle className="one" cx="11" cy="10" r="9" />
      <circle className="two" cx="21" cy="10" r="9" />
    </svg>
  )
}

export function initials(name: string): string {
  const words = name.trim().split(/\s+/)
  return ((words[0]?.[0] ?? '') + (words.length > 1 ? words[words.length - 1][0] : '')).toUpperCase()
}

// Avatar is a round sign of a person, with a tint that is always the same for them.
export function Avatar({ name, id }: { name: string; id?: string }) {
  let sum = 0
  for (const c of id ?? name) sum = (sum * 31 + c.charCodeAt(0)) % 6
  return (
    <span className={`avatar tint-${sum}`} aria-hidden="true">
      {initials(name)}
    </span>
  )
}

// Chip is a short word in a colour: an option that was chosen, the stage of a record, a state.
export function Chip({ color, children }: { color?: string; children: ReactNode }) {
  return (
    <span className={`chip chip-${colourOf(color)}`}>
      <bdi>{children}</bdi>
    </span>
  )
}

type Look = 'primary' | 'plain' | 'quiet' | 'danger'

// A browser takes the focus away from a button that is disabled, as the one that saves is while it does. In a dialog that would be the end of its keys: the dialog holds the focus meanwhile.
function useHeld(disabled: boolean) {
  const button = useRef<HTMLButtonElement>(null)
  const holder = useRef<HTMLElement | null>(null)
  const focused = button.current !== null && document.activeElement === button.current // by then it has lost it
  // biome-ignore lint/correctness/useExhaustiveDependencies: who had the focus is asked when it is lost, and not later.
  useLayoutEffect(() => {
    if (disabled && focused) {
      holder.current = button.current?.closest<HTMLElement>('[role=dialog]') ?? null
      holder.current?.focus()
    } else if (!disabled && holder.current) {
      if (document.activeElement === holder.current) button.current?.focus()
      holder.current = null
    }
  }, [disabled])
  return button
}

export function Button({
  look = 'plain',
  icon,
  label,
  children,
  className,
  ...rest
}: ButtonProps & { look?: Look; icon?: string; label?: string; children?: ReactNode }) {
  const button = useHeld(!!rest.isDisabled)
  return (
    <AriaButton
      {...rest}
      ref={button}
      aria-label={label ?? rest['aria-label']}
      className={`button ${look}${children ? '' : ' bare'} ${className ?? ''}`}
    >
      {icon && <Icon name={icon} />}
      {children}
    </AriaButton>
  )
}

export function Menu({
  trigger,
  label,
  children,
  onAction,
}: {
  trigger: ReactNode
  label: string
  children: ReactNode
  onAction?: (key: string) => void
}) {
  return (
    <MenuTrigger>
      {trigger}
      <Popover className="popover" placement="bottom end" offset={6}>
        <AriaMenu className="menu" aria-label={label} onAction={(key) => onAction?.(String(key))}>
          {children}
        </AriaMenu>
      </Popover>
    </MenuTrigger>
  )
}

export function MenuItem({ icon, children, ...rest }: Omit<MenuItemProps, 'children'> & { icon?: string; children: string }) {
  return (
    <AriaMenuItem {...rest} textValue={children} className="menu-item">
      {icon && <Icon name={icon} />}
      <span>{children}</span>
    </AriaMenuItem>
  )
}

// Where what had opened a dialog is gone when it closes, such as an item of a menu, the focus is with the screen, and not lost.
function useLanding() {
  useEffect(
    () => () => {
      setTimeout(
        () => (!document.activeElement || document.activeElement === document.body) && document.getElementById('main')?.focus(),
        50,
      )
    },
    [],
  )
}

export function Dialog({
  title,
  onClose,
  children,
  wide,
  side,
}: {
  title: string
  onClose: () => void
  children: ReactNode
  wide?: boolean
  side?: boolean
}) {
  useLanding()
  return (
    <ModalOverlay className="veil" isOpen isDismissable onOpenChange={(open) => !open && onClose()}>
      <Modal className={`sheet${wide ? ' wide' : ''}${side ? ' side' : ''}`}>
        <AriaDialog className="dialog">
          <header className="dialog-head">
            <Heading slot="title">{title}</Heading>
            <Button look="quiet" icon="close" label={t('close')} onPress={onClose} />
          </header>
          {children}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  )
}

// Notices tell what happened, and for a while how to take it back; or what is under way, for as long as it is.
export type Notice = {
  id: number
  text: string
  bad?: boolean
  undo?: () => void
  // offer is what is likely to be done next.
  offer?: { text: string; run: () => void }
  progress?: { done: number; total: number }
  cancel?: () => void
}
export type Told = { change: (notice: Partial<Omit<Notice, 'id'>>) => void; close: () => void }

const NoticeContext = createContext<(notice: Omit<Notice, 'id'>) => Told>(() => ({ change: () => {}, close: () => {} }))
export const useNotice = () => use(NoticeContext)

let numbers = 0

// What can be taken back, the last at the end, also when nobody is told of it any more.
const mostUndone = 20
let undoable: { id: number; text: string; run: () => void }[] = []

export function Notices({ children }: { children: ReactNode }) {
  const [all, setAll] = useState<Notice[]>([])
  const close = useCallback((id: number) => setAll((list) => list.filter((n) => n.id !== id)), [])
  const undo = (id: number) => {
    const known = undoable.find((u) => u.id === id)
    undoable = undoable.filter((u) => u !== known)
    close(id)
    known?.run()
  }
  const show = useCallback(
    (notice: Omit<Notice, 'id'>): Told => {
      const id = ++numbers
      if (notice.undo) undoable = [...undoable.slice(1 - mostUndone), { id, text: notice.text, run: notice.undo }]
      setAll((list) => [...list.filter((n) => n.progress), ...list.filter((n) => !n.progress).slice(-1), { ...notice, id }])
      return { change: (next) => setAll((list) => list.map((n) => (n.id === id ? { ...n, ...next } : n))), close: () => close(id) }
    },
    [close],
  )
  const last = undoable.at(-1)
  useCommands([
    {
      act: 'undo',
      text: last && t('undoOf', { what: last.text }),
      icon: 'undo',
      run: () => {
        const now = undoable.at(-1)
        if (now) undo(now.id)
        else show({ text: t('undoNone') })
      },
    },
  ])
  return (
    <NoticeContext value={show}>
      {children}
      {/* While a dialog is open the rest of the page is not to be reached; what is told then is. */}
      <div className="notices" role="region" aria-label={t('notices')} data-react-aria-top-layer="true">
        <div role="status" aria-live="polite">
          {all.map((n) => (
            <NoticeCard key={n.id} notice={n} close={close} onUndo={() => undo(n.id)} />
          ))}
        </div>
      </div>
    </NoticeContext>
  )
}

function NoticeCard({ notice, close, onUndo }: { notice: Notice; close: (id: number) => void; onUndo: () => void }) {
  const held = useRef(false)
  const { id, bad } = notice
  const steady = !!notice.progress
  useEffect(() => {
    if (steady) return
    const timer = setInterval(() => !held.current && close(id), bad ? 10_000 : 6_000)
    return () => clearInterval(timer)
  }, [id, bad, steady, close])
  const hold = (on: boolean) => () => {
    held.current = on
  }
  return (
    <div
      className={`notice${bad ? ' bad' : ''}`}
      onPointerEnter={hold(true)}
      onPointerLeave={hold(false)}
      onFocus={hold(true)}
      onBlur={hold(false)}
    >
      <p>
        {notice.text}
        {notice.progress && (
          <progress
            aria-label={notice.text}
            max={notice.progress.total || undefined}
            value={notice.progress.total ? notice.progress.done : undefined}
          />
        )}
      </p>
      {notice.cancel && (
        <Button look="quiet" onPress={notice.cancel}>
          {t('cancel')}
        </Button>
      )}
      {notice.offer && (
        <Button
          look="quiet"
          onPress={() => {
            close(id)
            notice.offer?.run()
          }}
        >
          {notice.offer.text}
        </Button>
      )}
      {notice.undo && (
        <Button look="quiet" onPress={onUndo}>
          {t('undo')}
        </Button>
      )}
      {!steady && <Button look="quiet" icon="close" label={t('close')} onPress={() => close(id)} />}
    </div>
  )
}

export function Empty({ icon, title, children, first }: { icon: string; title: string; children?: ReactNode; first?: boolean }) {
  const Title = first ? 'h1' : 'h2'
  return (
    <div className="empty">
      <span className="empty-sign">
        <Icon name={icon} size={28} />
      </span>
      <Title>{title}</Title>
      {children}
    </div>
  )
}

// Bones stand where a screen will be.
export function Skeleton() {
  return (
    <div className="bones" aria-busy="true">
      <span className="unseen" role="status">
        {t('loading')}
      </span>
      {Array.from({ length: 12 }, (_, i) => (
        <span key={i} className={`bone w${i % 4}`} />
      ))}
    </div>
  )
}

export function useNarrow(): boolean {
  const [narrow, setNarrow] = useState(() => matchMedia('(max-width: 44rem)').matches)
  useEffect(() => {
    const query = matchMedia('(max-width: 44rem)')
    const change = () => setNarrow(query.matches)
    query.addEventListener('change', change)
    return () => query.removeEventListener('change', change)
  }, [])
  return narrow
}
