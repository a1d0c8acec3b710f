// Where the app is: its address, read and written. There is no more to a router here.

import { useSyncExternalStore, type AnchorHTMLAttributes } from 'react'

export const root = '/app'

const listeners = new Set<() => void>()
const tell = () => listeners.forEach((l) => l())
window.addEventListener('popstate', tell)

function subscribe(listener: () => void) {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function go(to: string, options: { replace?: boolean } = {}) {
  if (to === location.pathname + location.search) return
  if (options.replace) history.replaceState(history.state, '', to)
  else history.pushState(null, '', to)
  tell()
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
