// oauth4webapi checks every answer to the letter of the standards, and so does each step here.

import assert from 'node:assert/strict'
import test from 'node:test'
import { app, base, gone, headers, Person } from './person.mjs'
import * as oauth from 'oauth4webapi'

const insecure = { [oauth.allowInsecureRequests]: true }
const redirectURI = 'http://localhost:43210/cb'

async function discover() {
  const resource = new URL(base + '/v1')
  const found = await oauth.processResourceDiscoveryResponse(resource, await oauth.resourceDiscoveryRequest(resource, insecure))
  const issuer = new URL(found.authorization_servers[0])
  const as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure }))
  assert.equal(as.authorization_response_iss_parameter_supported, true)
  assert.deepEqual(as.code_challenge_methods_supported, ['S256'])
  return as
}

const call = (token) => oauth.protectedResourceRequest(token, 'GET', new URL(base + '/v1/me'), new Headers(headers), undefined, insecure)

test('oauth4webapi: discovery, registration, PKCE, call, refresh, introspection, revocation', async () => {
  const as = await discover()
  const client = await oauth.processDynamicClientRegistrationResponse(
    await oauth.dynamicClientRegistrationRequest(as, { client_name: 'oauth4webapi', redirect_uris: ['http://localhost/cb'], grant_types: ['authorization_code', 'refresh_token'] }, insecure),
  )
  const authentication = oauth.ClientSecretBasic(client.client_secret)
  const verifier = oauth.generateRandomCodeVerifier()
  const state = oauth.generateRandomState()
  const url = new URL(as.authorization_endpoint)
  url.search = new URLSearchParams({
    client_id: client.client_id, redirect_uri: redirectURI, response_type: 'code', scope: 'contact.all deal.read', state, code_challenge: await oauth.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256',
  })
  const parameters = oauth.validateAuthResponse(as, client, await new Person().answer(url), state)
  const exchange = () => oauth.authorizationCodeGrantRequest(as, client, authentication, parameters, redirectURI, verifier, insecure)
  const tokens = await oauth.processAuthorizationCodeResponse(as, client, await exchange())
  assert.equal(tokens.scope, 'contact.all deal.read')
  assert.equal((await call(tokens.access_token)).status, 200)

  const fresh = await oauth.processRefreshTokenResponse(as, client, await oauth.refreshTokenGrantRequest(as, client, authentication, tokens.refresh_token, insecure))
  assert.notEqual(fresh.refresh_token, tokens.refresh_token)
  const look = async () => oauth.processIntrospectionResponse(as, client, await oauth.introspectionRequest(as, client, authentication, fresh.access_token, insecure))
  assert.equal((await look()).active, true)

  await oauth.processRevocationResponse(await oauth.revocationRequest(as, client, authentication, fresh.access_token, insecure))
  assert.equal((await look()).active, false)
  await gone(fresh.access_token)
  await oauth.processRevocationResponse(await oauth.revocationRequest(as, client, authentication, fresh.refresh_token, insecure))
  await gone(tokens.access_token)
})

test('oauth4webapi: a code that comes twice ends the grant', async () => {
  const as = await discover()
  const client = await oauth.processDynamicClientRegistrationResponse(await oauth.dynamicClientRegistrationRequest(as, { redirect_uris: [redirectURI], token_endpoint_auth_method: 'none' }, insecure))
  const verifier = oauth.generateRandomCodeVerifier()
  const url = new URL(as.authorization_endpoint)
  url.search = new URLSearchParams({ client_id: client.client_id, redirect_uri: redirectURI, response_type: 'code', scope: 'contact.read', code_challenge: await oauth.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256' })
  const parameters = oauth.validateAuthResponse(as, client, await new Person().answer(url), oauth.expectNoState)
  const exchange = async () => oauth.processAuthorizationCodeResponse(as, client, await oauth.authorizationCodeGrantRequest(as, client, oauth.None(), parameters, redirectURI, verifier, insecure))
  const tokens = await exchange()
  assert.equal((await call(tokens.access_token)).status, 200)
  await assert.rejects(exchange(), { error: 'invalid_grant' })
  await gone(tokens.access_token)
})

test('oauth4webapi: client credentials', async () => {
  const as = await discover()
  const client = { client_id: app.id }
  const tokens = await oauth.processClientCredentialsResponse(as, client, await oauth.clientCredentialsGrantRequest(as, client, oauth.ClientSecretPost(app.secret), { scope: 'contact.read' }, insecure))
  assert.equal((await call(tokens.access_token)).status, 200)
  await assert.rejects(
    async () => oauth.processClientCredentialsResponse(as, client, await oauth.clientCredentialsGrantRequest(as, client, oauth.ClientSecretBasic(app.secret), { scope: 'user.all' }, insecure)),
    { error: 'invalid_scope' },
  )
})
