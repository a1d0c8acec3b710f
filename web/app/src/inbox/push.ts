// Notifications on this device, by the Push API. The service worker that shows them is public/installed/push.js.

import { call } from '../api/call'
import { root } from '../ui/route'

const worker = `${root}/installed/push.js`

// Who switched it on here is known by their address, so that it goes on when they log in again, and ends when somebody else does.
const kept = 'kith.push'

export type Push = { public_key: string; subscribed: boolean }

export const askPush = () => call<Push>('GET', '/v1/me/push')

// canPush tells whether this browser can be pushed to; on some phones only the installed app can.
export const canPush = () => 'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window

const own = async () => (await navigator.serviceWorker.getRegistration(worker))?.pushManager

const tell = ({ endpoint, keys }: PushSubscriptionJSON) => call('PUT', '/v1/me/push', { endpoint, p256dh: keys?.p256dh, auth: keys?.auth })

// working waits until a worker has been set up, as only then it can be pushed to.
const working = (registration: ServiceWorkerRegistration) =>
  new Promise<void>((done) => {
    const coming = registration.active ? null : (registration.installing ?? registration.waiting)
    if (!coming) return done()
    coming.addEventListener('statechange', () => coming.state === 'activated' && done())
  })

// switchOn has notifications pushed to this browser, and tells whether its user lets it show any.
export async function switchOn(email: string): Promise<boolean> {
  if ((await Notification.requestPermission()) !== 'granted') return false
  const registration = await navigator.serviceWorker.register(worker)
  await working(registration)
  const how = { userVisibleOnly: true, applicationServerKey: (await askPush()).public_key }
  let given: PushSubscription
  try {
    given = await registration.pushManager.subscribe(how)
  } catch (error) {
    // It was subscribed with the key of a server that is not this one.
    const old = await registration.pushManager.getSubscription()
    if (!old) throw error
    await old.unsubscribe()
    given = await registration.pushManager.subscribe(how)
  }
  await tell(given.toJSON())
  localStorage.setItem(kept, email)
  return true
}

const forget = async () => {
  localStorage.removeItem(kept)
  await (await (await own())?.getSubscription())?.unsubscribe()
}

export async function switchOff() {
  await call('DELETE', '/v1/me/push')
  await forget()
}

// resume goes on with what was switched on in an earlier log-in, and ends what somebody else had switched on.
export async function resume(email: string) {
  const by = localStorage.getItem(kept)
  if (!by || !canPush()) return
  if (by !== email) return forget()
  const given = await (await own())?.getSubscription()
  if (given && Notification.permission === 'granted' && !(await askPush()).subscribed) await tell(given.toJSON())
}
