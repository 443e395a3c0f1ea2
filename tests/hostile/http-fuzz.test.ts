import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { readProfile, updateProfile } from '@deputy/contract/api-accounts'
import type { Route, RouteBody } from '@deputy/contract/api'
import { listAccountObjects, listObjects, readUsage, reserveObject } from '@deputy/contract/api-objects'
import { listFileApps, listFiles } from '@deputy/contract/api-files'
import { readKeys } from '@deputy/contract/api-keys'
import { listSessions } from '@deputy/contract/api-sessions'
import { hostileRequest, type Spoils } from '../support/hostile-requests.ts'
import { seeded } from '../support/seeded.ts'
import { startServerProcess, type ServerProcess } from '../support/server-process.ts'
import { callServer } from '../support/start-test-server.ts'
import { enrol, getFile, nameOf, put } from '../support/stored-files.ts'
import { download, store, upload } from '../support/stored-objects.ts'
import { connectApp, ok, signUp } from '../support/test-accounts.ts'

const count = Number(process.env['DEPUTY_FUZZ'] ?? 10_000)
const seed = Number(process.env['DEPUTY_SEED'] ?? Date.now() % 2 ** 31)
const atOnce = 24
/** How long an unfinished request is held open before its sender gives up. */
const held = 400
/** Longer than any limit of the server as it is configured here. */
const patience = 20_000

let folder: string
let server: ServerProcess

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'deputy-fuzz-'))
  server = await startServerProcess(folder, {
    limits: { read: 1_000_000, write: 1_000_000, files: 1_000_000, signIn: 1_000_000, address: 10_000_000, bodyTime: '2s', idle: '2s' },
    objects: { part: '1MiB', perHour: 1_000_000 },
  })
})
after(async () => {
  await server.end('SIGKILL')
  await rm(folder, { recursive: true, force: true })
})

const call = <R extends Route>(route: R, body: RouteBody<R>, token?: string) => callServer(server, route, body, token)

/** Sends bytes, says after a silence that no more will come, and answers everything that came back until the server closed. */
function exchange(bytes: Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const answer: Buffer[] = []
    const socket = connect({ host: '127.0.0.1', port: server.port, allowHalfOpen: true })
    const cut = setTimeout(() => {
      reject(new Error('the server left a request without an end'))
      socket.destroy()
    }, patience)
    let silence = setTimeout(() => socket.end(), held)
    socket.on('data', (chunk: Buffer) => {
      answer.push(chunk)
      clearTimeout(silence)
      silence = setTimeout(() => socket.end(), held)
    })
    socket.on('end', () => socket.end())
    // A server may close on a request it does not like while it is still being sent.
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      clearTimeout(cut)
      clearTimeout(silence)
      resolve(Buffer.concat(answer).toString('latin1'))
    })
    socket.write(bytes)
  })
}

