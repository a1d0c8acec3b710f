import type { View } from '../api/records'

// reordered gives views the places that they have together, in another order. Two at one place are set apart.
export function reordered(views: View[], from: number, to: number): { view: View; position: number }[] {
  const order = [...views]
  order.splice(to, 0, ...order.splice(from, 1))
  let last = -1
  return order.map((view, i) => {
    last = Math.max(last + 1, views[i].position)
    return { view, position: last }
  })
}
