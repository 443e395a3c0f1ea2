import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { bundleNodeScript, openNodePage } from '../../support/node-page.ts'
import { startTunnelDeputy } from '../../support/tunnel-scene.ts'

const support = join(import.meta.dirname, '../../support')

test('LIB-13: the suites of net, dgram, dns and http hold in Chromium, through the broker and a node', async t => {
  const stand = join(support, 'page-suite-script.ts')
  const script = await bundleNodeScript(join(support, 'node-suites-script.ts'), { 'node:test': stand, 'node:assert/strict': stand })
  const { deputy, ada } = await startTunnelDeputy({ listen: ['127.0.0.9', '::1'] })
  await using _ = deputy
  const page = await openNodePage(deputy, ada, 'suites', script)
  for (const name of await page.evaluate(() => nodeSuites.names())) {
    await t.test(name, async c => {
      const { failed, skipped } = await page.evaluate(one => nodeSuites.run(one), name)
      if (skipped !== undefined) c.skip(skipped)
      assert.equal(failed, undefined)
    })
  }
})
