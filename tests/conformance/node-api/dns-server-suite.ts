import assert from 'node:assert/strict'
import type * as nodeDns from 'node:dns'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import type { DnsUnderTest } from './dns-suite.ts'

/** What a server of names says: records as their number, data and time, or a code of its own. */
interface Said {
  readonly records?: readonly (readonly [type: number, data: readonly number[], ttl?: number])[]
  readonly code?: number
  /** The answer does not fit a datagram. */
  readonly isCut?: boolean
  /** Records that are promised and do not come. */
  readonly more?: number
  readonly isSilent?: boolean
}
type Answering = (name: string, type: number, isTcp: boolean) => Said

const bytes = (text: string): number[] => [...new TextEncoder().encode(text)]
const text = (of: string): number[] => [bytes(of).length, ...bytes(of)]
const host = (name: string): number[] => [...(name === '' ? [] : name.split('.').flatMap(text)), 0]
const two = (number: number): number[] => [number >> 8, number & 255]
const four = (number: number): number[] => [...two(number >>> 16), ...two(number & 0xffff)]
const soa = [...host('ns.example'), ...host('admin.example'), ...[1, 2, 3, 4, 5].flatMap(four)]
const number = { A: 1, NS: 2, CNAME: 5, SOA: 6, PTR: 12, MX: 15, TXT: 16, AAAA: 28, SRV: 33, NAPTR: 35, TLSA: 52, ANY: 255, CAA: 257 }
const samples: readonly (readonly [number, readonly number[], number?])[] = [
  [number.A, [192, 0, 2, 1], 300],
  [number.AAAA, [0x20, 1, 0xd, 0xb8, ...Array.from({ length: 11 }, () => 0), 1], 3_333_333_333],
  [number.MX, [...two(10), ...host('mail.example')]],
  // The end of a name may stand elsewhere in the message.
  [number.NS, [2, ...bytes('ns'), 0xc0, 12]],
  [number.TXT, [...text('one'), ...text('two')]],
  [number.SRV, [...two(1), ...two(2), ...two(5060), ...host('sip.example')]],
  [number.PTR, host('pointed.example')],
  [number.NAPTR, [...two(30), ...two(100), ...text('s'), ...text('SIP+D2U'), ...text(''), ...host('_sip.example')]],
  [number.SOA, soa],
  [number.CAA, [128, ...text('issue'), ...bytes('ca.example')]],
]

function answer(query: Uint8Array, isTcp: boolean, answering: Answering): Uint8Array | undefined {
  const labels: string[] = []
  let at = 12
  while (query[at]) {
    const size = query[at] ?? 0
    labels.push(new TextDecoder().decode(query.subarray(at + 1, at + 1 + size)))
    at += size + 1
  }
  const type = (query[at + 1] ?? 0) * 256 + (query[at + 2] ?? 0)
  const { records = [], code = 0, isCut = false, more = 0, isSilent } = answering(labels.join('.'), type, isTcp)
  if (isSilent) return undefined
  const heads = [...query.subarray(0, 2), isCut ? 0x83 : 0x81, 0x80 | code, 0, 1, ...two(records.length + more), 0, 0, 0, 0]
  const answers = records.flatMap(([kind, data, ttl = 60]) => [0xc0, 12, ...two(kind), 0, 1, ...four(ttl), ...two(data.length), ...data])
  return new Uint8Array([...heads, ...query.subarray(12, at + 5), ...answers])
}

