import assert from 'node:assert/strict'
import { createHash, randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { abortObject, completeObject, deleteObject, listAccountObjects, listObjects, readUsage, reserveObject } from '@deputy/contract/api-objects'
import { type Route, type RouteBody } from '@deputy/contract/api'
import { startDayLater } from '../support/day-later.ts'
import { seeded } from '../support/seeded.ts'
import { type ServerProcess, freePort, startServerProcess } from '../support/server-process.ts'
import { type CallAnswer, callServer, type ConfigFile } from '../support/start-test-server.ts'
import { download, filesOf, putPart, recount, sealedBytes } from '../support/stored-objects.ts'
import { connectApp, ok, signUp } from '../support/test-accounts.ts'
import { workUntilKilled } from '../support/work-until-killed.ts'

const kills = Number(process.env['DEPUTY_KILLS'] ?? 5)
const seed = Number(process.env['DEPUTY_SEED'] ?? Date.now() % 2 ** 31)
const uploaders = 3
const keptAtMost = 60

/** What is known of an object: what was answered, or what was asked when no answer came. */
interface Known {
  readonly digest: string
  readonly length: number
  state: 'uploading' | 'ready' | 'unsure' | 'deleting' | 'deleted'
}

const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

test(
  `OBJ-13: ${kills} kills in a loop of uploads lose nothing that was answered and leave nothing behind (seed ${seed})`,
  { timeout: kills * 15_000 + 60_000 },
  async t => {
    const folder = await mkdtemp(join(tmpdir(), 'deputy-kill-'))
    const data = join(folder, 'data')
    t.after(() => rm(folder, { recursive: true, force: true }))
    const file: ConfigFile = {
      server: { port: await freePort() },
      limits: { read: 1_000_000, write: 1_000_000, address: 10_000_000 },
      objects: { part: '1MiB', perHour: 1_000_000, sweep: '1s' },
    }
    const random = seeded(seed)
    const known = new Map<string, Known>()
    const tally = { ready: 0, parts: 0, checked: 0, unsureReady: 0 }
    let server: ServerProcess = await startServerProcess(folder, file)
    t.after(() => server.end('SIGKILL'))
    const call = <R extends Route>(route: R, body: RouteBody<R>, token?: string): Promise<CallAnswer<R>> => callServer(server, route, body, token)
    const person = await signUp({ ...server, call })
    const { token } = await connectApp({ ...server, call }, person.token)

    const uploadOne = async (): Promise<void> => {
      const id = randomUUID()
      const size = Math.floor(random() < 0.3 ? random() * 3 * 2 ** 20 : random() * 65_536)
      const bytes = sealedBytes(size)
      const fate = random()
      const plan = ok(await call(reserveObject, { id, size }, token))
      const object: Known = { digest: digestOf(bytes), length: bytes.length, state: 'uploading' }
      known.set(id, object)
      const send = async (part: number): Promise<void> => {
        const { status, text } = await putPart(server, token, id, part, bytes.subarray(part * plan.partBytes, (part + 1) * plan.partBytes))
        assert.equal(status, 200, text)
        tally.parts += 1
      }
      const parts = Array.from({ length: plan.parts }, (_, part) => part)
      if (fate < 0.1) {
        await send(0)
        if (fate < 0.05) ok(await call(abortObject, { id }, token))
        return
      }
      if (fate < 0.5) await Promise.all(parts.map(send))
      else for (const part of parts) await send(part)
      object.state = 'unsure'
      ok(await call(completeObject, { id }, token))
      object.state = 'ready'
      tally.ready += 1
      const old = [...known].find(([, { state }]) => state === 'ready')
      if (old === undefined || known.size < keptAtMost) return
      old[1].state = 'deleting'
      ok(await call(deleteObject, { id: old[0] }, token))
      old[1].state = 'deleted'
    }

    const check = async (object: Known, id: string): Promise<void> => {
      const { status, body } = await download(server, `${server.origins.cdn}/${id}`)
      tally.checked += 1
      if (object.state === 'ready') assert.equal(status, 200, `the object ${id} was answered ready and is gone`)
      if (object.state === 'deleted' || object.state === 'uploading') assert.equal(status, 404, `the object ${id} is served although it was ${object.state}`)
      if (status !== 200) return
      assert.equal(body.length, object.length)
      assert.equal(digestOf(body), object.digest)
      if (object.state === 'unsure') tally.unsureReady += 1
      // What is served once may never be lost again.
      if (object.state === 'unsure') object.state = 'ready'
    }

    for (let round = 0; round < kills; round += 1) {
      await workUntilKilled(server, uploaders, random, uploadOne)
      server = await startServerProcess(folder, file)
      const unchecked = [...known]
      await Promise.all(
        Array.from({ length: 8 }, async () => {
          for (let next = unchecked.pop(); next !== undefined; next = unchecked.pop()) await check(next[1], next[0])
        }),
      )
      const { counted, kept } = recount(data)
      assert.deepEqual(kept, counted)
      for (const [id, { state }] of known) if (state === 'deleted') known.delete(id)
    }
    await server.end('SIGKILL')

    const later = await startDayLater(t, folder, file)
    const { objects } = ok(await callServer(later, listObjects, { limit: 1000 }, token))
    assert.ok(objects.every(object => object.status === 'ready'))
    const ready = objects.map(object => object.url.slice(-36)).toSorted()
    assert.deepEqual(await filesOf(data), ready)
    for (const [id, { state }] of known) if (state === 'ready') assert.ok(ready.includes(id))
    const sealed = ready.reduce((sum, id) => sum + (known.get(id)?.length ?? Number.NaN), 0)
    const usage = ok(await callServer(later, readUsage, {}, token))
    assert.deepEqual([usage.objects, usage.usedBytes], [ready.length, sealed])
    assert.equal(ok(await callServer(later, listAccountObjects, { limit: 1000 }, person.token)).objects.length, ready.length)
    t.diagnostic(
      `${kills} kills, ${tally.ready} objects answered ready, ${tally.parts} parts, ${tally.checked} checks, ${tally.unsureReady} ready without an answer, ${ready.length} left`,
    )
  },
)
