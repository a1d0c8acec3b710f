// openid-client: from nothing but the base URL to a call, a refresh and an end.

import assert from 'node:assert/strict'
import test from 'node:test'
import { app, base, gone, headers, Person } from './person.mjs'
import * as client from 'openid-client'

// The test server speaks http; a real one speaks https and needs none of this.
const insecure = { execute: [client.allowInsecureRequests], algorithm: 'oauth2' }
const redirectURI = 'http://127.0.0.1:43210/callback'

// discover finds the issuer the way RFC 9728 says: by what a call without a token answers.
async function discover() {
  const refusal = await fetch(base + '/v1/me', { headers })
  assert.equal(refusal.status, 401)
  const address = refusal.headers.get('www-authenticate').match(/resource_metadata="([^"]+)"/)[1]
  const resource = await (await fetch(address)).json()
  assert.equal(resource.resource, base + '/v1')
  return new URL(resource.authorization_servers[0])
}

async function me(config, token) {
  const res = await client.fetchProtectedResource(config, token, new URL(base + '/v1/me'), 'GET', undefined, new Headers(headers))
  assert.equal(res.status, 200)
  return res.json()
}

for (const [name, method] of [['a public client', 'none'], ['a client with a secret in the header', 'client_secret_basic'], ['a client with a secret in the form', 'client_secret_post']]) {
  test(`openid-client: ${name} registers, authorizes, calls, refreshes and revokes`, async () => {
    const authentication = method === 'none' ? client.None() : undefined
    const config = await client.dynamicClientRegistration(
      await discover(),
      { client_name: `openid-client (${method})`, redirect_uris: ['http://127.0.0.1/callback'], grant_types: ['authorization_code', 'refresh_token'], token_endpoint_auth_method: method },
      authentication,
      insecure,
    )
    assert.equal(config.serverMetadata().supportsPKCE(), true)
    const verifier = client.randomPKCECodeVerifier()
    const state = client.randomState()
    const url = client.buildAuthorizationUrl(config, {
      redirect_uri: redirectURI, scope: 'contact.read contact.write', state, code_challenge: await client.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256', resource: base + '/v1',
    })
    const back = await new Person().answer(url)
    assert.ok(back.href.startsWith(redirectURI + '?'))
    const tokens = await client.authorizationCodeGrant(config, back, { pkceCodeVerifier: verifier, expectedState: state })
    assert.equal(tokens.scope, 'contact.read contact.write')
    // What the server said: expiresIn() of this client counts down by the clock.
    assert.equal(tokens.expires_in, 3600)
    assert.equal((await me(config, tokens.access_token)).permissions.contact.write.effective, 'all')

    const fresh = await client.refreshTokenGrant(config, tokens.refresh_token, { scope: 'contact.read' })
    assert.equal(fresh.scope, 'contact.read')
    assert.equal((await me(config, fresh.access_token)).permissions.contact.write.effective, 'none')
    if (method !== 'none') {
      assert.equal((await client.tokenIntrospection(config, fresh.access_token)).active, true)
    }
    await client.tokenRevocation(config, fresh.refresh_token)
    await gone(fresh.access_token)
    await gone(tokens.access_token)
    await assert.rejects(client.refreshTokenGrant(config, fresh.refresh_token), { error: 'invalid_grant' })
    if (method !== 'none') {
      assert.equal((await client.tokenIntrospection(config, fresh.access_token)).active, false)
    }
  })
}

test('openid-client: a refusal comes back as an error of this issuer', async () => {
  const config = await client.dynamicClientRegistration(await discover(), { redirect_uris: [redirectURI], token_endpoint_auth_method: 'none' }, client.None(), insecure)
  const verifier = client.randomPKCECodeVerifier()
  const state = client.randomState()
  const url = client.buildAuthorizationUrl(config, { redirect_uri: redirectURI, scope: 'contact.read', state, code_challenge: await client.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256' })
  const back = await new Person().answer(url, 'refuse')
  await assert.rejects(client.authorizationCodeGrant(config, back, { pkceCodeVerifier: verifier, expectedState: state }), { error: 'access_denied' })
})

test('openid-client: client credentials of an app of the business', async () => {
  const config = await client.discovery(await discover(), app.id, app.secret, undefined, insecure)
  const tokens = await client.clientCredentialsGrant(config, { scope: 'contact.read' })
  assert.equal(tokens.refresh_token, undefined)
  assert.deepEqual((await me(config, tokens.access_token)).scopes, ['contact.read'])
  await client.tokenRevocation(config, tokens.access_token)
  await gone(tokens.access_token)
})
