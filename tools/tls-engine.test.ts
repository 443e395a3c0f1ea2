import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { inflateRawSync } from 'node:zlib'
import { digest, packed, roots } from './tls-engine.ts'

const source = (name: string): string => readFileSync(`client/src/tls/${name}.ts`, 'utf8')
const packedIn = (text: string): string => /'([^']+)'\n?$/.exec(text)?.[1] ?? ''

test('the TLS engine is the module its digest names', () => {
  const text = source('engine-module')
  const bytes = inflateRawSync(Buffer.from(packedIn(text), 'base64'))
  assert.ok(text.includes(`its SHA-256 is ${digest(bytes)}`))
  const module = new WebAssembly.Module(bytes)
  // All it can reach of its host: nothing that opens, connects or listens would be answered.
  assert.deepEqual([...new Set(WebAssembly.Module.imports(module).map(one => one.module))], ['wasi_snapshot_preview1'])
})

test('the roots shipped with the client are those of this Node', () => {
  assert.equal(packedIn(source('roots')), packed(roots()))
})
