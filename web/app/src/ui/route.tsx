// Where the app is: its address, read and written. There is no more to a router here.

import { type AnchorHTMLAttributes, useSyncExternalStore } from 'react'

export const root = '/app'

const listeners = new Set<() => void>()
const tell = () => {
  for (const listener of listeners) listener()
}

// What is not saved yet asks before the app goes elsewhere; leave is how to go there all the same. Where several ask, they do in turn.
type Guard = (leave: () => void) => void
const guards: Guard[] = []
export function guardLeaving(ask: Guard): () => void {
  guards.push(ask)
  return () => forget(ask)
}
function forget(ask: Guard) {
  if (guards.includes(ask)) guards.splice(guards.indexOf(ask), 1)
}
function leaveTo(to: string, replace?: boolean) {
  const ask = guards.at(-1)
  if (!ask) return move(to, replace)
  ask(() => {
    forget(ask)
    leaveTo(to, replace)
  })
}
let here = location.href
// arrival tells where one was before, and whether one has come here by the browser's own buttons.
let arrived = { from: '', back: false }
export const arrival = () => arrived
addEventListener('popstate', () => {
  const to = location.href
  if (guards.length && new URL(to).pathname !== new URL(here).pathname) {
    history.pushState(null, '', here)
    return leaveTo(to)
  }
  arrived = { from: new URL(here).pathname, back: true }
  here = to
  tell()
})

function move(to: string, replace?: boolean) {
  arrived = { from: location.pathname, back: false }
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
  if (new URL(to, location.href).pathname === location.pathname) move(to, options.replace)
  else leaveTo(to, options.replace)
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
