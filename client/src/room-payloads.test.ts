import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crowd, type CrowdMember } from './room-crowd.test-support.ts'
import { digestAfter, partBytes, START, toBase64 } from './room-payload-wire.ts'
import { PAYLOAD_MAX_BYTES, PayloadError, receivePayloads, sendPayload, type IncomingPayload } from './room-payloads.ts'

const ended = (code: string) => (error: unknown) => error instanceof PayloadError && error.code === code
/** Waits until something holds. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise(resolve => setImmediate(resolve))
}
const bytesOf = (length: number) => Uint8Array.from({ length }, (_, at) => (at * 7 + (at >> 8)) % 251)
/** Waits until there is something. */
async function waitFor<T>(find: () => T | undefined): Promise<T> {
  for (;;) {
    const found = find()
    if (found !== undefined) return found
    await new Promise(resolve => setImmediate(resolve))
  }
}
/** The payloads a member receives, in order. */
async function receiving(room: CrowdMember, options?: { readonly maxBytes: number }) {
  const payloads: IncomingPayload[] = []
  const waiting: ((payload: IncomingPayload) => void)[] = []
  const off = await receivePayloads(
    room,
    payload => {
      payloads.push(payload)
      waiting.shift()?.(payload)
    },
    options,
  )
  return { payloads, off, next: () => new Promise<IncomingPayload>(resolve => waiting.push(resolve)) }
}

test('a part takes no more on the wire than a message may', () => {
  for (const limit of [65_536, 262_144, 1000, 500]) {
    const part = { kind: 'part', id: crypto.randomUUID(), n: 99_999, bytes: toBase64(new Uint8Array(partBytes(limit))) }
    const text = new TextEncoder().encode(`\u0000deputy:${JSON.stringify(part)}`).length
    assert.ok(Math.ceil(((108 + text) * 4) / 3) <= limit, `${limit}`)
  }
  assert.ok(partBytes(65_536) > 36_000)
  assert.equal(partBytes(300), 0)
})

test('bytes arrive whole at one member or all, with progress on both ends', async () => {
  const place = crowd()
  const [ada, ben, eve] = [place.enter('ada'), place.enter('ben'), place.enter('eve')]
  const [atBen, atEve] = [await receiving(ben), await receiving(eve)]
  const bytes = bytesOf(100_000)
  const [there, here]: number[][] = [[], []]
  const coming = atBen.next()
  const sending = sendPayload(ada, new Blob([bytes], { type: 'image/png' }), { to: 'ben', name: 'a.png', onProgress: ({ loaded }) => there!.push(loaded) })
  const payload = await coming
  payload.onProgress(({ loaded, total }) => here!.push(loaded, total))
  const blob = await payload.done
  await sending
  assert.deepEqual(new Uint8Array(await blob.arrayBuffer()), bytes)
  assert.deepEqual([blob.type, payload.name, payload.from, payload.size], ['image/png', 'a.png', 'ada', 100_000])
  assert.deepEqual(
    there,
    [36_660, 73_320, 100_000].map((_, at) => Math.min(100_000, partBytes(65_536) * (at + 1))),
  )
  assert.deepEqual(
    here,
    there.flatMap(loaded => [loaded, 100_000]),
  )
  assert.equal(atEve.payloads.length, 0)
  const both = [atBen.next(), atEve.next()]
  await sendPayload(ada, new Uint8Array(0))
  for (const empty of both) assert.equal((await (await empty).done).size, 0)
  assert.equal(ada.standing, 0)
})

