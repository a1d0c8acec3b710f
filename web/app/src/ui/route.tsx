// Where the app is: its address, read and written. There is no more to a router here.

import { type AnchorHTMLAttributes, useSyncExternalStore } from 'react'

export const root = '/app'

const listeners = new Set<() => void>()
const tell = () => {
  for (const listener of listeners) listener()
}

// What is not saved yet asks before the app goes elsewhere; leave is how to go there all the same.
let guard: ((leave: () => void) => void) | null = null
export const guardLeaving = (ask: typeof guard) => {
  guard = ask
}
let here = location.href
addEventListener('popstate', () => {
  const to = location.href
  if (guard && new URL(to).pathname !== new URL(here).pathname) {
    history.pushState(null, '', here)
    return guard(() => move(to))
  }
  here = to
  tell()
})

function move(to: string, replace?: boolean) {
  guard = null
  if (replace) history.replaceState(history.state, '', to)
  else history.pushState(null, '', to)
  here = location.href
  tell()
}

function subscribe(listener: () => void) {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function go(to: string, options: { replace?: boolean } = {}) {
  if (to === location.pathname + location.search) return
  if (guard && new URL(to, location.href).pathname !== location.pathname) return guard(() => move(to, options.replace))
  const asks = guard
  move(to, options.replace)
  guard = asks
}

export function useAddress(): URL {
  const href = useSyncExternalStore(subscribe, () => location.href)
  return new URL(href)
}

export function Link({ to, onClick, ...rest }: { to: string } & Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href'>) {
  return (
    <a
      {...rest}
      href={to}
      onClick={(e) => {
        onClick?.(e)
        if (e.defaultPrevented || e.button !== 0 || e.metaKey || e.ctrlKey || e.shiftKey || e.altKey) return
        e.preventDefault()
        go(to)
      }}
    />
  )
}
