import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { bundleNodeScript, openNodePage } from '../../support/node-page.ts'
import { servePlainSockets } from '../../support/plain-sockets.ts'
import { startTunnelDeputy } from '../../support/tunnel-scene.ts'
import { tlsInPage } from './tls-in-page.ts'

const support = join(import.meta.dirname, '../../support')

test('LIB-13: the suites of net, dgram, dns and http hold in Chromium, and tls ends there, through the broker and a node', async t => {
  const stand = join(support, 'page-suite-script.ts')
  const suites = await bundleNodeScript(join(support, 'node-suites-script.ts'), { 'node:test': stand, 'node:assert/strict': stand })
  const far = await bundleNodeScript(join(support, 'plain-modules-script.ts'))
  await using plain = await servePlainSockets()
  const { deputy, ada } = await startTunnelDeputy({ listen: ['127.0.0.9', '::1'] })
  await using _ = deputy
  // Two bundles, each in a scope of its own: the far ends share no state with those under test.
  const script = [`globalThis.plainSockets = '${plain.url}'`, far, suites].map(text => `await (async () => {\n${text}\n})()`).join('\n')
  const page = await openNodePage(deputy, ada, 'suites', script)
  for (const name of await page.evaluate(() => nodeSuites.names())) {
    await t.test(name, async c => {
      const { failed, skipped } = await page.evaluate(one => nodeSuites.run(one), name)
      if (skipped !== undefined) c.skip(skipped)
      assert.equal(failed, undefined)
    })
  }
  await tlsInPage(t, page)
})
