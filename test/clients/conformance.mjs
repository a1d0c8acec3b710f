// The conformance suite is written for Node.js 22, which has fs.globSync; what we use of it does not need that.

import { register } from 'node:module'

const hooks = `export async function resolve(name, context, next) {
  if (name !== 'fs' || !context.parentURL?.includes('/conformance/')) return next(name, context)
  const shim = "export * from 'node:fs'; export { default } from 'node:fs'; export const globSync = () => []"
  return { url: 'data:text/javascript,' + encodeURIComponent(shim), shortCircuit: true }
}`

register('data:text/javascript,' + encodeURIComponent(hooks))
