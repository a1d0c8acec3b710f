// The service worker of the app: it shows what is pushed and leads to it. It keeps nothing, and answers no request of a page.

self.addEventListener('push', (event) => {
  const { title, body, path, tag } = event.data.json()
  const icon = new URL('icon-192.png', self.location.href).href
  event.waitUntil(self.registration.showNotification(title, { body, tag, icon, data: path }))
})

self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(show(new URL(event.notification.data, self.location.origin).href))
})

async function show(address) {
  if (!address.startsWith(`${self.location.origin}/`)) return
  const pages = await self.clients.matchAll({ type: 'window', includeUncontrolled: true })
  const there = pages.find((page) => page.url === address)
  if (there) await there.focus()
  else await self.clients.openWindow(address)
}
