import assert from 'node:assert/strict'
import type * as nodeDns from 'node:dns'
import type * as nodeDgram from 'node:dgram'
import type * as nodeNet from 'node:net'
import { test } from 'node:test'
import { serverSuite } from './dns-server-suite.ts'
import { thrown } from './thrown.ts'

type Told = [error: NodeJS.ErrnoException | null, address?: unknown, family?: number]
const told = (ask: (done: (...of: [error: NodeJS.ErrnoException | null, ...rest: unknown[]]) => void) => void): Promise<Told> =>
  new Promise(resolve => ask((...of) => resolve(of as Told)))
const missing = 'a-name-that-is-not-there.invalid'

/** What the suite of `dns` runs on: the module, and what servers of names stand on. */
export interface DnsUnderTest {
  readonly dns: typeof nodeDns
  readonly dgram: typeof nodeDgram
  readonly net: Pick<typeof nodeNet, 'createServer'>
  readonly host: string
}

/** The suite of `dns`: the same expectations of Node's module and of ours. */
export function dnsSuite(whole: () => DnsUnderTest, name: string): void {
  const under = (): typeof nodeDns => whole().dns
  serverSuite(whole, name)
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

  test(title('what is no name has no address'), async () => {
    const dns = under()
    for (const none of ['', null, undefined, 0]) {
      assert.deepEqual(await told(done => dns.lookup(none as never, done)), [null, null, 4])
      assert.deepEqual(await dns.promises.lookup(none as never, { family: 6 }), { address: null, family: 6 })
    }
    assert.deepEqual(await dns.promises.lookupService('127.0.0.1', 22), { hostname: 'localhost', service: 'ssh' })
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
      () => dns.lookupService('127.0.0.1', 70_000, done),
      () => (dns.lookupService as (...of: unknown[]) => unknown)('127.0.0.1'),
      () => dns.lookup({} as never, undefined as never),
      () => dns.lookup('x', 7 as never, done),
      () => dns.promises.lookup(5 as never),
      () => dns.promises.resolve(undefined as never),
      () => dns.promises.resolve('x', [] as never),
      () => dns.promises.resolveNs([] as never),
      () => (dns.promises.lookupService as (...of: unknown[]) => unknown)('127.0.0.1'),
      () => dns.reverse('nowhere', done),
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
      'RangeError ERR_SOCKET_BAD_PORT',
      'TypeError ERR_MISSING_ARGS',
      'TypeError ERR_INVALID_ARG_TYPE',
      'TypeError ERR_INVALID_ARG_VALUE',
      ...Array.from({ length: 4 }, () => 'TypeError ERR_INVALID_ARG_TYPE'),
      'TypeError ERR_MISSING_ARGS',
      'Error EINVAL',
    ])
    assert.deepEqual([dns.NOTFOUND, dns.ADDRCONFIG, dns.ALL, dns.V4MAPPED], ['ENOTFOUND', 32, 16, 8])
  })
}
