import { dns } from '@deputy/client/cloud'

/** Resolves a name where the tunnel's node stands. */
export async function resolve(name: string, family: 0 | 4 | 6, all: boolean) {
  const began = performance.now()
  const found = all ? await dns.lookup(name, { family, all: true }) : await dns.lookup(name, { family })
  const addresses = found === undefined ? [] : Array.isArray(found) ? found : [found]
  return { addresses, ms: performance.now() - began }
}