describe('hostile requests', { concurrency: true }, () => {
  test(`${count} malformed requests: no crash, no hang, no inner failure, nobody else’s data (seed ${seed})`, { timeout: 240_000 }, async t => {
    const scene = { ...server, call }
    const marker = `victim-${randomBytes(8).toString('hex')}`
    const victim = await signUp(scene, marker)
    const victimApp = await connectApp(scene, victim.token, 'web:http://victim.localhost:8000')
    const ready = await store({ ...server, call } as never, victimApp.token, 2 ** 20 + 3)
    const uploading = await upload({ ...server, call } as never, victimApp.token, 2 ** 20 + 3)
    await enrol(scene, victim.token)
    const names = [nameOf(marker), nameOf(`${marker} large`)]
    const secret = randomBytes(100_000)
    for (const name of names) await put(server, victimApp.token, name, secret)
    const victims = async () =>
      Promise.all([
        call(readProfile, {}, victim.token),
        call(listAccountObjects, {}, victim.token),
        call(listObjects, {}, victimApp.token),
        call(readUsage, {}, victimApp.token),
        call(readKeys, {}, victim.token),
        call(listFiles, { since: 0 }, victimApp.token),
        call(listFileApps, {}, victim.token),
        call(listSessions, {}, victim.token).then(answer =>
          ok(answer)
            .sessions.map(session => session.id)
            .toSorted(),
        ),
      ])
    const before = await victims()

    const attacker = await signUp(scene, 'Mallory')
    const { token: app } = await connectApp(scene, attacker.token, 'web:http://victim.localhost:8000')
    await enrol(scene, attacker.token)
    const own = randomUUID()
    ok(await call(reserveObject, { id: own, size: 2 ** 20 + 1 }, app))
    const host = (origin: string): string => new URL(origin).host
    const { origins } = server
    const spoils: Spoils = {
      hosts: { broker: host(origins.broker), api: host(origins.api), cdn: host(origins.cdn) },
      broker: origins.broker,
      tokens: [app, attacker.token],
      ids: [ready.id, uploading.id, own],
      names: [...names, nameOf('own')],
    }
    const secrets = [marker, victim.token, victimApp.token, victim.session.id, victim.session.account.id, folder]
    const inside = /\bat .+:\d+:\d+|node:internal|node_modules|SQLITE|sqlite|\.ts:\d+|ENOENT|Error: /
    const statuses = new Map<string, number>()

    let next = 0
    const attack = async (): Promise<void> => {
      for (;;) {
        const index = next
        next += 1
        if (index >= count) return
        const { kind, bytes } = hostileRequest(seeded(seed + index), spoils)
        const told = `request ${index}, ${kind}: ${JSON.stringify(bytes.subarray(0, 300).toString('latin1'))}`
        const text = await exchange(bytes).catch((error: unknown) => assert.fail(`${String(error)} (${told})`))
        assert.ok(server.alive(), `the server ended (${told})`)
        const status = /^HTTP\/1\.1 (\d{3}) /.exec(text)?.[1] ?? 'none'
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        assert.ok(status === 'none' || Number(status) < 500, `answered ${status} (${told})\n${text.slice(0, 500)}`)
        const echoless = text.startsWith('HTTP/1.1 200') || text.startsWith('HTTP/1.1 206') ? text.slice(0, 2000) : text
        for (const secret of secrets) assert.ok(!text.includes(secret), `an answer tells what is not the caller’s (${told})\n${text.slice(0, 500)}`)
        assert.ok(!inside.test(echoless.slice(0, 2000)) || isSealed(text), `an answer tells of the inside (${told})\n${text.slice(0, 500)}`)
      }
    }
    await Promise.all(Array.from({ length: atOnce }, attack))

    assert.deepEqual(await victims(), before)
    assert.ok((await download(server, ready.url)).body.equals(ready.bytes))
    for (const name of names) assert.ok((await getFile(server, victimApp.token, name)).body.equals(secret))
    assert.equal((await download(server, `${origins.cdn}/${uploading.id}`)).status, 404)
    assert.equal(ok(await call(updateProfile, { name: 'Still here' }, attacker.token)).name, 'Still here')
    const failures = server.log.filter(line => line.includes('"level":"error"'))
    assert.deepEqual(failures, [])
    assert.ok(!server.log.some(line => secrets.slice(0, 3).some(secret => line.includes(secret)) || line.includes(app) || line.includes(attacker.token)))
    t.diagnostic(
      [...statuses]
        .toSorted(([one], [other]) => one.localeCompare(other))
        .map(([status, times]) => `${status}: ${times}`)
        .join(', '),
    )
  })

  test('a request that never ends is ended by the server: slow head, slow body, slow part', async () => {
    const person = await signUp({ ...server, call }, 'Slow')
    const { token } = await connectApp({ ...server, call }, person.token)
    const id = randomUUID()
    ok(await call(reserveObject, { id, size: 5 }, token))
    const host = `host: ${new URL(server.origins.api).host}`
    const slow = [
      `POST /v1/usage/read HTTP/1.1\r\n${host}\r\nx-slow: `,
      `POST /v1/usage/read HTTP/1.1\r\n${host}\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{`,
      `PUT /v1/objects/${id}/parts/0 HTTP/1.1\r\n${host}\r\nauthorization: Bearer ${token}\r\ncontent-length: 33\r\n\r\nabc`,
    ]
    await Promise.all(
      slow.map(async text => {
        const socket = connect({ host: '127.0.0.1', port: server.port })
        socket.on('error', () => {})
        socket.resume()
        socket.write(text)
        await once(socket, 'close', { signal: AbortSignal.timeout(60_000) })
      }),
    )
    assert.equal((await call(readUsage, {}, token)).status, 200)
  })
})

/** Whether an answer carries sealed bytes, in which any text may stand by chance. */
const isSealed = (text: string): boolean => /\r\ncontent-type: application\/octet-stream\r\n/i.test(text)
