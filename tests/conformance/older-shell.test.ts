import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openLink, portTransport } from '@deputy/channel'
import { call, list, nothing, number, object, oneOfOr, optional, string } from '@deputy/contract/shape'
import { shellControl } from '@deputy/contract/render-shell'

/** The goto of a shell from before `commit` and before windows: today's options without what came later, read by the same rule. */
const oldOptions = object({
  domains: optional(list(string())),
  timeoutMs: optional(number({ min: 0 })),
  waitUntil: optional(oneOfOr('load', 'load', 'documentstart')),
})
const oldShell = { goto: call([string(), optional(oldOptions)], nothing) }

test('VER-3: a shell predating commit is sent a commit and reads load; one predating windows passes commitFallback over', async () => {
  const { port1, port2 } = new MessageChannel()
  const heard: unknown[] = []
  const shell = openLink({
    transport: portTransport(port1),
    offers: { members: oldShell, value: { goto: (_url: string, options: unknown) => void heard.push(options) } },
  })
  const middle = openLink({ transport: portTransport(port2), wants: shellControl })
  const { goto } = await middle.remote
  await goto('https://site.example/', { waitUntil: 'commit', commitFallback: true, timeoutMs: 5000 })
  await goto('https://site.example/', { waitUntil: 'documentstart' })
  assert.deepEqual(heard, [{ waitUntil: 'load', timeoutMs: 5000 }, { waitUntil: 'documentstart' }])
  middle.close()
  await shell.closed
})

test('a shell of today reads a wait it does not know yet as load', async () => {
  const { port1, port2 } = new MessageChannel()
  const heard: unknown[] = []
  const shell = openLink({
    transport: portTransport(port1),
    offers: { members: { goto: shellControl.goto }, value: { goto: (_url: string, options: unknown) => void heard.push(options) } },
  })
  const newer = { goto: call([string(), optional(object({ waitUntil: optional(oneOfOr('idle', 'idle')) }))], nothing) }
  const middle = openLink({ transport: portTransport(port2), wants: newer })
  const { goto } = await middle.remote
  await goto('https://site.example/', { waitUntil: 'idle' })
  assert.deepEqual(heard, [{ waitUntil: 'load' }])
  middle.close()
  await shell.closed
})
