/**
 * What a page takes in place of Node's modules, for the `alias` of a bundler: this package's own, well-kept packages that the app installs, and for
 * what no page has a stand-in whose functions throw `ENOTSUP` (LIB-13).
 */
export const nodeAliases: Readonly<Record<string, string>> = bothNames({
  assert: 'assert',
  buffer: 'buffer',
  child_process: '@deputy/client/absent',
  crypto: 'crypto-browserify',
  dgram: '@deputy/client/dgram',
  dns: '@deputy/client/dns',
  events: 'events',
  fs: '@deputy/client/absent',
  http: '@deputy/client/http',
  https: '@deputy/client/https',
  net: '@deputy/client/net',
  os: 'os-browserify',
  path: 'path-browserify',
  process: 'process',
  querystring: '@deputy/client/querystring',
  stream: 'readable-stream',
  string_decoder: 'string_decoder',
  tls: '@deputy/client/tls',
  url: '@deputy/client/url',
  util: 'util',
  zlib: '@deputy/client/absent',
})

function bothNames(modules: Readonly<Record<string, string>>): Record<string, string> {
  const pairs = Object.entries(modules).flatMap(([name, stand]) => [[`node:${name}`, stand] as const, ...(name === stand ? [] : [[name, stand] as const])])
  return { ...Object.fromEntries(pairs), 'util/types': 'util/support/types.js' }
}
