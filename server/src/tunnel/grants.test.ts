import assert from 'node:assert/strict'
import { test } from 'node:test'
import { grantOf, meteredGrant } from './grants.ts'
import { openMeters } from './meters.ts'

const day = { rate: 1000, day: 100_000, premium: false }

test('a lease is what passes at the full rate, and no more than remains', () => {
  assert.deepEqual(grantOf(day, 0, 30_000), { rate: 1000, premium: false, lease: 30_000 })
  assert.equal(grantOf(day, 90_000, 30_000).lease, 10_000)
  assert.equal(grantOf(day, 200_000, 30_000).lease, 0)
  assert.equal(grantOf({ ...day, day: 0 }, 200_000, 30_000).lease, null)
  assert.equal(grantOf({ ...day, rate: 0, day: 2 ** 40 }, 0, 1000).lease, 100 * 2 ** 20)
})

test('the meters of a node stop an account at the end of its lease, until they are granted more', async () => {
  const meters = openMeters({ now: () => 0, used: async () => meteredGrant({ rate: 0, premium: false, lease: 0 }, 0).used, record: async () => undefined })
  const grant = (lease: number | null, unreported: number): void => {
    const { allowance, used } = meteredGrant({ rate: 0, premium: false, lease }, unreported)
    meters.grant('ada', allowance, used)
  }
  const meter = await meters.meter('ada', 'app', meteredGrant({ rate: 0, premium: false, lease: 500 }, 0).allowance)
  assert.equal(meter.spent, false)
  meter.sent(499)
  assert.equal(meter.spent, false)
  meter.received(1)
  assert.equal(meter.spent, true)
  // 100 of the 500 bytes had not been reported when the server reckoned the new lease.
  grant(101, 100)
  assert.equal(meter.spent, false)
  meter.sent(1)
  assert.equal(meter.spent, true)
  grant(0, 0)
  assert.equal(meter.spent, true)
  grant(null, 1_000_000)
  assert.equal(meter.spent, false)
  await meters.close()
})
