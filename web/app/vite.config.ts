import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import optimizeLocales from '@react-aria/optimize-locales-plugin'
import type { Plugin } from 'vite'
import { defineConfig } from 'vitest/config'

// What the build is made from. The Go test web/web_test.go counts the same, so that a build that is older than its sources fails.
function sources(dir = '.'): string[] {
  return readdirSync(dir, { withFileTypes: true })
    .filter((e) => e.name !== 'node_modules' && !e.name.startsWith('.'))
    .flatMap((e) => (e.isDirectory() ? sources(join(dir, e.name)) : [join(dir, e.name)]))
}

function digest(): string {
  const hash = createHash('sha256')
  for (const name of sources().sort())
    hash
      .update(name + '\0')
      .update(readFileSync(name))
      .update('\0')
  return hash.digest('hex')
}

const noteSources: Plugin = {
  name: 'note-sources',
  generateBundle() {
    this.emitFile({ type: 'asset', fileName: 'sources.sha256', source: digest() + '\n' })
  },
}

// Where npm run dev finds the API and the pages for logging in: a kith that is running, as make run does.
const running = process.env.KITH_URL ?? 'http://127.0.0.1:8080'

// The app is also at its root without a slash, to which a log-in leads.
const withoutSlash: Plugin = {
  name: 'without-slash',
  configureServer(server) {
    server.middlewares.use((request, _, next) => {
      request.url = request.url?.replace(/^\/app(?=$|\?)/, '/app/')
      next()
    })
  },
}

export default defineConfig({
  base: '/app/',
  plugins: [{ ...optimizeLocales.vite({ locales: ['en-US', 'de-DE'] }), enforce: 'pre' }, noteSources, withoutSlash],
  // kith sees the address that the browser sees, so that what it makes of it is of the same origin.
  server: { proxy: { '^/(?!app(/|$))': { target: running } } },
  // A test reads the styles, which are empty to it otherwise.
  test: { css: true },
  build: {
    outDir: '../dist',
    emptyOutDir: true,
    target: 'es2022',
    // light-dark(), by which each colour is said once, is known to these and newer ones.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // Libraries that also run on servers say so at their top; it means nothing here.
    rolldownOptions: { checks: { moduleLevelDirective: false, bundlerTimings: false, pluginTimings: false } },
  },
})
