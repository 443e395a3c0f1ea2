import assert from 'node:assert/strict'
import type * as nodeDns from 'node:dns'
import { test } from 'node:test'
import { thrown } from './thrown.ts'

type Told = [error: NodeJS.ErrnoException | null, address?: unknown, family?: number]
const told = (ask: (done: (...of: [error: NodeJS.ErrnoException | null, ...rest: unknown[]]) => void) => void): Promise<Told> =>
  new Promise(resolve => ask((...of) => resolve(of as Told)))
const missing = 'a-name-that-is-not-there.invalid'

/** The suite of `dns`: the same expectations of Node's module and of ours. */
export function dnsSuite(under: () => typeof nodeDns, name: string): void {
  const title = (text: string): string => `LIB-13: ${name}: ${text}`

  test(title('an address is its own, in each form of lookup'), async () => {
    const dns = under()
    assert.deepEqual(await told(done => dns.lookup('127.0.0.1', done)), [null, '127.0.0.1', 4])
    assert.deepEqual(await told(done => dns.lookup('::1', {}, done)), [null, '::1', 6])
    assert.deepEqual(await told(done => dns.lookup('127.0.0.1', 4, done)), [null, '127.0.0.1', 4])
    assert.deepEqual(await told(done => dns.lookup('127.0.0.1', { all: true }, done)), [null, [{ address: '127.0.0.1', family: 4 }]])
    assert.deepEqual(await dns.promises.lookup('127.0.0.1'), { address: '127.0.0.1', family: 4 })
    assert.deepEqual(await dns.promises.lookup('::1', { all: true }), [{ address: '::1', family: 6 }])
  })

  test(title('localhost is this machine'), async () => {
    const { address, family } = await under().promises.lookup('localhost', { family: 4 })
    assert.deepEqual([address, family], ['127.0.0.1', 4])
  })

  test(title('a name that is not there is ENOTFOUND with call and name'), async () => {
    const dns = under()
    const [error] = await told(done => dns.lookup(missing, done))
    assert.deepEqual([error?.code, error?.syscall, (error as { hostname?: string }).hostname, error?.errno], ['ENOTFOUND', 'getaddrinfo', missing, -3008])
    assert.equal(error?.message, `getaddrinfo ENOTFOUND ${missing}`)
    await assert.rejects(dns.promises.lookup(missing), { code: 'ENOTFOUND', hostname: missing })
  })

  test(title('answers never come before the call returns'), async () => {
    const order: string[] = []
    const answered = told(done => {
      under().lookup('127.0.0.1', (...of) => {
        order.push('answer')
        done(...of)
      })
      order.push('returned')
    })
    await answered
    assert.deepEqual(order, ['returned', 'answer'])
  })

  test(title('arguments are checked as Node checks them'), () => {
    const dns = under()
    const done = (): void => undefined
    const wrong: (() => unknown)[] = [
      () => dns.lookup('x', undefined as never),
      () => dns.lookup(5 as never, done),
      () => dns.lookup('x', 'y' as never, done),
      () => dns.lookup('x', { family: 7 }, done),
      () => dns.lookup('x', { all: 'yes' as never }, done),
      () => dns.lookup('x', { hints: 1 << 20 }, done),
      () => dns.lookup('x', { order: 'random' as never }, done),
      () => dns.resolve('x', 'NOTHING' as never, done),
      () => dns.resolve4(5 as never, done),
      () => dns.resolve4('x', undefined as never),
      () => dns.setDefaultResultOrder('random' as never),
      () => dns.lookupService('nowhere', 1, done),
    ]
    assert.deepEqual(wrong.map(thrown), [
      'TypeError ERR_INVALID_ARG_TYPE',
      'TypeError ERR_INVALID_ARG_TYPE',
      'TypeError ERR_INVALID_ARG_TYPE',
      'TypeError ERR_INVALID_ARG_VALUE',
      'TypeError ERR_INVALID_ARG_TYPE',
      'TypeError ERR_INVALID_ARG_VALUE',
      'TypeError ERR_INVALID_ARG_VALUE',
      'TypeError ERR_INVALID_ARG_VALUE',
      'TypeError ERR_INVALID_ARG_TYPE',
      'TypeError ERR_INVALID_ARG_TYPE',
      'TypeError ERR_INVALID_ARG_VALUE',
      'TypeError ERR_INVALID_ARG_VALUE',
    ])
    assert.deepEqual([dns.NOTFOUND, dns.ADDRCONFIG, dns.ALL, dns.V4MAPPED], ['ENOTFOUND', 32, 16, 8])
  })
}
