// The pages, clicked through in a real browser from an empty database on. The steps build on each other, so the first that fails ends the test.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { readAudit } from './audit.mjs'
import { base, call, launch, look, newPage, startApp } from './browser.mjs'
import { logInByCompany } from './company.mjs'
import { useFactors } from './factors.mjs'
import { browseReference } from './reference.mjs'

const password = 'quiet lake under snow'
let browser, page, app

before(async () => {
  browser = await launch()
  page = await newPage(browser)
})

after(async () => {
  app?.close()
  await browser?.close()
})

const heading = (p = page) => p.locator('h1').innerText()

// press sends a form and waits for the page that answers.
async function press(name, p = page, within = p) {
  await Promise.all([p.waitForEvent('domcontentloaded'), within.getByRole('button', { name, exact: true }).click()])
}

async function logIn(p, email, secret = password) {
  await p.getByLabel('E-mail address').fill(email)
  await p.getByLabel('Password').fill(secret)
  await press('Log in', p)
}

test('the pages', { timeout: 600_000 }, async (t) => {
  const step = async (name, run) => {
    let failed
    await t.test(name, async () => {
      try {
        await run()
      } catch (error) {
        failed = error
        throw error
      }
    })
    if (failed) throw new Error(`stopped at: ${name}`)
  }

  await step('an empty database leads to set-up', async () => {
    await page.goto('/')
    assert.equal(new URL(page.url()).pathname, '/setup')
    await look(page, '01-setup')
    await page.getByLabel('Name of the business').fill('Juniper & Sons')
    await page.getByLabel('Currency').selectOption({ label: 'Swiss franc (CHF)' })
    await page.getByLabel('Your name').fill('Anna Berg')
    await page.getByLabel('Your e-mail address').fill('anna@juniper.test')
    await page.getByLabel('Password').fill('short')
    await press('Set up')
    assert.match(await page.locator('#f-password-error').innerText(), /^Password must have/)
    assert.ok(await page.getByLabel('Password').evaluate((e) => e === document.activeElement), 'the first wrong field has the focus')
    await look(page, '02-setup-wrong')
    // What was typed is still there, so that it can be mended.
    assert.deepEqual([await page.getByLabel('Password').inputValue(), await page.getByLabel('Currency').inputValue()], ['short', 'CHF'])
    await page.getByLabel('Currency').selectOption({ label: 'Euro (EUR)' })
    await page.getByLabel('Password').fill(password)
    await press('Set up')
    await page.getByRole('heading', { name: 'Juniper & Sons is ready' }).waitFor() // the app has tests of its own
    await page.goto('/account') // where the page was once
    await page.waitForURL('**/app/settings/you')
    await page.goto('/account/switch')
    await look(page, '03-security')
  })

  await step('set-up is over', async () => {
    await page.goto('/setup')
    assert.equal(new URL(page.url()).pathname, '/app')
    await page.goto('/account/switch')
  })

  await step('log-out ends the session', async () => {
    await press('Log out')
    assert.match(await page.getByRole('status').innerText(), /logged out/)
    await look(page, '04-login')
    await page.goto('/account/switch')
    assert.equal(new URL(page.url()).pathname, '/login')
  })

  await step('a wrong password is refused', async () => {
    await logIn(page, 'anna@juniper.test', 'not the password')
    assert.match(await page.getByRole('alert').innerText(), /is wrong/)
    assert.ok(await page.getByLabel('Password').evaluate((e) => e === document.activeElement), 'the password can be typed again at once')
    await look(page, '05-login-wrong')
  })

  await step('log-in by keyboard alone', async () => {
    await page.goto('/login')
    await page.waitForFunction(() => document.activeElement.matches('input[name=email]')) // the field gets the focus by itself, a moment after the page
    await page.keyboard.type('anna@juniper.test')
    await page.keyboard.press('Tab')
    await page.keyboard.type(password)
    await page.keyboard.press('Tab')
    assert.ok(await page.getByRole('button', { name: 'Log in' }).evaluate((e) => e.matches(':focus-visible')), 'the button shows its focus')
    await Promise.all([page.waitForURL('**/app'), page.keyboard.press('Enter')])
    await page.getByRole('heading', { name: 'Juniper & Sons is ready' }).waitFor()
    await page.keyboard.press('Tab')
    assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Skip to content')
  })

  let access, token
  await step('an app registers itself, asks, and is allowed', async () => {
    app = await startApp('Sunrise <b>Mailer</b>')
    await page.goto(app.ask('contact.read contact.write deal.read deal.delete'))
    assert.equal(await heading(), 'Sunrise <b>Mailer</b> asks to use Juniper & Sons')
    assert.ok(await page.getByText(new URL(app.origin).host).isVisible())
    await look(page, '06-consent')
    await page.getByLabel('Delete deals').uncheck()
    await press('Allow')
    await page.waitForURL('**/done')
    const tokens = await app.trade()
    assert.equal(tokens.scope, 'contact.read contact.write deal.read')
    access = tokens.access_token
    assert.equal(await call(access), 200)
  })

  await step('an app that asks for powers is told apart, and gets the parts that are ticked', async () => {
    await page.goto(app.ask('contact.all user.all role.write'))
    assert.ok(await page.getByRole('group', { name: 'It also wants powers' }).getByLabel('Create and change users').isVisible())
    await look(page, '24-consent-powers')
    await page.getByLabel('Create and change users').uncheck()
    await page.getByLabel('Create and change roles').uncheck()
    await page.getByLabel('Delete contacts').uncheck()
    await press('Allow')
    await page.waitForURL('**/done')
    assert.equal((await app.trade()).scope, 'contact.read contact.write user.read user.delete')
  })

  await step('refusing tells the app', async () => {
    await page.goto(app.ask('contact.read'))
    await press('Refuse')
    await page.waitForURL('**/done')
    assert.equal(app.answers.at(-1).get('error'), 'access_denied')
  })

  await step('disconnecting ends the access at once', async () => {
    await page.goto('/account/connected-apps')
    await page.waitForURL('**/app/settings/connected')
    const button = page.getByRole('button', { name: 'Disconnect Sunrise <b>Mailer</b>' })
    await button.first().waitFor()
    for (let left = await button.count(); left > 0; left--) {
      await button.first().click()
      await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click()
      await page.waitForFunction((n) => document.querySelectorAll('[aria-label^="Disconnect Sunrise"]').length === n, left - 1)
    }
    await page.getByText('No app is connected.').waitFor()
    assert.equal(await call(access), 401)
  })

  let viewer
  await step('an invitation, and what the invited may do', async () => {
    await page.goto('/account/people')
    await page.waitForURL('**/app/settings/people')
    await page.getByRole('button', { name: 'Invite somebody' }).click()
    const dialog = page.getByRole('dialog', { name: 'Invite somebody' })
    await dialog.getByLabel('E-mail').fill('ben@juniper.test')
    await dialog.getByLabel('Name').fill('Ben Ode')
    await dialog.getByLabel('Role').selectOption('viewer')
    await dialog.getByRole('button', { name: 'Invite somebody' }).click()
    const handed = page.getByRole('dialog', { name: 'Hand this link to ben@juniper.test' })
    const link = await handed.getByLabel('Link', { exact: true }).inputValue()
    await handed.getByRole('button', { name: 'Done' }).click()
    viewer = await newPage(browser)
    await viewer.goto(link)
    assert.equal(await heading(viewer), 'Welcome to Juniper & Sons')
    await look(viewer, '13-invitation')
    await viewer.getByLabel('Password').fill('another quiet lake')
    await press('Set password and log in', viewer)
    await viewer.waitForURL('**/app')
    const again = await viewer.goto(link)
    assert.equal(again.status(), 404)
    await look(viewer, '14-dead-link')
    await viewer.goto('/account/audit')
    await viewer.getByRole('heading', { name: 'There is nothing here' }).waitFor()
    assert.equal(await viewer.getByRole('link', { name: 'Audit log' }).count(), 0)
    await look(viewer, '15-forbidden')
  })

  await step('consent says what the role takes away', async () => {
    await viewer.goto(app.ask('contact.read contact.all deal.write note.delete'))
    // contact.all stands there in its parts: of them, to write and to delete; and deal.write, note.delete.
    assert.equal(await viewer.getByText('Your role viewer does not allow this').count(), 4)
    await look(viewer, '16-consent-viewer')
  })

  await step('suspending someone logs them out', async () => {
    const open = async () => {
      await page.getByRole('button', { name: 'Edit Ben Ode' }).click()
      return page.getByRole('dialog', { name: 'Ben Ode' })
    }
    await (await open()).getByRole('button', { name: 'Suspend' }).click()
    await page.getByRole('dialog', { name: 'Suspend Ben Ode' }).getByRole('button', { name: 'Suspend' }).click()
    await page.getByRole('row', { name: /Ben Ode/ }).getByText('Suspended').waitFor()
    await viewer.goto('/account/switch')
    assert.equal(new URL(viewer.url()).pathname, '/login')
    await (await open()).getByRole('button', { name: 'Activate' }).click()
    await page.getByRole('row', { name: /Ben Ode/ }).getByText('Active').waitFor()
  })

  await step('what hands out access asks for the password after an hour, and keeps the form', async () => {
    execFileSync(process.env.KITH_TEST_OLDLOGINS, [process.env.KITH_DB.replace('sqlite:', '')])
    await page.goto('/app/settings/access')
    await page.getByRole('button', { name: 'Make a token' }).click()
    const dialog = page.getByRole('dialog', { name: 'Make a token' })
    await dialog.getByLabel('Name').fill('After lunch')
    await dialog.getByLabel('Do everything except decide who may do what').check()
    await dialog.getByRole('button', { name: 'Make a token' }).click()
    const confirm = page.getByRole('dialog', { name: 'Confirm that it is you' })
    await confirm.getByLabel('Password').fill('not the password')
    await confirm.getByRole('button', { name: 'Go on' }).click()
    await confirm.getByText('The password is not right.').waitFor()
    await confirm.getByLabel('Password').fill(password)
    await page.keyboard.press('Enter')
    const made = page.getByRole('dialog', { name: 'Your new token After lunch' })
    token = await made.getByLabel('Token', { exact: true }).inputValue()
    assert.match(token, /^kith_pat_/)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await made.getByRole('button', { name: 'Copy: Token' }).click()
    await made.getByText('Copied').first().waitFor()
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), token)
    await made.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('button', { name: 'Revoke After lunch' }).waitFor()
    assert.ok(!(await page.content()).includes(token), 'the secret is shown once')
  })

  await step('the reference is browsed by anybody, asks nobody else, and tries a request with a token', async () => {
    await browseReference(await newPage(browser), token)
  })

  await step('a second factor: an authenticator app, recovery codes and passkeys', async () => {
    await useFactors(browser)
  })

  await step('log-in by the identity provider of a company', async () => {
    await logInByCompany(browser)
  })

  await step('a forgotten password', async () => {
    await viewer.goto('/login')
    await viewer.getByRole('link', { name: 'Forgot your password?' }).click()
    await look(viewer, '18-forgot')
    await viewer.getByLabel('E-mail address').fill('ben@juniper.test')
    await press('Send me a link', viewer)
    await look(viewer, '19-forgot-sent')
    const link = await logged('"purpose":"reset"')
    await viewer.goto(link)
    await look(viewer, '20-reset')
    await viewer.getByLabel('Password').fill('a third quiet lake')
    await press('Set password and log in', viewer)
    await viewer.waitForURL('**/app')
    await viewer.goto('/account/switch')
    await press('Log out', viewer)
    await logIn(viewer, 'ben@juniper.test', 'a third quiet lake')
    await viewer.waitForURL('**/app')
  })

  await step('an e-mail address that belongs to two businesses chooses', async () => {
    execFileSync(process.env.KITH_TEST_BIN, [
      'business', 'create', '--name', 'Thistle & Daughters', '--admin-email', 'anna@juniper.test', '--admin-name', 'Anna Berg', '--admin-password', password,
    ])
    const chooser = await newPage(browser)
    await chooser.goto('/login?next=/account/switch')
    await logIn(chooser, 'anna@juniper.test')
    assert.equal(await heading(chooser), 'Choose a business')
    await look(chooser, '23-businesses')
    await press('Thistle & Daughters', chooser)
    assert.equal(new URL(chooser.url()).pathname, '/account/switch')
    await chooser.locator('.whoami').getByText('Thistle & Daughters').waitFor()
    await look(chooser, '32-switch')
    await chooser.getByLabel('Password').fill(password)
    await press('Go on', chooser)
    await press('Juniper & Sons', chooser)
    await chooser.waitForURL('**/app')
    await chooser.getByText('Juniper & Sons').waitFor()
    assert.deepEqual(chooser.complaints, [])
  })

  await step('the audit log tells of all this', async () => {
    await readAudit(page)
  })

  await step('pages for what goes wrong', async () => {
    assert.equal((await page.goto('/nowhere')).status(), 404)
    await look(page, '21-not-found')
    assert.equal((await page.goto('/oauth/authorize?client_id=nobody')).status(), 400)
    await look(page, '22-unknown-app')
  })

  await step('a form that another site sends is refused', async () => {
    const stranger = await newPage(browser)
    await stranger.context().addCookies(await page.context().cookies())
    await stranger.goto(`${app.origin}/done`)
    await stranger.evaluate((to) => {
      const form = document.createElement('form')
      form.method = 'post'
      form.action = to
      document.body.append(form)
      form.submit()
    }, `${base}/logout`)
    await stranger.waitForURL(`${base}/logout`)
    assert.equal(await heading(stranger), 'This form came from another site')
    await page.goto('/account/switch')
    assert.equal(new URL(page.url()).pathname, '/account/switch')
  })

  await step('nothing broke the content policy', () => {
    assert.deepEqual([...page.complaints, ...viewer.complaints], [])
  })
})

// logged waits for a link in the server's log: where there is no mail server, that is where links go.
async function logged(mark) {
  for (let i = 0; i < 100; i++) {
    const line = readFileSync(process.env.KITH_TEST_LOG, 'utf8').split('\n').findLast((l) => l.includes(mark) && l.includes('"link"'))
    if (line) return JSON.parse(line).link
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`the log has no ${mark}`)
}
