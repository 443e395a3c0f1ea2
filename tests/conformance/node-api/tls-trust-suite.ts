import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect as nodeDial, createServer, type AddressInfo, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { checkServerIdentity, connect as nodeConnect, type ConnectionOptions, type TLSSocket } from 'node:tls'
import { badCertificates, type Presented } from '../../support/bad-certificates.ts'
import { openPress } from '../../support/certificates.ts'
import { closed, host, outcome, serving, type TlsUnderTest } from './tls-under-test.ts'

const names = ['server.test', 'a.server.test', 'b.a.server.test', 'test', 'SERVER.test', 'server.test.', 'xn--bcher-kva.test', '127.0.0.9', '::1', '']
const alternatives = [
  ...['DNS:server.test', 'DNS:*.server.test', 'DNS:*.test', 'DNS:*', 'DNS:SERVER.TEST', 'DNS:server..test', 'DNS:xn--*.test', 'DNS:*.xn--bcher-kva.test'],
  ...['IP Address:127.0.0.9', 'IP Address:0:0:0:0:0:0:0:1', 'DNS:127.0.0.9', 'URI:https://server.test/', 'email:a@server.test', undefined],
  ...['DNS:"other.test, DNS:server.test"', 'DNS:"other.test\\u0000", DNS:server.test', 'DNS:other.test, DNS:server.test', 'DNS:bücher.test'],
]

/** What `tls` trusts: chains made to be refused, each told by the code that Node tells. */
export function tlsTrustSuite(under: () => TlsUnderTest, name: string): void {
  const title = (text: string): string => `LIB-13: ${name}: ${text}`
  const press = openPress()
  after(() => press.remove())
  const { root, corpus } = badCertificates(press)

  async function tried(
    connect: (options: ConnectionOptions) => TLSSocket,
    presented: Presented,
    versions: ConnectionOptions,
  ): Promise<{ how: string; heard: boolean }> {
    const { chain, cert = chain[0]?.cert ?? '', host: asked = 'server.test', crl } = presented
    const certificates = [cert, ...chain.slice(1).map(one => one.cert)].join('')
    let heard = false
    let how = ''
    await serving(
      { cert: certificates, key: chain[0]?.key, ciphers: 'DEFAULT@SECLEVEL=0' },
      socket => {
        socket.on('data', () => {
          heard = true
          socket.end('hello')
        })
      },
      async port => {
        const socket = connect({ host, port, servername: asked, ca: root.cert, ...(crl === undefined ? {} : { crl }), ...versions })
        // Written at once: not a byte of it may leave before the server is known.
        socket.write('for the server alone')
        const ended = await outcome(socket)
        how = ended === 'secure' ? 'secure' : String(ended.code)
        await closed(socket.resume())
      },
    )
    return { how, heard }
  }

  for (const presented of corpus) {
    test(title(`${presented.isFine === true ? 'takes' : 'refuses'} a certificate: ${presented.title}`), async () => {
      for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
        const versions = { maxVersion, minVersion: maxVersion }
        const { how, heard } = await tried(options => under().tls.connect(options), presented, versions)
        assert.equal(how === 'secure', presented.isFine === true, how)
        assert.equal(heard, presented.isFine === true)
        const nodes = await tried(nodeConnect, presented, versions)
        assert.equal(how, nodes.how)
      }
    })
  }

  test(title('names are judged as Node judges them'), () => {
    const ours = under().tls.checkServerIdentity
    for (const asked of names) {
      for (const subjectaltname of alternatives) {
        for (const CN of [undefined, 'server.test', '*.server.test', ['other.test', 'server.test']]) {
          const certificate = { subject: { CN }, ...(subjectaltname === undefined ? {} : { subjectaltname }) } as never
          assert.equal(ours(asked, certificate)?.message, checkServerIdentity(asked, certificate)?.message, `${asked} for ${subjectaltname} and ${String(CN)}`)
        }
      }
    }
  })

  test(title('what lies between sees ciphertext alone'), async () => {
    const secret = 'a word nobody between may read'
    const good = corpus[0]?.chain ?? []
    const overheard = async (connect: (port: number) => Socket, isSecured: boolean): Promise<string> => {
      const passed: Buffer[] = []
      const accept = (socket: { on(name: 'data', take: (bytes: Buffer) => void): unknown; end(text: string): unknown }): void =>
        void socket.on('data', bytes => socket.end(`you said ${String(bytes)}`))
      const through = async (target: number): Promise<void> => {
        const between = createServer(near => {
          const far = nodeDial(target, host)
          for (const [from, to] of [
            [near, far],
            [far, near],
          ] as const) {
            from.on('data', bytes => passed.push(bytes))
            from.on('error', () => to.destroy())
            from.pipe(to)
          }
        })
        between.listen(0, host)
        await once(between, 'listening')
        const socket = connect((between.address() as AddressInfo).port)
        let said = ''
        socket.on('data', (bytes: Buffer) => (said += String(bytes)))
        socket.write(secret)
        await closed(socket)
        assert.equal(said, `you said ${secret}`)
        between.close()
      }
      if (isSecured) await serving({ key: good[0]?.key, cert: good.map(one => one.cert).join('') }, accept, through)
      else {
        const plain = createServer(accept)
        plain.listen(0, host)
        await once(plain, 'listening')
        await through((plain.address() as AddressInfo).port)
        plain.close()
      }
      return Buffer.concat(passed).toString('latin1')
    }
    const { tls, net } = under()
    const hidden = await overheard(port => tls.connect({ host, port, servername: 'server.test', ca: root.cert }), true)
    const open = await overheard(port => net.connect(port, host), false)
    assert.ok(open.includes(secret))
    assert.ok(hidden.length > secret.length * 2)
    assert.ok(!hidden.includes(secret))
    // Neither what the server is: from TLS 1.3 on its certificate is encrypted too. The name that is asked for is not.
    assert.ok(!hidden.includes('Between'))
    assert.ok(hidden.includes('server.test'))
  })
}
