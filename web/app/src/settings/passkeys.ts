// Passkeys, as the browser has them: what the server asks for goes in as JSON, and what the browser signed comes back so.

const bytes = (text: string) => Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0))
const text = (buffer: ArrayBuffer) =>
  btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
const known = (list?: { id: string }[]) =>
  (list ?? []).map((key) => ({ ...key, id: bytes(key.id) })) as unknown as PublicKeyCredentialDescriptor[]

export const hasPasskeys = () => !!window.PublicKeyCredential

const written = (made: PublicKeyCredential, response: Record<string, unknown>) =>
  JSON.stringify({
    id: made.id,
    rawId: text(made.rawId),
    type: made.type,
    clientExtensionResults: made.getClientExtensionResults(),
    response,
  })

export async function createPasskey(options: PublicKeyCredentialCreationOptionsJSON): Promise<string> {
  const asked = {
    ...options,
    challenge: bytes(options.challenge),
    user: { ...options.user, id: bytes(options.user.id) },
    excludeCredentials: known(options.excludeCredentials),
  }
  const made = (await navigator.credentials.create({
    publicKey: asked as unknown as PublicKeyCredentialCreationOptions,
  })) as PublicKeyCredential
  const r = made.response as AuthenticatorAttestationResponse
  return written(made, {
    clientDataJSON: text(r.clientDataJSON),
    attestationObject: text(r.attestationObject),
    transports: r.getTransports?.() ?? [],
  })
}

export async function getPasskey(options: PublicKeyCredentialRequestOptionsJSON): Promise<string> {
  const asked = { ...options, challenge: bytes(options.challenge), allowCredentials: known(options.allowCredentials) }
  const made = (await navigator.credentials.get({
    publicKey: asked as unknown as PublicKeyCredentialRequestOptions,
  })) as PublicKeyCredential
  const r = made.response as AuthenticatorAssertionResponse
  return written(made, {
    clientDataJSON: text(r.clientDataJSON),
    authenticatorData: text(r.authenticatorData),
    signature: text(r.signature),
    userHandle: r.userHandle ? text(r.userHandle) : undefined,
  })
}
