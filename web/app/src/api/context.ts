// What every part of the app needs to know: who is logged in, and what there is.

import { createContext, use } from 'react'
import { plural, type Resource, type Schema } from '../schema/schema'
import type { Me } from './call'

export const AppContext = createContext<{ me: Me; schema: Schema } | null>(null)

export function useApp() {
  const app = use(AppContext)
  if (!app) throw new Error('useApp outside of AppContext')
  return app
}

export function useResource(name: string): Resource | undefined {
  return useApp().schema.resources.find((r) => r.name === name)
}

export const byPlural = (schema: Schema, name: string) => schema.resources.find((r) => plural(r) === name)
