/** The app page of `cloud-files.ts`: runs the rounds by itself, since a browser that is watched by a test driver copies every byte that it sends. */
import { configure } from '@deputy/client'
import * as cloud from '@deputy/client/cloud'
import * as files from '@deputy/client/fs'
import * as opfs from '@deputy/client/opfs'
import { runOrder, seconds, withBenchFrame } from './bench-page.ts'
import type { Measure, PageOrder, Result, Subject } from './cloud-files-order.ts'

const mebibyte = 2 ** 20

async function prepare({ broker, kept }: PageOrder): Promise<void> {
  await withBenchFrame(broker, ask => ask(kept))
  configure({ broker })
  if ((await cloud.fs.availability()) !== 'connected' || !(await cloud.fs.encryption()).unlocked) throw new Error('the session was not taken')
}

type Times = Record<string, number>
const processor = async (): Promise<Times> => (await (await fetch('/processor')).json()) as Times
const between = (before: Times, after: Times): Times => Object.fromEntries(Object.entries(after).map(([kind, time]) => [kind, time - (before[kind] ?? 0)]))

const random = (length: number): Uint8Array<ArrayBuffer> => {
  const words = new Uint32Array(length / 4)
  for (let index = 0; index < words.length; index += 1) words[index] = Math.imul(index, 2_654_435_761)
  return new Uint8Array(words.buffer)
}

async function run(order: PageOrder): Promise<Result> {
  await prepare(order)
  const { rounds, atOnce, small, large, huge, locals, bare } = order
  const has = (subject: Subject): boolean => order.only.includes(subject)
  const { fs } = cloud
  const each = (count: number, work: (index: number) => Promise<unknown>): Promise<number> => {
    let next = 0
    const lane = async (): Promise<void> => {
      while (next < count) await work(next++)
    }
    return seconds(() => Promise.all(Array.from({ length: atOnce }, lane)))
  }
  const put = async (name: string, body: Uint8Array<ArrayBuffer>): Promise<void> => {
    const answer = await fetch(`${bare}/${name}`, { method: 'PUT', body })
    await answer.arrayBuffer()
    if (!answer.ok) throw new Error('bare')
  }
  const get = async (name: string): Promise<unknown> => (await fetch(`${bare}/${name}`, { cache: 'no-store' })).arrayBuffer()

  const key = await crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt'])
  const record = random(mebibyte)
  const rules = { name: 'AES-GCM', iv: new Uint8Array(12), additionalData: new Uint8Array(64) }
  const sealed = await crypto.subtle.encrypt(rules, key, record)
  const sealing = (mebibytes: number): Promise<number> =>
    seconds(async () => {
      for (let done = 0; done < mebibytes; done += 1) await crypto.subtle.encrypt(rules, key, record)
    })
  const opening = (mebibytes: number): Promise<number> =>
    seconds(async () => {
      for (let done = 0; done < mebibytes; done += 1) await crypto.subtle.decrypt(rules, key, sealed)
    })

  const measures: Measure[] = []
  const both = async (name: string, count: number, crypto: number, byBare: () => Promise<number>, byDeputy: () => Promise<number>): Promise<void> => {
    const [first, bare, second, deputy, third] = [await processor(), await byBare(), await processor(), await byDeputy(), await processor()]
    measures.push({ name, count, crypto, bare, deputy, bareTime: between(first, second), deputyTime: between(second, third) })
  }
  for (let round = 0; round < rounds; round += 1) {
    if (has('small')) {
      const bytes = random(1024)
      const bare = [() => each(small, index => put(`s${index}`, bytes)), () => each(small, index => get(`s${index}`))] as const
      await both('1 KiB written', small, 0, bare[0], () => each(small, index => fs.writeFile(`small/${index}`, bytes, null)))
      await both('1 KiB read', small, 0, bare[1], () => each(small, index => fs.readFile(`small/${index}`)))
    }
    if (has('large')) {
      const bare = [() => each(large, index => put(`l${index}`, record)), () => each(large, index => get(`l${index}`))] as const
      await both('1 MiB written', large, await sealing(large), bare[0], () => each(large, index => fs.writeFile(`large/${index}`, record, null)))
      await both('1 MiB read', large, await opening(large), bare[1], () => each(large, index => fs.readFile(`large/${index}`)))
    }
    if (has('huge')) {
      const bytes = random(huge * mebibyte)
      const bare = [() => seconds(() => put('huge', bytes)), () => seconds(() => get('huge'))] as const
      await both(`${huge} MiB written`, huge, await sealing(huge), bare[0], () => seconds(() => fs.writeFile('huge', bytes, null)))
      const read = async (): Promise<void> => {
        const { length } = await fs.readFile('huge')
        if (length !== bytes.length) throw new Error(`read ${length} bytes`)
      }
      await both(`${huge} MiB read`, huge, await opening(huge), bare[1], () => seconds(read))
    }
  }

  const lists: { entries: number; time: number }[] = []
  if (has('list')) {
    await fetch('/fill')
    for (let round = 0; round < 3; round += 1) {
      let entries = 0
      const time = 1000 * (await seconds(async () => void (entries = (await fs.list()).length)))
      lists.push({ entries, time })
    }
  }
  const timed = async (count: number, work: (index: number) => Promise<unknown>): Promise<number[]> => {
    const times: number[] = []
    for (let index = 0; index < count; index += 1) times.push(1000 * (await seconds(() => work(index))))
    return times
  }
  const text = 'a note of some words'
  const local = has('local') ? await timed(locals, index => opfs.promises.writeFile(`local/${index}`, text)) : []
  const hybrid = has('local') ? await timed(Math.min(locals, 100), index => files.promises.writeFile(`hybrid/${index}`, text)) : []
  return { measures, lists, local, hybrid }
}

files.configureFiles({ asksToAdopt: false })
await runOrder(run)
