// Who may change roles sees the app as somebody with a role does: in one tab, and without changing anything. The page is loaded anew with
// it, so that nothing is shown that was read with other rights.

const place = 'kith.seeAs'

// seenAs is the id of the role, for as long as the page stands.
export const seenAs = globalThis.sessionStorage?.getItem(place) ?? null

export const seenAsHeader: Record<string, string> = seenAs ? { 'See-As': seenAs } : {}

export function seeAs(role: string, to: string) {
  sessionStorage.setItem(place, role)
  location.assign(to)
}

// stopSeeing goes on as oneself: here, or elsewhere.
export function stopSeeing(to?: string) {
  sessionStorage.removeItem(place)
  if (to) location.assign(to)
  else location.reload()
}
