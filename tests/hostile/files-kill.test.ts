import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { abortFile, beginFile, commitFile, listFiles, readFileUsage, removeFile } from '@deputy/contract/api-files'
import type { Route, RouteBody } from '@deputy/contract/api'
import { startDayLater } from '../support/day-later.ts'
import { seeded } from '../support/seeded.ts'
import { freePort, type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { type CallAnswer, callServer, type ConfigFile } from '../support/start-test-server.ts'
import { blobsOf, enrol, getFile, metaOf, nameOf, putFile, putFilePart, recountFiles, type Written } from '../support/stored-files.ts'
import { connectApp, ok, signUp } from '../support/test-accounts.ts'
import { workUntilKilled } from '../support/work-until-killed.ts'

const kills = Number(process.env['DEPUTY_KILLS'] ?? 5)
const seed = Number(process.env['DEPUTY_SEED'] ?? Date.now() % 2 ** 31)
const writers = 4
const filesEach = 12
const sizes = [200, 4000, 60_000, 90_000, 700_000]

/** A state a file was answered to have, or may have without an answer; `digest` null is that there is none. */
interface State {
  readonly digest: string | null
  /** As answered; null when no answer came. */
  readonly version: number | null
}

/** What is known of a file: the state that was answered last, and what was asked for after it without an answer. */
interface Known {
  last: State
  unsure: State[]
  /** The highest version ever answered or seen. */
  highest: number
}

const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
const none: State = { digest: null, version: null }

test(
  `${kills} kills under writes lose no acknowledged file, mix no two and leave no stray bytes (seed ${seed})`,
  { timeout: kills * 15_000 + 60_000 },
  async t => {
    const folder = await mkdtemp(join(tmpdir(), 'deputy-files-kill-'))
    const data = join(folder, 'data')
    t.after(() => rm(folder, { recursive: true, force: true }))
    const file: ConfigFile = {
      server: { port: await freePort() },
      limits: { read: 1_000_000, write: 1_000_000, files: 1_000_000, address: 10_000_000 },
      objects: { sweep: '1s' },
      files: { part: '256KiB', uploads: 10_000 },
    }
    const random = seeded(seed)
    const known = new Map<string, Known>()
    const tally = { writes: 0, removals: 0, checked: 0, unanswered: 0, uploads: 0 }
    let server: ServerProcess = await startServerProcess(folder, file)
    t.after(() => server.end('SIGKILL'))
    const call = <R extends Route>(route: R, body: RouteBody<R>, token?: string): Promise<CallAnswer<R>> => callServer(server, route, body, token)
    const person = await signUp({ ...server, call })
    const { token } = await connectApp({ ...server, call }, person.token)
    await enrol({ ...server, call }, person.token)

    /** Writes one state of a file, by one request or by parts, conditional where the state is known for sure. */
    const write = async (name: string, one: Known): Promise<void> => {
      const bytes = randomBytes(1 + Math.floor(random() * (sizes[Math.floor(random() * sizes.length)] ?? 1)))
      const base = one.unsure.length > 0 || random() < 0.3 ? 'any' : (one.last.version ?? 'none')
      const byParts = random() < 0.25
      const settle = ({ version }: Written): void => {
        assert.ok(version > one.highest, 'a version is never used twice')
        one.last = { digest: digestOf(bytes), version }
        one.unsure = []
        one.highest = version
        tally.writes += 1
      }
      if (!byParts) {
        one.unsure.push({ digest: digestOf(bytes), version: null })
        const { status, text } = await putFile(server, token, name, bytes, { base })
        assert.equal(status, 200, text)
        settle(JSON.parse(text) as Written)
        return
      }
      const { upload, parts, partBytes } = ok(await call(beginFile, { size: bytes.length, epoch: 1 }, token))
      tally.uploads += 1
      for (let part = 0; part < parts; part += 1) {
        const answer = await putFilePart(server, token, upload, part, bytes.subarray(part * partBytes, (part + 1) * partBytes))
        assert.equal(answer.status, 200, answer.text)
      }
      const fate = random()
      if (fate < 0.1) ok(await call(abortFile, { upload }, token))
      if (fate < 0.2) return
      one.unsure.push({ digest: digestOf(bytes), version: null })
      const body = { upload, name, meta: metaOf(name), epoch: 1, ...(base === 'any' ? {} : { base: base === 'none' ? null : base }) }
      settle(ok(await call(commitFile, body, token)))
    }

    const remove = async (name: string, one: Known): Promise<void> => {
      one.unsure.push(none)
      const { status, answer } = await call(removeFile, { name }, token)
      assert.ok(status === 200 || status === 404)
      one.last = none
      one.unsure = []
      one.highest = Math.max(one.highest, answer?.changed ?? 0)
      tally.removals += 1
    }

    const workOnOne = async (writer: number): Promise<void> => {
      const name = nameOf(`${writer} ${Math.floor(random() * filesEach)}`)
      const one = known.get(name) ?? { last: none, unsure: [], highest: 0 }
      known.set(name, one)
      await (one.last.digest !== null && random() < 0.15 ? remove(name, one) : write(name, one))
    }

    /** What is there must be what was answered last, or something asked for since. From then on it counts as answered. */
    const check = async (name: string, one: Known): Promise<void> => {
      const { status, body, headers } = await getFile(server, token, name)
      assert.ok(status === 200 || status === 404)
      const digest = status === 200 ? digestOf(body) : null
      const version = status === 200 ? Number(headers['deputy-version']) : null
      tally.checked += 1
      if (digest === one.last.digest && (digest === null || version === one.last.version)) {
        one.unsure = []
        return
      }
      assert.ok(
        one.unsure.some(state => state.digest === digest),
        `the file ${name} is ${digest === null ? 'gone' : 'another'} although ${one.last.digest === null ? 'its removal' : 'other bytes'} had been answered`,
      )
      assert.ok(version === null || version > one.highest, 'what came later has a later version')
      tally.unanswered += 1
      one.last = { digest, version }
      one.unsure = []
      one.highest = Math.max(one.highest, version ?? 0)
    }

    for (let round = 0; round < kills; round += 1) {
      await workUntilKilled(server, writers, random, workOnOne)
      server = await startServerProcess(folder, file)
      await Promise.all([...known].map(([name, one]) => check(name, one)))
      const { files } = ok(await call(listFiles, { since: 0 }, token))
      const expected = [...known].flatMap(([name, { last }]) => (last.version === null ? [] : `${name} ${last.version}`)).toSorted()
      assert.deepEqual(files.map(one => `${one.name} ${one.version}`).toSorted(), expected)
      const { counted, kept } = recountFiles(data)
      assert.deepEqual(kept, counted)
    }
    await server.end('SIGKILL')

    const later = await startDayLater(t, folder, file)
    const { counted, kept } = recountFiles(data)
    assert.deepEqual(kept, counted)
    const there = await blobsOf(data)
    assert.deepEqual(
      there,
      kept.flatMap(row => (row as { id?: string }).id ?? []),
    )
    const usage = ok(await callServer(later, readFileUsage, {}, token))
    const live = [...known.values()].filter(one => one.last.digest !== null)
    assert.equal(usage.files, live.length)
    t.diagnostic(
      `${kills} kills, ${tally.writes} writes and ${tally.removals} removals answered, ${tally.uploads} by parts, ${tally.checked} checks, ${tally.unanswered} took place without an answer, ${live.length} files left`,
    )
  },
)
