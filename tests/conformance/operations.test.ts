import assert from 'node:assert/strict'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { run } from '@deputy/cli'
import { readProfile } from '@deputy/contract/api-accounts'
import { pathOf } from '@deputy/contract/api'
import { FolderLocked, PortTaken, readConfig, startServer } from '@deputy/server'
import { freePort, startServerProcess } from '../support/server-process.ts'
import { callServer, fetchFrom, startTestServer } from '../support/start-test-server.ts'
import { ok, signUp } from '../support/test-accounts.ts'

const folderOf = () => mkdtemp(join(tmpdir(), 'deputy-operations-'))

/** Runs the command line as the operator does: exit code and what it printed. */
async function deputy(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const [out, err]: [string[], string[]] = [[], []]
  const code = await run(args, { env: {}, out: text => out.push(text), err: text => err.push(text) })
  return { code, out: out.join('\n'), err: err.join('\n') }
}

describe('health and metrics', () => {
  test('a running server lives and is ready, asked by any host', async () => {
    const server = await startTestServer()
    try {
      for (const origin of [server.origins.api, server.origins.cdn, `http://10.0.0.1:${server.port}`]) {
        assert.deepEqual(JSON.parse((await server.fetch(`${origin}/livez`)).text), { alive: true })
        const ready = await server.fetch(`${origin}/readyz`)
        assert.deepEqual([ready.status, JSON.parse(ready.text)], [200, { ready: true, checks: { rows: true, disk: true, open: true } }])
      }
    } finally {
      await server.close()
    }
  })

  test('metrics are on a loopback port of their own and count calls by route, nothing of persons', async () => {
    const metricsPort = await freePort()
    const server = await startTestServer({ operations: { metricsPort } })
    try {
      const ada = await signUp(server, 'Unmistakable')
      await server.call(readProfile, {}, ada.token)
      await server.call(readProfile, {}, 'A'.repeat(43))
      const { status, text } = await fetchFrom(metricsPort, `http://127.0.0.1:${metricsPort}/metrics`)
      assert.equal(status, 200)
      assert.match(text, /deputy_request_seconds_count\{route="accounts\/profile",status="200"\} 1/)
      assert.match(text, /deputy_request_seconds_count\{route="accounts\/profile",status="401"\} 1/)
      for (const personal of ['Unmistakable', ada.token, ada.session.account.id, '127.0.0.1']) assert.ok(!text.includes(personal), personal)
      assert.equal((await server.fetch(`${server.origins.api}/metrics`)).status, 404)
    } finally {
      await server.close()
    }
  })
})

