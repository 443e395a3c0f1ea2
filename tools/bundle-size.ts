import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

// What an app pays for each part of the client: minified, gzipped, without peers. `beyond` names the imports an app has anyway.

interface Budget {
  readonly imports: readonly string[]
  readonly beyond?: readonly string[]
  /** kB of 1,000 bytes. */
  readonly limit: number
}

const core = ['@deputy/client/account', '@deputy/client/connect']

const budgets: Readonly<Record<string, Budget>> = {
  'core (loader, channel, account, connect)': { imports: core, limit: 12 },
  storage: { imports: ['@deputy/client/storage'], beyond: core, limit: 8 },
  '@deputy/client (whole)': { imports: ['@deputy/client'], limit: 20 },
  rooms: { imports: ['@deputy/client/rooms'], beyond: core, limit: 3 },
  ...Object.fromEntries(
    Object.entries({ messages: 1, presence: 1, requests: 2, payloads: 3 }).map(([name, limit]) => [
      `rooms/${name}`,
      { imports: [`@deputy/client/rooms/${name}`], beyond: [...core, '@deputy/client/rooms'], limit },
    ]),
  ),
  shell: { imports: ['@deputy/client/shell'], beyond: core, limit: 2 },
  worker: { imports: ['@deputy/client/worker'], beyond: core, limit: 2 },
  media: { imports: ['@deputy/client/media'], beyond: core, limit: 4 },
  'media-worker (whole)': { imports: ['@deputy/client/media-worker'], limit: 4 },
  cloud: { imports: ['@deputy/client/cloud'], beyond: core, limit: 7 },
  'cloud/fs': { imports: ['@deputy/client/cloud/fs'], beyond: core, limit: 9 },
  opfs: { imports: ['@deputy/client/opfs'], beyond: core, limit: 10 },
  fs: { imports: ['@deputy/client/fs'], beyond: core, limit: 14 },
  ...Object.fromEntries(
    ['fs', 'cloud/fs', 'opfs'].map(name => [
      `${name}/promises`,
      { imports: [`@deputy/client/${name}/promises`], beyond: [...core, `@deputy/client/${name}`], limit: 1 },
    ]),
  ),
  store: { imports: ['@deputy/client/store'], beyond: [...core, '@deputy/client/fs'], limit: 1 },
  'streams (readable-stream, as net and http stand on)': { imports: ['readable-stream'], limit: 37 },
  net: { imports: ['@deputy/client/net'], beyond: [...core, 'readable-stream'], limit: 15 },
  http: { imports: ['@deputy/client/http'], beyond: [...core, '@deputy/client/net'], limit: 19 },
  tls: { imports: ['@deputy/client/tls'], beyond: [...core, '@deputy/client/net'], limit: 8 },
  https: { imports: ['@deputy/client/https'], beyond: [...core, '@deputy/client/http', '@deputy/client/tls'], limit: 1 },
  'tls, the engine: loaded by the first connection': { imports: ['../client/src/tls/engine-module.ts'], limit: 600 },
  'tls, the roots: loaded by the first connection without a `ca`': { imports: ['../client/src/tls/roots.ts'], limit: 100 },
  dgram: { imports: ['@deputy/client/dgram'], beyond: core, limit: 22 },
  dns: { imports: ['@deputy/client/dns'], beyond: core, limit: 10 },
  'dns/promises': { imports: ['@deputy/client/dns/promises'], beyond: core, limit: 9 },
  'dns, servers an app names: loaded by the first question to them': {
    imports: ['../client/src/node/dns-named-servers.ts'],
    beyond: [...core, '@deputy/client/dns'],
    limit: 4,
  },
  globals: { imports: ['@deputy/client/globals'], beyond: [...core, '@deputy/client/net'], limit: 1 },
  'absent, querystring, url': {
    imports: ['absent', 'querystring', 'url'].map(name => `@deputy/client/${name}`),
    beyond: [...core, '@deputy/client/net'],
    limit: 2,
  },
  react: { imports: ['@deputy/client/react'], beyond: [...core, '@deputy/client/storage'], limit: 2 },
}

/** What is imported when it is first needed, and has a budget of its own. */
const later = ['./engine-module.ts', './roots.ts', './dns-named-servers.ts']

async function bundled(imports: readonly string[]) {
  const { outputFiles, metafile } = await build({
    stdin: { contents: imports.map((name, index) => `export * as part${index} from '${name}'`).join('\n'), resolveDir: import.meta.dirname },
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2023',
    conditions: ['source'],
    external: ['react', ...later],
    write: false,
    metafile: true,
    logLevel: 'silent',
  })
  const bytes = outputFiles.reduce((sum, { contents }) => sum + gzipSync(contents, { level: 9 }).length, 0)
  const modules = Object.values(metafile.outputs).flatMap(({ inputs }) => Object.entries(inputs))
  return { bytes, modules: modules.map(([path, { bytesInOutput }]) => ({ path, minified: bytesInOutput })).toSorted((a, b) => b.minified - a.minified) }
}

for (const [name, { imports, beyond = [], limit }] of Object.entries(budgets)) {
  const whole = await bundled([...beyond, ...imports])
  const bytes = whole.bytes - (beyond.length > 0 ? (await bundled(beyond)).bytes : 0)
  const over = bytes > limit * 1000
  console.log(`${over ? 'over' : 'fits'}  ${name}: ${(bytes / 1000).toFixed(1)} of ${limit} kB`)
  if (!over) continue
  process.exitCode = 1
  for (const { path, minified } of whole.modules.slice(0, 12)) console.log(`        ${(minified / 1000).toFixed(1).padStart(5)} kB minified  ${path}`)
}
