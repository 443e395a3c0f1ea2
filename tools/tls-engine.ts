import { createHash, X509Certificate } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { rootCertificates } from 'node:tls'
import { pathToFileURL } from 'node:url'
import { deflateRawSync } from 'node:zlib'

// node tools/tls-engine.ts [engine.wasm]: packs what tools/tls-engine/build.sh made, and the roots of this Node, into modules of the client.

const folder = 'client/src/tls'

/** Bytes as the client's modules carry them: deflated, in base64. */
export const packed = (bytes: Uint8Array): string => deflateRawSync(bytes, { level: 9 }).toString('base64')

/** The roots that this Node trusts, each with its length in two bytes before it. */
export function roots(): Uint8Array {
  const all = rootCertificates.map(pem => new X509Certificate(pem).raw).toSorted((a, b) => Buffer.compare(a, b))
  return Buffer.concat(all.flatMap(der => [Buffer.of(der.length >> 8, der.length & 255), der]))
}

/** The digest that a packed module is known by. */
export const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [, , wasm] = process.argv
  if (wasm !== undefined) {
    const bytes = readFileSync(wasm)
    const version = /OpenSSL \d+\.\d+\.\d+ \d+ \w+ \d+/.exec(bytes.toString('latin1'))?.[0] ?? 'OpenSSL'
    const about = `/** ${version} as a WebAssembly module, deflated, in base64; its SHA-256 is ${digest(bytes)}. Made by tools/tls-engine/build.sh. */`
    writeFileSync(`${folder}/engine-module.ts`, `${about}\nexport const module: string =\n  '${packed(bytes)}'\n`)
  }
  const about = `/** The ${rootCertificates.length} roots of Mozilla’s programme as Node ${process.versions.node} has them: lengths and DER, deflated, in base64. Made by tools/tls-engine.ts. */`
  writeFileSync(`${folder}/roots.ts`, `${about}\nexport const packed: string =\n  '${packed(roots())}'\n`)
}