test('a receiver that does not take what comes holds its sender up, and not the others', async () => {
  const place = crowd()
  const [ada, ben] = [place.enter('ada'), place.enter('ben')]
  const parts = () => place.sent.filter(text => text.includes('"part"')).length
  const slow = sendPayload(ada, bytesOf(400_000), { to: 'ben' })
  const { id } = JSON.parse(await waitFor(() => place.sent[0]?.slice('\u0000deputy:'.length))) as { id: string }
  await ben.say({ kind: 'take', id, to: 'ada' })
  await until(() => parts() === 5)
  await sendPayload(ada, bytesOf(10))
  assert.equal(parts(), 6, 'five of the one to ben, which fill its window, and the one to all')
  for (const loaded of [1e9, 'all', -1]) await ben.say({ kind: 'more', id: 'another', to: 'ada', loaded })
  await ben.say({ kind: 'more', id, to: 'ada', loaded: partBytes(65_536) * 5 })
  await until(() => parts() === 11)
  await ben.say({ kind: 'more', id, to: 'ada', loaded: 400_000 })
  await until(() => place.sent.at(-1)!.includes('"end"'))
  await ben.say({ kind: 'kept', id, to: 'ada' })
  await slow
})

test('either side gives a payload up, and the other hears of it', async () => {
  const place = crowd()
  const [ada, ben] = [place.enter('ada'), place.enter('ben')]
  const atBen = await receiving(ben)
  const coming = atBen.next()
  const refused = assert.rejects(sendPayload(ada, bytesOf(100_000), { to: 'ben' }), ended('aborted'))
  ;(await coming).abort()
  await refused
  await assert.rejects(atBen.payloads[0]!.done, ended('aborted'))
  const controller = new AbortController()
  const again = sendPayload(ada, bytesOf(100_000), { to: 'ben', signal: controller.signal, onProgress: () => controller.abort('enough') })
  await assert.rejects(again, reason => reason === 'enough')
  await assert.rejects(atBen.payloads[1]!.done, ended('aborted'))
  const last = assert.rejects(sendPayload(ada, bytesOf(100_000), { to: 'ben', onProgress: atBen.off }), ended('aborted'))
  await last
  await assert.rejects(atBen.payloads[2]!.done, ended('aborted'))
})

test('a payload ends at once when its receiver or its sender leaves, or the room ends', async () => {
  const place = crowd()
  const [ada, ben, eve] = [place.enter('ada'), place.enter('ben'), place.enter('eve')]
  const atBen = await receiving(ben)
  await assert.rejects(sendPayload(ada, bytesOf(10), { to: 'nobody' }), ended('gone'))
  const coming = atBen.next()
  const sending = assert.rejects(
    sendPayload(ada, bytesOf(100_000), { to: 'ben', onProgress: () => eve.leave() }).then(() => sendPayload(ada, bytesOf(9), { to: 'eve' })),
    ended('gone'),
  )
  await (
    await coming
  ).done
  await sending
  const second = atBen.next()
  const over = assert.rejects(sendPayload(ada, bytesOf(100_000), { onProgress: () => ada.leave() }), error => error instanceof Error)
  const payload = await second
  await over
  await assert.rejects(payload.done, ended('gone'))
  const [ivy, third] = [place.enter('ivy'), atBen.next()]
  const cut = sendPayload(ivy, bytesOf(100_000), { onProgress: () => ben.leave() })
  await assert.rejects((await third).done, ended('closed'))
  await cut
})

