// How high the rows of lists are, which everybody chooses for the browser they sit at.

import { useSyncExternalStore } from 'react'

export const densities = ['tight', 'usual', 'roomy'] as const
export type Density = (typeof densities)[number]

export const heightOf: Record<Density, number> = { tight: 30, usual: 36, roomy: 44 }

const place = 'kith.density'
const listeners = new Set<() => void>()

const kept = (): Density => densities.find((d) => d === localStorage.getItem(place)) ?? 'usual'

export function setDensity(density: Density) {
  localStorage.setItem(place, density)
  for (const listener of listeners) listener()
}

const listen = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const useDensity = () => useSyncExternalStore(listen, kept)