/** The suite of servers of names that an app chooses itself: the same expectations of Node's module and of ours. */
export function serverSuite(under: () => DnsUnderTest, name: string): void {
  const title = (words: string): string => `LIB-13: ${name}: ${words}`
  type Resolver = nodeDns.promises.Resolver

  async function served<T>(answering: Answering, use: (server: string, asked: string[]) => Promise<T>): Promise<T> {
    const { dgram, net, host: address } = under()
    const asked: string[] = []
    const noted: Answering = (of, type, isTcp) => {
      asked.push(`${of} ${type}${isTcp ? ' by TCP' : ''}`)
      return answering(of, type, isTcp)
    }
    const tcp = net.createServer(socket => {
      socket.on('error', () => undefined)
      socket.once('data', (query: Uint8Array) => {
        const said = answer(query.subarray(2), true, noted) ?? new Uint8Array()
        socket.end(new Uint8Array([...two(said.length), ...said]))
      })
    })
    await new Promise<void>(resolve => void tcp.listen(0, address, resolve))
    const { port } = tcp.address() as AddressInfo
    const udp = dgram.createSocket('udp4')
    udp.on('message', (query, from) => {
      const said = answer(query, false, noted)
      if (said !== undefined) udp.send(said, from.port, from.address)
    })
    await new Promise<void>(resolve => void udp.bind(port, address, resolve))
    try {
      return await use(`${address}:${port}`, asked)
    } finally {
      await Promise.all([new Promise<void>(resolve => void udp.close(() => resolve())), new Promise<void>(resolve => void tcp.close(() => resolve()))])
    }
  }
  const asking = (servers: string[], options: object = {}): Resolver => {
    const resolver = new (under().dns.promises.Resolver)(options)
    resolver.setServers(servers)
    return resolver
  }
  const outcome = (of: Promise<unknown>): Promise<unknown> =>
    of.then(
      found => found,
      (error: Error) => error.message,
    )

  test(title('every kind of record comes in its shape'), async () => {
    const answering: Answering = (_, type) => ({ records: samples.filter(([kind]) => type === number.ANY || kind === type) })
    await served(answering, async server => {
      const resolver = asking([server])
      assert.deepEqual(
        await Promise.all([
          resolver.resolve4('a.example'),
          resolver.resolve4('b.example', { ttl: true }),
          resolver.resolve6('c.example', { ttl: true }),
          resolver.resolveNs('d.example'),
          resolver.resolveTxt('e.example'),
          resolver.resolvePtr('f.example'),
          resolver.resolve('g.example', 'CAA'),
          resolver.reverse('192.0.2.7'),
          resolver.reverse('2001:db8::1'),
          resolver.resolveSrv('h.example'),
          resolver.resolveMx('i.example'),
        ]),
        [
          ['192.0.2.1'],
          [{ address: '192.0.2.1', ttl: 300 }],
          [{ address: '2001:db8::1', ttl: 3_333_333_333 }],
          ['ns.d.example'],
          [['one', 'two']],
          ['pointed.example'],
          [{ critical: 128, issue: 'ca.example', type: 'CAA' }],
          ['pointed.example'],
          ['pointed.example'],
          [{ name: 'sip.example', port: 5060, priority: 1, weight: 2, type: 'SRV' }],
          [{ exchange: 'mail.example', priority: 10, type: 'MX' }],
        ],
      )
      const { nsname, hostmaster, serial, refresh, retry, expire, minttl } = await resolver.resolveSoa('j.example')
      assert.deepEqual([nsname, hostmaster, serial, refresh, retry, expire, minttl], ['ns.example', 'admin.example', 1, 2, 3, 4, 5])
      const [pointer] = await resolver.resolveNaptr('k.example')
      assert.deepEqual([pointer?.flags, pointer?.service, pointer?.replacement, pointer?.order], ['s', 'SIP+D2U', '_sip.example', 30])
      const all = (await resolver.resolveAny('l.example')) as { readonly type: string }[]
      assert.deepEqual(
        all.map(({ type }) => type),
        ['A', 'AAAA', 'MX', 'NS', 'TXT', 'SRV', 'PTR', 'NAPTR', 'SOA', 'CAA'],
      )
      assert.deepEqual(all[4], { type: 'TXT', entries: ['one', 'two'] })
    })
  })

  test(title('by callback, and for the functions of the module once it has servers'), async () => {
    const { dns } = under()
    await served(
      (_, type) => ({ records: samples.filter(([kind]) => kind === type) }),
      async (server, asked) => {
        const before = dns.getServers()
        assert.ok(before.length > 0)
        dns.setServers([server])
        try {
          assert.deepEqual(dns.promises.getServers(), [server])
          assert.deepEqual(await new Promise(resolve => dns.resolve4('Bücher.Example', (...of) => resolve(of))), [null, ['192.0.2.1']])
          assert.deepEqual(await new Promise(resolve => dns.resolve('x.example', 'TXT', (...of) => resolve(of))), [null, [['one', 'two']]])
          assert.deepEqual(await dns.promises.resolve('y.example'), ['192.0.2.1'])
          assert.deepEqual(asked, ['xn--bcher-kva.example 1', 'x.example 16', 'y.example 1'])
        } finally {
          dns.setServers(before)
        }
        assert.deepEqual(dns.getServers(), before)
      },
    )
  })

  test(title('what goes wrong is told by its code, with the call and the name'), async () => {
    const codes: Readonly<Record<string, number>> = { form: 1, fail: 2, none: 3, not: 4, no: 5 }
    const answering: Answering = of => {
      const [first = ''] = of.split('.')
      return first === 'short'
        ? { records: samples.slice(0, 1), more: 1 }
        : { code: codes[first] ?? 0, records: first === 'alias' ? [[number.CNAME, host('x.example')]] : [] }
    }
    await served(answering, async server => {
      const resolver = asking([server], { tries: 1, timeout: 20_000 })
      const names = ['form', 'fail', 'none', 'not', 'no', 'empty', 'short'].map(first => `${first}.example`)
      assert.deepEqual(await Promise.all([...names, `${'a'.repeat(70)}.example`, 'a..b', 'hidden.onion'].map(of => outcome(resolver.resolve4(of)))), [
        'queryA EFORMERR form.example',
        'queryA ESERVFAIL fail.example',
        'queryA ENOTFOUND none.example',
        'queryA ENOTIMP not.example',
        'queryA EREFUSED no.example',
        'queryA ENODATA empty.example',
        'queryA EBADRESP short.example',
        `queryA EBADNAME ${'a'.repeat(70)}.example`,
        'queryA EBADNAME a..b',
        'queryA ENOTFOUND hidden.onion',
      ])
      await assert.rejects(resolver.resolveMx('none.bücher.example'), { code: 'ENOTFOUND', syscall: 'queryMx', hostname: 'none.bücher.example' })
      await assert.rejects(resolver.reverse('192.0.2.7'), { code: 'ENOTFOUND', syscall: 'getHostByAddr', hostname: '192.0.2.7' })
      assert.equal(await outcome(resolver.resolveNs('alias.example')), 'queryNs ENODATA alias.example')
    })
  })

  test(title('an answer that was cut is fetched by TCP'), async () => {
    const long = Array.from({ length: 20 }, (_, index) => [number.TXT, [...text('x'.repeat(200)), ...text(String(index))]] as const)
    await served(
      (_, _type, isTcp) => (isTcp ? { records: long } : { isCut: true }),
      async (server, asked) => {
        const found = await asking([server]).resolveTxt('long.example')
        assert.deepEqual(
          found.map(([, last]) => last),
          long.map((_, index) => String(index)),
        )
        assert.deepEqual(asked, ['long.example 16', 'long.example 16 by TCP'])
      },
    )
  })

  test(title('the next server is asked where one keeps silent'), async () => {
    await served(
      () => ({ isSilent: true }),
      async bad =>
        served(
          () => ({ records: samples.slice(0, 1) }),
          async good => {
            assert.deepEqual(await asking([bad, good], { timeout: 300, tries: 8 }).resolve4('silent.example'), ['192.0.2.1'])
          },
        ),
    )
  })

  test(title('silence ends in ETIMEOUT, cancel in ECANCELLED, in order'), async () => {
    const heard = Promise.withResolvers<void>()
    const answering: Answering = of => {
      if (of === 'b.example') heard.resolve()
      return { isSilent: true }
    }
    await served(answering, async (server, asked) => {
      assert.equal(await outcome(asking([server], { timeout: 1, tries: 2 }).resolve4('silent.example')), 'queryA ETIMEOUT silent.example')
      const resolver = asking([server])
      const told: string[] = []
      const ended = ['a', 'b', 'c'].map(async of => told.push((await outcome(resolver.resolve4(`${of}.example`))) as string))
      await heard.promise
      assert.throws(() => resolver.setServers([server]), {
        code: 'ERR_DNS_SET_SERVERS_FAILED',
        message: `c-ares failed to set servers: "There are pending queries." [[ '${server}' ]]`,
      })
      resolver.cancel()
      await Promise.all(ended)
      assert.deepEqual(
        told,
        ['a', 'b', 'c'].map(of => `queryA ECANCELLED ${of}.example`),
      )
      resolver.setServers(['192.0.2.53'])
      assert.ok(asked.length > 1)
    })
  })

  test(title('what answers another question, or comes from elsewhere, is passed over'), async () => {
    const { dgram, host: address } = under()
    const [server, stranger] = [dgram.createSocket('udp4'), dgram.createSocket('udp4')]
    const right: Answering = () => ({ records: samples.slice(0, 1) })
    const wrong: Answering = () => ({ records: [[number.A, [203, 0, 113, 1]]] })
    server.on('message', (query, { port, address: from }) => {
      const send = (of: typeof server, said: Uint8Array | undefined, change: (said: Uint8Array) => void): Promise<void> => {
        change(said ?? new Uint8Array())
        return new Promise(resolve => of.send(said ?? '', port, from, () => resolve()))
      }
      const others = [
        send(stranger, answer(query, false, wrong), () => undefined),
        send(server, answer(query, false, wrong), said => (said[0] = ((said[0] ?? 0) + 1) & 255)),
        send(server, answer(query, false, wrong), said => (said[13] = 122)),
      ]
      void Promise.all(others).then(() => send(server, answer(query, false, right), () => undefined))
    })
    await Promise.all([server, stranger].map(socket => new Promise<void>(resolve => void socket.bind(0, address, resolve))))
    assert.deepEqual(await asking([`${address}:${server.address().port}`]).resolve4('spoofed.example'), ['192.0.2.1'])
    await Promise.all([server, stranger].map(socket => new Promise<void>(resolve => void socket.close(() => resolve()))))
  })

  test(title('servers and options are checked and told as Node does'), () => {
    const { Resolver: ByCallback, promises } = under().dns
    const resolver = new ByCallback({ timeout: -1, tries: 1 })
    const six = '2001:db8::1'
    resolver.setServers(['192.0.2.1:53', `[${six}]:53`, '192.0.2.1:5353', `[${six}]:5353`])
    assert.deepEqual(
      resolver.getServers(),
      ['192.0.2.1', six, '192.0.2.1:5353', `[${six}]:5353`, ...(name === 'Node' ? [] : [six])].slice(0, resolver.getServers().length),
    )
    const wrong: [() => unknown, string][] = [
      ...['x', ' ', '127.0.0.1:x', '1'.repeat(12), '['.repeat(100_000)].map((bad): [() => unknown, string] => [
        () => resolver.setServers([bad]),
        'ERR_INVALID_IP_ADDRESS',
      ]),
      [() => resolver.setServers('192.0.2.1' as never), 'ERR_INVALID_ARG_TYPE'],
      [() => promises.setServers([5] as never), 'ERR_INVALID_ARG_TYPE'],
      [() => new ByCallback({ timeout: '2' as never }), 'ERR_INVALID_ARG_TYPE'],
      [() => new promises.Resolver({ timeout: -2 }), 'ERR_OUT_OF_RANGE'],
      [() => new ByCallback({ timeout: 4.2 }), 'ERR_OUT_OF_RANGE'],
      [() => new ByCallback({ tries: 0 }), 'ERR_OUT_OF_RANGE'],
      [() => resolver.setLocalAddress('x'), 'ERR_INVALID_ARG_VALUE'],
      [() => resolver.setLocalAddress('127.0.0.1', '127.0.0.1'), 'ERR_INVALID_ARG_VALUE'],
      [() => resolver.setLocalAddress(5 as never), 'ERR_INVALID_ARG_TYPE'],
    ]
    for (const [run, code] of wrong) assert.throws(run, { code })
    resolver.setLocalAddress('127.0.0.1', '::1')
  })
}
