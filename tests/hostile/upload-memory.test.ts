import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { completeObject, reserveObject } from '@deputy/contract/api-objects'
import type { Route, RouteBody } from '@deputy/contract/api'
import { startServerProcess } from '../support/server-process.ts'
import { callServer } from '../support/start-test-server.ts'
import { connectApp, ok, signUp } from '../support/test-accounts.ts'

const MiB = 2 ** 20

test('a part of 256 MiB goes to disk and back without being held in memory', { skip: process.platform !== 'linux', timeout: 120_000 }, async t => {
  const folder = await mkdtemp(join(tmpdir(), 'deputy-memory-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const server = await startServerProcess(folder, { objects: { part: '256MiB' } })
  t.after(() => server.end('SIGKILL'))
  const call = <R extends Route>(route: R, body: RouteBody<R>, token?: string) => callServer(server, route, body, token)
  const { token } = await connectApp({ ...server, call }, (await signUp({ ...server, call })).token)
  const peak = async (): Promise<number> => Number(/VmHWM:\s+(\d+) kB/.exec(await readFile(`/proc/${server.pid}/status`, 'utf8'))?.[1]) / 1024

  const id = randomUUID()
  const { partBytes, parts } = ok(await call(reserveObject, { id, size: 256 * MiB }, token))
  assert.deepEqual([partBytes, parts], [256 * (MiB + 28), 1])
  const before = await peak()
  const host = new URL(server.origins.api).host
  const sent = request({
    host: '127.0.0.1',
    port: server.port,
    method: 'PUT',
    path: `/v1/objects/${id}/parts/0`,
    headers: { host, authorization: `Bearer ${token}`, 'content-length': String(partBytes) },
  })
  const answered = once(sent, 'response')
  const piece = Buffer.alloc(MiB + 28, 7)
  for (let index = 0; index < 256; index += 1) if (!sent.write(piece)) await once(sent, 'drain')
  sent.end()
  const [answer] = (await answered) as [{ statusCode: number }]
  assert.equal(answer.statusCode, 200)
  ok(await call(completeObject, { id }, token))

  const asked = request({ host: '127.0.0.1', port: server.port, path: `/${id}`, headers: { host: new URL(server.origins.cdn).host } }).end()
  const [download] = (await once(asked, 'response')) as [AsyncIterable<Buffer>]
  let read = 0
  for await (const chunk of download) read += chunk.length
  assert.equal(read, partBytes)
  const grown = (await peak()) - before
  assert.ok(grown < 128, `the server grew by ${grown.toFixed(0)} MiB`)
  t.diagnostic(`grew by ${grown.toFixed(0)} MiB`)
})