test('what is not in order, twice, too long, not base64 or of another digest is refused, and a stranger’s parts are none', async () => {
  const place = crowd()
  const [ada, ben, eve] = [place.enter('ada'), place.enter('ben'), place.enter('eve')]
  const { payloads, off } = await receiving(ben)
  const part = toBase64(bytesOf(10))
  const offer = (id: string) => ada.say({ kind: 'offer', id, to: 'ben', size: 20, name: 7, type: null })
  const attempts: Record<string, Parameters<CrowdMember['say']>[0][]> = {
    'out of order': [{ kind: 'part', n: 1, bytes: part }],
    twice: [
      { kind: 'part', n: 0, bytes: part },
      { kind: 'part', n: 0, bytes: part },
    ],
    'too long': [{ kind: 'part', n: 0, bytes: toBase64(bytesOf(21)) }],
    'no base64': [{ kind: 'part', n: 0, bytes: '***' }],
    'no text': [{ kind: 'part', n: 0, bytes: 7 }],
    empty: [{ kind: 'part', n: 0, bytes: '' }],
    'too short': [
      { kind: 'part', n: 0, bytes: part },
      { kind: 'end', digest: '' },
    ],
    'another digest': [
      { kind: 'part', n: 0, bytes: part },
      { kind: 'part', n: 1, bytes: part },
      { kind: 'end', digest: toBase64(bytesOf(32)) },
    ],
  }
  for (const [id, envelopes] of Object.entries(attempts)) {
    await offer(id)
    for (const envelope of envelopes) await ada.say({ ...envelope, id })
    await assert.rejects(payloads.at(-1)!.done, ended('broken'), id)
    await until(() => /"stop".*"broken"/.test(place.sent.at(-1) ?? ''))
  }
  await offer('forged')
  for (const kind of ['part', 'end', 'stop']) await eve.say({ kind, id: 'forged', n: 0, bytes: part, digest: '' })
  for (const n of [0, 1]) await ada.say({ kind: 'part', id: 'forged', n, bytes: part })
  const digest = await digestAfter(await digestAfter(START, bytesOf(10)), bytesOf(10))
  await ada.say({ kind: 'end', id: 'forged', digest: toBase64(digest) })
  assert.equal((await payloads.at(-1)!.done).size, 20)
  off()
})

test('what a receiver holds is bounded: beyond it offers are refused, and so are many of one member', async () => {
  const place = crowd()
  const [ada, ben, eve] = [place.enter('ada'), place.enter('ben'), place.enter('eve')]
  const { payloads, off } = await receiving(ben, { maxBytes: 1000 })
  const offer = (from: CrowdMember, id: string, size: number) => from.say({ kind: 'offer', id, to: 'ben', size })
  for (const size of [1001, -1, 0.5, Number.MAX_SAFE_INTEGER]) await offer(ada, `size ${size}`, size)
  await offer(ada, 'a', 600)
  await offer(eve, 'b', 401)
  await offer(eve, 'a', 400)
  assert.deepEqual(
    payloads.map(({ from, size }) => [from, size]),
    [
      ['ada', 600],
      ['eve', 400],
    ],
  )
  for (const id of ['1', '2', '3', '4', '5']) await offer(eve, id, 0)
  assert.equal(payloads.filter(({ from }) => from === 'eve').length, 4)
  await assert.rejects(sendPayload(ada, bytesOf(1), { to: 'ben' }), ended('refused'))
  await assert.rejects(sendPayload(ada, new Blob([new Uint8Array(PAYLOAD_MAX_BYTES), 'x'])), ended('too-large'))
  await assert.rejects(sendPayload(place.enter('small', 300), bytesOf(1)), ended('too-large'))
  off()
})

test('a payload whose sender falls silent is given up after a minute, and so is one that nobody takes', async context => {
  context.mock.timers.enable({ apis: ['setTimeout'] })
  const place = crowd()
  const [ada, ben] = [place.enter('ada'), place.enter('ben')]
  const { payloads } = await receiving(ben)
  await ada.say({ kind: 'offer', id: 'x', to: 'ben', size: 20 })
  context.mock.timers.tick(59_999)
  await ada.say({ kind: 'part', id: 'x', n: 0, bytes: toBase64(bytesOf(10)) })
  context.mock.timers.tick(60_000)
  await assert.rejects(payloads[0]!.done, ended('stalled'))
  place.enter('deaf')
  const sending = assert.rejects(sendPayload(ada, bytesOf(10), { to: 'deaf' }), ended('unanswered'))
  for (let at = 0; at < 20; at += 1) await new Promise(resolve => setImmediate(resolve))
  context.mock.timers.tick(60_000)
  await sending
})
