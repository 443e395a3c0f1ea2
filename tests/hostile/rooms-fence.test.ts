import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { newSecret, sealedText } from '../support/room-client.ts'

interface Holder {
  ask(ask: string, fields: object): Promise<{ value?: { seq: number; epoch: number; token: string }; error?: string }>
  pause(): void
  go(): void
  end(): void
}

/** A room service in its own process; answers come in the order of requests. */
function holder(folder: string, shared = ''): Holder {
  const entry = fileURLToPath(new URL('../support/run-rooms.ts', import.meta.url))
  const child = spawn(process.execPath, ['--conditions=source', entry, folder, shared], { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  let last: Promise<unknown> = Promise.resolve()
  return {
    ask: (ask, fields) => {
      child.stdin.write(`${JSON.stringify({ ask, fields })}\n`)
      const next = last.then(async () => JSON.parse((await lines.next()).value as string) as Awaited<ReturnType<Holder['ask']>>)
      last = next.catch(() => undefined)
      return next
    },
    pause: () => child.kill('SIGSTOP'),
    go: () => child.kill('SIGCONT'),
    end: () => child.kill('SIGKILL'),
  }
}

test('a process that was paused while another took its room over can never append to it', { timeout: 60_000 }, async t => {
  const folder = await mkdtemp(join(tmpdir(), 'deputy-rooms-fence-'))
  const first = holder(join(folder, 'first'))
  t.after(async () => {
    first.end()
    second.end()
    await rm(folder, { recursive: true, force: true })
  })
  const [room, key] = ['chat.example/fenced', newSecret()]
  const text = (name: string): { room: string; text: string } => ({ room, text: sealedText(name) })
  const joined = await first.ask('join', { room, key })
  assert.deepEqual(await first.ask('claim', { room }), { value: {} })
  assert.equal((await first.ask('send', text('by the first'))).value?.seq, 1)

  const second = holder(join(folder, 'second'), join(folder, 'first'))
  const early = await second.ask('join', { room, key })
  assert.equal(early.error, 'unavailable', 'the lease of the first runs')

  first.pause()
  let taken = await second.ask('join', { room, key })
  while (taken.error === 'unavailable') {
    await pause(100)
    taken = await second.ask('join', { room, key })
  }
  assert.ok((taken.value?.epoch ?? 0) > (joined.value?.epoch ?? 0))
  assert.equal((await second.ask('send', text('by the second'))).value?.seq, 2)

  // What was under way when it was paused, and what comes after, is refused; the second goes on undisturbed.
  const late = [first.ask('send', text('late 1')), first.ask('send', text('late 2'))]
  first.go()
  for (const answer of late) assert.equal((await answer).error, 'unavailable')
  assert.equal((await first.ask('send', text('late 3'))).error, 'closed')
  assert.equal((await first.ask('join', { room, key })).error, 'unavailable')
  assert.equal((await second.ask('send', text('by the second again'))).value?.seq, 3)

  const rows = new DatabaseSync(join(folder, 'first', 'rows.sqlite'), { readOnly: true })
  const stored = rows.prepare('select seq, text from room_messages order by seq').all()
  rows.close()
  assert.deepEqual(
    stored.map(row => [row['seq'], row['text']]),
    ['by the first', 'by the second', 'by the second again'].map((name, index) => [index + 1, sealedText(name)]),
  )
})
