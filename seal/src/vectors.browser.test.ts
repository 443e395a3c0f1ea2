import assert from 'node:assert/strict'
import { fileURLToPath } from 'node:url'
import { after, before, test } from 'node:test'
import vectors from '../vectors/object-records.json' with { type: 'json' }
import { type Chromium, launchChromium } from '../../tests/support/chromium.ts'
import { bundle, pageOf, serveOrigins, type WebOrigins } from '../../tests/support/web-origins.ts'

// Runs in the page and, the same text, in a worker: seals each vector, opens it, and says what came out in hex.
const run = `
import vectors from '../vectors/object-records.json'
import { openObject, parseObjectKey } from './index.ts'
import { sealObjectWith } from './object-sealer.ts'
import { patterned } from './objects.test-support.ts'

const hex = bytes => [...new Uint8Array(bytes)].map(byte => byte.toString(16).padStart(2, '0')).join('')
const sha256 = async bytes => hex(await crypto.subtle.digest('SHA-256', bytes))

export async function runVectors() {
  const outcomes = []
  for (const { key, id, size, noncePrefix } of vectors.objects) {
    const prefix = Uint8Array.from(noncePrefix.match(/../g), pair => Number.parseInt(pair, 16))
    const source = new Blob([patterned(size)])
    const outcome = {}
    for (const [kind, data] of [['blob', source], ['stream', source.stream()]]) {
      const sealer = await sealObjectWith({ key, id, size }, prefix)
      const parts = []
      for await (const { bytes } of sealer.parts(data)) parts.push(bytes)
      const sealed = await new Blob(parts).arrayBuffer()
      outcome[kind] = await sha256(sealed)
      const fetchRange = (start, end) => Promise.resolve(new Blob([sealed.slice(start, end)]).stream())
      const open = async key => {
        const handle = await openObject({ key, id, sealedLength: sealed.byteLength, fetchRange })
        return await sha256(await new Response(handle.read(0, size)).arrayBuffer())
      }
      outcome.plaintext = await open(key)
      outcome.wrongKey = await open('A'.repeat(43)).catch(error => error.code)
    }
    outcomes.push(outcome)
  }
  const refused = vectors.keys.invalid.filter(key => {
    try {
      parseObjectKey(key)
      return false
    } catch {
      return true
    }
  })
  return { outcomes, refused }
}
`
const folder = fileURLToPath(new URL('.', import.meta.url))
const expected = {
  outcomes: vectors.objects.map(({ sealedSha256, plaintextSha256 }) => ({
    blob: sealedSha256,
    plaintext: plaintextSha256,
    wrongKey: 'integrity',
    stream: sealedSha256,
  })),
  refused: vectors.keys.invalid,
}

let browser: Chromium
let web: WebOrigins
before(async () => {
  ;[browser, web] = await Promise.all([launchChromium(), serveOrigins()])
  web.serve('seal', '/window.js', await bundle({ source: `${run}\nwindow.outcome = runVectors()`, folder }))
  web.serve('seal', '/worker.js', await bundle({ source: `${run}\nrunVectors().then(outcome => postMessage(outcome))`, folder }))
  web.serve('seal', '/window', pageOf("await import('/window.js')"))
  const heard = 'new Promise((done, failed) => { worker.onmessage = event => done(event.data); worker.onerror = event => failed(new Error(event.message)) })'
  web.serve('seal', '/worker', pageOf(`const worker = new Worker('/worker.js', { type: 'module' }); window.outcome = ${heard}`))
})
after(async () => {
  await Promise.all([browser.close(), web.close()])
})

for (const realm of ['window', 'worker']) {
  test(`OBJ-8: Chromium, in a ${realm}, seals every vector to its bytes and opens it`, async () => {
    const page = await browser.context.newPage()
    await page.goto(`${web.origin('seal')}/${realm}`)
    await page.waitForFunction('window.outcome')
    assert.deepEqual(await page.evaluate('window.outcome'), expected)
    await page.close()
  })
}