describe('starting and stopping', () => {
  test('a folder belongs to one server at a time; a port that is taken is named', async () => {
    const server = await startTestServer()
    const other = await folderOf()
    try {
      const config = (folder: string, port: number) => readConfig({ file: { server: { folder, port, hosts: ['127.0.0.1'] } } })
      await assert.rejects(
        startServer(config(server.folder, 0)),
        (error: unknown) => error instanceof FolderLocked && error.message.includes(String(process.pid)),
      )
      await assert.rejects(
        startServer(config(other, server.port)),
        (error: unknown) => error instanceof PortTaken && error.message.includes('DEPUTY_SERVER_PORT'),
      )
      const later = await startServer(config(other, 0))
      await later.close()
      assert.equal((await server.fetch(`${server.origins.api}/livez`)).status, 200)
    } finally {
      await server.close()
      await rm(other, { recursive: true, force: true })
    }
  })

  test('the folder of a server that was killed is free', async () => {
    const folder = await folderOf()
    try {
      await (await startServerProcess(folder)).end('SIGKILL')
      const again = await startServerProcess(folder)
      await again.end('SIGTERM')
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })

  test('a server told to stop answers what is in flight, takes nothing new, and leaves no journal behind', async () => {
    const server = await startTestServer({ server: { drain: '2s' } })
    const { token, session } = await signUp(server)
    const { port, origins, folder } = server
    // Half a request is in flight when the end comes; the rest arrives after it.
    const inFlight = request({
      host: '127.0.0.1',
      port,
      method: 'POST',
      path: pathOf(readProfile),
      headers: { host: new URL(origins.api).host, 'content-type': 'application/json', authorization: `Bearer ${token}`, 'content-length': 2 },
    })
    const answered = new Promise<{ status: number | undefined; connection: string | undefined; text: string }>((resolve, reject) => {
      inFlight.on('error', reject).on('response', response => {
        let text = ''
        response
          .on('data', (chunk: Buffer) => (text += chunk.toString('utf8')))
          .on('end', () => resolve({ status: response.statusCode, connection: response.headers.connection, text }))
      })
    })
    await new Promise(resolve => inFlight.write('{', resolve))
    // Another round trip on the same server, so that it has surely seen the half request.
    await callServer({ port, origins }, readProfile, {}, token)
    const running = server.stop()
    const leaving = await fetchFrom(port, `${origins.api}/readyz`)
    assert.deepEqual([leaving.status, (JSON.parse(leaving.text) as { checks: { open: boolean } }).checks.open], [503, false])
    inFlight.end('}')
    const { status, text } = await answered
    assert.deepEqual([status, (JSON.parse(text) as { id: string }).id], [200, session.account.id])
    await running
    await assert.rejects(fetchFrom(port, `${origins.api}/livez`))
    await assert.rejects(stat(join(folder, 'rows.sqlite-wal')))
    await rm(folder, { recursive: true, force: true })
  })

  test('a process told to stop ends by itself, well within its time, also where a browser has connected ahead of need', async () => {
    const folder = await folderOf()
    try {
      const server = await startServerProcess(folder, { server: { shutdown: '25s' } })
      const silent = connect(server.port, '127.0.0.1').on('error', () => undefined)
      await once(silent, 'connect')
      // Answered after the silent connection was taken.
      await fetchFrom(server.port, `${server.origins.api}/livez`)
      const started = performance.now()
      await server.end('SIGTERM')
      assert.ok(performance.now() - started < 10_000)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
})

describe('the command line', () => {
  test('the operator works beside a running server, and without one', async () => {
    const server = await startTestServer()
    try {
      await signUp(server, 'Ada')
      const ben = await signUp(server, 'Ben')
      const { id } = ben.session.account
      const at = ['--folder', server.folder]
      assert.match((await deputy('admin', 'list-accounts', ...at)).out, /name: Ada[\s\S]*name: Ben/)
      assert.equal((await deputy('admin', 'grant-premium', id, '--until', '2999-01-31', ...at)).code, 0)
      const granted = ok(await server.call(readProfile, {}, ben.token))
      assert.deepEqual([granted.premium, granted.premiumUntil], [true, '2999-01-31T00:00:00.000Z'])
      await deputy('admin', 'revoke-premium', id, ...at)
      assert.equal(ok(await server.call(readProfile, {}, ben.token)).premium, false)
      assert.match((await deputy('admin', 'sessions', id, ...at)).out, /device: Test/)
      assert.equal((await server.call(readProfile, {}, ben.token)).status, 200)
      await deputy('admin', 'sessions', id, '--end', ...at)
      assert.equal((await server.call(readProfile, {}, ben.token)).status, 401)
      assert.match((await deputy('admin', 'sweep', ...at)).out, /strays: 0/)
      const backup = join(server.folder, 'copy.sqlite')
      assert.equal((await deputy('admin', 'backup', backup, ...at)).code, 0)
      assert.ok((await stat(backup)).size > 0)
      assert.match((await deputy('doctor', ...at)).out, /well +server +runs on this folder/)
      await server.stop()
      assert.match((await deputy('admin', 'list-accounts', ...at, '--json')).out, /"name": "Ben"/)
      assert.match((await deputy('doctor', ...at, '--port', '0')).out, /well +database +sound/)
    } finally {
      await server.close()
    }
  })

  test('mistakes are told with the way out', async () => {
    const folder = await folderOf()
    try {
      const unknown = await deputy('admin', 'grant-premium', 'nobody', '--folder', folder)
      assert.deepEqual([unknown.code, unknown.err], [1, 'there is no account with the id or address nobody'])
      assert.equal((await deputy('nothing')).code, 2)
      assert.equal((await deputy('admin', 'nothing')).code, 2)
      assert.equal((await deputy('admin', 'backup')).code, 2)
      assert.equal((await deputy('admin', 'list-accounts', '--nothing')).code, 2)
      assert.match((await deputy('--help')).out, /dev +builds and runs everything/)
      assert.match((await deputy('admin', '--help')).out, /grant-premium/)
      const up = await deputy('up')
      assert.equal(up.code, 1)
      for (const key of ['DEPUTY_ORIGINS_BROKER', 'DEPUTY_ORIGINS_API', 'DEPUTY_ORIGINS_CDN', 'sites.broker', 'mail.server'])
        assert.ok(up.err.includes(key), key)
      const doctor = await deputy('doctor', '--config', join(folder, 'missing.json'))
      assert.deepEqual([doctor.code, /WRONG +configuration/.test(doctor.out)], [1, true])
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })

  test('the effective configuration is printed without its secrets', async () => {
    const out: string[] = []
    const env = { DEPUTY_MAIL_SERVER: 'smtps://user:hunter2hunter2@mail.example', DEPUTY_LIMITS_READ: '7' }
    assert.equal(await run(['config'], { env, out: text => out.push(text), err: () => {} }), 0)
    assert.match(out.join('\n'), /\* DEPUTY_LIMITS_READ +7 /)
    assert.match(out.join('\n'), /\* DEPUTY_MAIL_SERVER +\(set\)/)
    assert.ok(!out.join('\n').includes('hunter2'))
  })
})
