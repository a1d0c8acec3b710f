// The client that MCP programs use: it knows the address of a resource and finds out all the rest.

import assert from 'node:assert/strict'
import test from 'node:test'
import { base, gone, headers, Person } from './person.mjs'
import { auth, discoverOAuthServerInfo, extractWWWAuthenticateParams, refreshAuthorization } from '@modelcontextprotocol/sdk/client/auth.js'

const redirectURL = 'http://localhost:43210/callback'

// Provider keeps in memory what a program would keep on disk, and sends the user to the person.
class Provider {
  kept = {}
  clientMetadata = { client_name: 'An MCP program', redirect_uris: [redirectURL], grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'], token_endpoint_auth_method: 'none', scope: 'contact.read contact.write' }
  get redirectUrl() { return redirectURL }
  state() { return 'the state' }
  clientInformation() { return this.kept.client }
  saveClientInformation(client) { this.kept.client = client }
  tokens() { return this.kept.tokens }
  saveTokens(tokens) { this.kept.tokens = tokens }
  codeVerifier() { return this.kept.verifier }
  saveCodeVerifier(verifier) { this.kept.verifier = verifier }
  async redirectToAuthorization(url) { this.kept.back = await new Person().answer(url) }
}

test('@modelcontextprotocol/sdk: from the base URL to a call, a refresh and an end', async () => {
  const refusal = await fetch(base + '/v1/me', { headers })
  const { resourceMetadataUrl } = extractWWWAuthenticateParams(refusal)
  assert.ok(resourceMetadataUrl)
  const provider = new Provider()
  const options = { serverUrl: base + '/v1', resourceMetadataUrl, scope: 'contact.read contact.write' }
  assert.equal(await auth(provider, options), 'REDIRECT')
  const answer = provider.kept.back.searchParams
  assert.equal(answer.get('state'), 'the state')
  assert.equal(answer.get('iss'), base)
  assert.equal(await auth(provider, { ...options, authorizationCode: answer.get('code'), iss: answer.get('iss') }), 'AUTHORIZED')

  const first = provider.kept.tokens
  const me = await fetch(base + '/v1/me', { headers: { ...headers, Authorization: 'Bearer ' + first.access_token } })
  assert.equal(me.status, 200)
  assert.deepEqual((await me.json()).scopes, ['contact.read', 'contact.write'])

  // With a refresh token at hand it asks nobody.
  assert.equal(await auth(provider, options), 'AUTHORIZED')
  const second = provider.kept.tokens
  assert.notEqual(second.refresh_token, first.refresh_token)

  const { authorizationServerUrl, authorizationServerMetadata: metadata } = await discoverOAuthServerInfo(base + '/v1', { resourceMetadataUrl })
  assert.equal(metadata.issuer, base)
  const third = await refreshAuthorization(authorizationServerUrl, { metadata, clientInformation: provider.kept.client, refreshToken: second.refresh_token, resource: new URL(base + '/v1') })

  // The sdk has no function that revokes, but it read where to.
  const revoked = await fetch(metadata.revocation_endpoint, { method: 'POST', body: new URLSearchParams({ client_id: provider.kept.client.client_id, token: third.refresh_token }) })
  assert.equal(revoked.status, 200)
  for (const tokens of [first, second, third]) await gone(tokens.access_token)
})

test('@modelcontextprotocol/sdk: a program that names no scope does not ask to administer the business', async () => {
  const provider = new Provider()
  await auth(provider, { serverUrl: base + '/v1' })
  await auth(provider, { serverUrl: base + '/v1', authorizationCode: provider.kept.back.searchParams.get('code'), iss: base })
  const scopes = provider.kept.tokens.scope.split(' ')
  assert.ok(scopes.includes('contact.write') && scopes.includes('user.read'), scopes.join(' '))
  for (const resource of ['user', 'role', 'token', 'app', 'pipeline']) {
    for (const verb of ['write', 'delete', 'all']) assert.ok(!scopes.includes(`${resource}.${verb}`), `${resource}.${verb}`)
  }
})
