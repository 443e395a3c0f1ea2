/** The app page of `storage.ts`: runs the rounds by itself, since a browser that is watched by a test driver copies every byte that it sends. */
import { byteStreams, frameLink, learn } from '@deputy/channel'
import { broker } from '@deputy/contract/broker'
import { runOrder, withBenchFrame, type Ask } from './bench-page.ts'
import type { RawTimes } from './storage-worker.ts'

/** What the bench asks of the page. */
export interface PageOrder {
  readonly broker: string
  /** Written in the broker's partition before the app's frame first looks. */
  readonly kept: Readonly<Record<string, unknown>>
  readonly mebibytes: number
  readonly rounds: number
}
/** Milliseconds of one round. */
export interface Round extends RawTimes {
  readonly download: number
  readonly put: number
  readonly putStream: number
  readonly read: number
}

learn(byteStreams)

const timed = async <T>(work: () => Promise<T>): Promise<[number, T]> => {
  const begun = performance.now()
  const answer = await work()
  return [performance.now() - begun, answer]
}

async function run(order: PageOrder, ask: Ask): Promise<Round[]> {
  await ask({ kept: order.kept })

  const link = frameLink({
    origin: order.broker,
    want: 'broker',
    wants: broker,
    // As the client library has it.
    limits: { window: 4 * 2 ** 20 },
    mount: () => {
      const frame = document.createElement('iframe')
      frame.src = `${order.broker}/frame`
      document.body.append(frame)
      return frame
    },
  })
  const { storage, cloud } = await link.remote
  const pin = async (): Promise<string> => (await cloud.fs.accountPin?.()) ?? ''
  const size = order.mebibytes * 2 ** 20
  const words = new Uint32Array(size / 4).map((_, index) => Math.imul(index, 2_654_435_761))
  const blob = new Blob([words])

  const rounds: Round[] = []
  for (let round = 0; round < order.rounds; round += 1) {
    const raw = (await (await fetch('/reserve')).json()) as { readonly id: string; readonly url: string }
    const times = await ask<RawTimes>({ order: { ...raw, mebibytes: order.mebibytes } })
    await fetch(`/complete?id=${raw.id}`)
    const download = await ask<number>({ order: { url: raw.url } })

    const [put, stored] = await timed(async () => storage.put(blob, { accountPin: await pin() }))
    const [putStream, streamed] = await timed(async () => storage.put(blob.stream(), { accountPin: await pin(), size }))
    if ('error' in stored || 'error' in streamed) throw new Error(JSON.stringify([stored, streamed]))
    const opened = await storage.get(stored.url, stored.key)
    if ('error' in opened) throw new Error(opened.message)
    const [read, bytes] = await timed(async () => {
      const stream = await opened.read(0, size)
      if ('error' in stream) throw new Error(stream.message)
      let bytes = 0
      for await (const chunk of stream) bytes += chunk.length
      return bytes
    })
    if (bytes !== size) throw new Error(`read ${bytes} bytes`)
    for (const { url } of [stored, streamed]) await storage.delete(url, { accountPin: await pin() })
    rounds.push({ ...times, download, put, putStream, read })
  }
  return rounds
}

await runOrder((order: PageOrder) => withBenchFrame(order.broker, ask => run(order, ask)))
