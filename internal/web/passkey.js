// The pages work without this, by the other ways to log in. It lets forms ask for a passkey, which only a script can, and sends what the browser signed with them.
const bytes = (text) => Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0))
const text = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
const known = (list) => (list ?? []).map((key) => ({ ...key, id: bytes(key.id) }))

async function create(options) {
  const made = await navigator.credentials.create({
    publicKey: { ...options, challenge: bytes(options.challenge), user: { ...options.user, id: bytes(options.user.id) }, excludeCredentials: known(options.excludeCredentials) },
  })
  return { made, response: { clientDataJSON: text(made.response.clientDataJSON), attestationObject: text(made.response.attestationObject), transports: made.response.getTransports?.() ?? [] } }
}

async function get(options) {
  const made = await navigator.credentials.get({ publicKey: { ...options, challenge: bytes(options.challenge), allowCredentials: known(options.allowCredentials) } })
  const { clientDataJSON, authenticatorData, signature, userHandle } = made.response
  return { made, response: { clientDataJSON: text(clientDataJSON), authenticatorData: text(authenticatorData), signature: text(signature), userHandle: userHandle ? text(userHandle) : undefined } }
}

for (const form of window.PublicKeyCredential ? document.querySelectorAll('form[data-passkey]') : []) {
  form.hidden = false
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    const told = form.querySelector('[role=alert]')
    told.textContent = ''
    try {
      const { made, response } = await (form.dataset.passkey === 'create' ? create : get)(JSON.parse(form.dataset.options))
      form.querySelector('[data-response]').value = JSON.stringify({ id: made.id, rawId: text(made.rawId), type: made.type, clientExtensionResults: made.getClientExtensionResults(), response })
      form.submit()
    } catch (error) {
      told.textContent = error.name === 'InvalidStateError' ? 'This passkey is one of yours already.' : 'No passkey was given. Try again, or go another way.'
    }
  })
}
