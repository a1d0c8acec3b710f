// Log-in by a company's identity provider: set up by an administrator, used by somebody who is new, against an OpenID Connect provider that others wrote.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import Provider from 'oidc-provider'
import { look, newPage } from './browser.mjs'

const admin = 'mona@meadow.test'
const password = 'a meadow of her own'
const client = { id: 'kith', secret: 'hay: and/clover%' }

const heading = (page) => page.locator('h1').innerText()

async function press(page, name) {
  await Promise.all([page.waitForEvent('domcontentloaded'), page.getByRole('button', { name }).click()])
}

async function logIn(page, email) {
  await page.goto('/login')
  await page.getByLabel('E-mail address').fill(email)
  await page.getByLabel('Password').fill(password)
  await press(page, 'Log in')
}

// startProvider lets everybody in who says who they are. As is its custom, it tells the e-mail address when it is asked for, and not in the ID token.
async function startProvider(redirect) {
  const server = createServer()
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${server.address().port}`
  const key = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' })
  const provider = new Provider(issuer, {
    clients: [{ client_id: client.id, client_secret: client.secret, redirect_uris: [redirect], grant_types: ['authorization_code'], response_types: ['code'] }],
    claims: { email: ['email', 'email_verified'], profile: ['name'] },
    cookies: { keys: [randomBytes(16).toString('hex')] },
    jwks: { keys: [{ ...key, use: 'sig', alg: 'RS256', kid: 'one' }] },
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id, email: id, email_verified: true, name: 'Kim Ro' }) }),
  })
  server.on('request', provider.callback())
  return { issuer, close: () => server.close(() => server.closeAllConnections()) }
}

export async function logInByCompany(browser) {
  execFileSync(process.env.KITH_TEST_BIN, ['business', 'create', '--name', 'Meadow & Co', '--admin-email', admin, '--admin-name', 'Mona Lind', '--admin-password', password])
  const page = await newPage(browser)
  await logIn(page, admin)
  await page.goto('/account/business') // where the page was once
  await page.waitForURL('**/app/settings/business')
  await page.getByLabel('Issuer').waitFor()
  await look(page, '50-provider')
  const redirect = await page.locator('input[readonly][value*="/login/company/"]').inputValue()
  const provider = await startProvider(redirect)
  try {
    await setUp(page, provider)
    await comeIn(browser, redirect.split('/').at(-1))
  } finally {
    provider.close()
  }
  assert.deepEqual(page.complaints, [])
  await page.context().close()
}

async function setUp(page, provider) {
  const form = page.getByRole('form', { name: 'Log-in by your company' })
  const save = () => form.getByRole('button', { name: 'Save' }).click()
  await form.getByLabel('Issuer').fill(`${provider.issuer}/elsewhere`)
  await form.getByLabel('Client ID').fill(client.id)
  await form.getByLabel('Client secret').fill(client.secret)
  await form.getByLabel('Domains').fill('meadow.test meadow.example')
  await save()
  await form.getByText(/does not answer with the configuration/).waitFor()
  await look(page, '51-provider-wrong')
  await form.getByLabel('Issuer').fill(provider.issuer)
  await form.getByLabel('Role of who first logs in').selectOption('viewer')
  await form.getByLabel('Nobody logs in by other means').check()
  await save()
  await form.getByText('It is kept. Give one only to replace it.').waitFor()
  assert.ok(!(await page.content()).includes(client.secret), 'nobody is told the secret')
  await look(page, '52-provider-set')
}

async function comeIn(browser, business) {
  const page = await newPage(browser)
  await page.goto('/login?next=/account/switch')
  await page.getByRole('link', { name: 'Log in with your company' }).click()
  await look(page, '53-company')
  await page.getByLabel('E-mail address').fill('kim@elsewhere.test')
  await press(page, 'Go on')
  assert.match(await page.getByRole('alert').first().innerText(), /No company has set up/)
  await look(page, '54-company-unknown')
  await page.getByLabel('E-mail address').fill('kim@meadow.example')
  await press(page, 'Go on')
  await look(page, '55-company-offered')
  await press(page, /^Log in with Meadow & Co at 127\.0\.0\.1/)
  await page.locator('input[name=login]').fill('kim@meadow.example')
  await page.locator('input[name=password]').fill('only the provider knows')
  await press(page, /sign-in/i)
  await press(page, /continue/i)
  await page.waitForURL('**/account/switch')
  await page.locator('.whoami').getByText('Kim Ro').waitFor()
  assert.deepEqual(page.complaints, [])

  // There is no other way in but for who can change the settings.
  execFileSync(process.env.KITH_TEST_BIN, ['user', 'create', '--business', business, '--email', 'lars@meadow.test', '--name', 'Lars', '--role', 'member', '--password', password])
  await press(page, 'Log out')
  await logIn(page, 'lars@meadow.test')
  assert.equal(await heading(page), 'Log in with your company')
  await look(page, '56-company-only')
  await page.context().close()
}
