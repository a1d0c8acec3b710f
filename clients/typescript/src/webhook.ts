import type { WebhookEvent } from './resources.gen.js'

/** What came is not what kith sent, or came too late. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError'
}

/** Headers as fetch has them, or as Node's server does. */
export type Headers = { get(name: string): string | null } | Record<string, string | string[] | undefined>

/**
 * Checks the signature of what a webhook was sent (Standard Webhooks), and gives the event. The body must be what came, byte by
 * byte: not parsed and rendered anew. Of several secrets one must fit, so that a new one can be brought in. What was signed more
 * than five minutes ago, or is to come, is refused.
 */
export async function verifyWebhook(
  secret: string | readonly string[], headers: Headers, body: string | Uint8Array, options: { tolerance?: number; now?: number } = {},
): Promise<WebhookEvent> {
  const header = (name: string): string => {
    const value = typeof headers.get === 'function' ? headers.get(name) : (headers as Record<string, string | string[] | undefined>)[name]
    if (typeof value !== 'string' || value === '') throw new WebhookError(`the header ${name} is missing`)
    return value
  }
  const id = header('webhook-id')
  const timestamp = header('webhook-timestamp')
  const { tolerance = 300, now = Date.now() / 1000 } = options
  if (!/^[0-9]+$/.test(timestamp) || Math.abs(now - Number(timestamp)) > tolerance) {
    throw new WebhookError('the timestamp is too far from now')
  }
  const text = typeof body === 'string' ? new TextEncoder().encode(body) : body
  const head = new TextEncoder().encode(`${id}.${timestamp}.`)
  const signed = new Uint8Array(head.length + text.length)
  signed.set(head)
  signed.set(text, head.length)
  const signatures = header('webhook-signature').split(' ').filter((s) => s.startsWith('v1,')).map((s) => decode(s.slice(3)))
  for (const one of typeof secret === 'string' ? [secret] : secret) {
    const raw = decode(one.replace(/^whsec_/, ''))
    if (raw === undefined || raw.length === 0) throw new WebhookError('the secret is not in base64')
    const key = await crypto.subtle.importKey('raw', raw, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
    for (const signature of signatures) {
      if (signature !== undefined && await crypto.subtle.verify('HMAC', key, signature, signed)) {
        return JSON.parse(new TextDecoder().decode(text)) as WebhookEvent
      }
    }
  }
  throw new WebhookError('no signature fits')
}

function decode(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))
  } catch {
    return undefined
  }
}
