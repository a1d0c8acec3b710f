// nextAddress is where to go after a second factor was set up, in the app at root: what the address names, if it is the app or the consent to an app of others, and nothing else.
export function nextAddress(search: string, root: string): string {
  const next = new URLSearchParams(search).get('next') ?? ''
  if (!/^\/[^/\\]/.test(next)) return root
  const url = new URL(next, 'https://here.invalid')
  const within =
    url.origin === 'https://here.invalid' &&
    (url.pathname === root || url.pathname.startsWith(`${root}/`) || url.pathname === '/oauth/authorize')
  return within ? url.pathname + url.search : root
}
