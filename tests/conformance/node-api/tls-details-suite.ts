import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { after, test } from 'node:test'
import type { ConnectionOptions, SecureContextOptions, TLSSocket } from 'node:tls'
import { openPress, server as serverOf } from '../../support/certificates.ts'
import { closed, host, outcome, serving, textOf, trustOf, type TlsUnderTest } from './tls-under-test.ts'

/** What `tls` does beside the conversation itself: the same expectations of Node's module and of ours. */
export function tlsDetailsSuite(under: () => TlsUnderTest, name: string): void {
  const title = (text: string): string => `LIB-13: ${name}: ${text}`
  const press = openPress()
  after(() => press.remove())
  const { root, server } = trustOf(press)
  const own = { key: server.key, cert: server.cert }
  const connect = (port: number, options: ConnectionOptions & { allowHalfOpen?: boolean } = {}): TLSSocket =>
    under().tls.connect({ host, port, servername: 'server.test', ca: root.cert, ...options })
  const codeOf = (run: () => unknown): unknown => {
    try {
      run()
      return 'nothing'
    } catch (error) {
      return (error as NodeJS.ErrnoException).code
    }
  }

  test(title('half open, it sends what is written after the server has ended'), async () => {
    const late = Promise.withResolvers<string>()
    await serving(
      { ...own, allowHalfOpen: true },
      socket => {
        socket.end('first')
        void textOf(socket).then(late.resolve)
      },
      async port => {
        const socket = connect(port, { allowHalfOpen: true })
        let heard = ''
        await once(
          socket.on('data', data => (heard += String(data))),
          'end',
        )
        assert.equal(heard, 'first')
        assert.equal(socket.writable, true)
        socket.write('much ')
        socket.end('later')
        assert.equal(await late.promise, 'much later')
        await closed(socket)
      },
    )
  })

  test(title('what is written counts as sent once it is secured, and never where the server is refused'), async () => {
    await serving(
      own,
      socket => socket.end(),
      async port => {
        const told: string[] = []
        const socket = connect(port)
        for (const event of ['secureConnect', 'secure']) socket.on(event, () => told.push(event))
        socket.write('early', () => told.push('written'))
        await closed(socket.resume())
        assert.deepEqual(told, ['secureConnect', 'secure', 'written'])
        const refused = connect(port, { ca: undefined })
        refused.on('error', () => told.push('error'))
        const failed = await new Promise<Error | null | undefined>(resolve => void refused.write('early', resolve))
        await closed(refused)
        assert.ok(failed instanceof Error)
        assert.deepEqual(told.slice(3), ['error'])
      },
    )
  })

  test(title('a closed connection tells of itself no more'), async () => {
    await serving(
      own,
      socket => socket.end(),
      async port => {
        const socket = connect(port)
        const ended = once(socket.resume(), 'end').then(() => socket.getProtocol())
        assert.equal(await ended, 'TLSv1.3')
        await closed(socket)
        assert.deepEqual([socket.getProtocol(), socket.getPeerCertificate(), socket.getCipher()], [null, null, null])
      },
    )
  })

  test(title('a certificate’s public key, its curve, and where more is told about it'), async () => {
    const places = 'authorityInfoAccess=OCSP;URI:http://ocsp.test/,caIssuers;URI:http://root.test/a,caIssuers;URI:http://root.test/b'
    const rsa = press.issue({ name: 'server', by: root, extensions: [...serverOf('DNS:server.test'), places], key: 2048 })
    for (const { cert, key } of [rsa, server]) {
      await serving(
        { cert, key },
        socket => socket.end(),
        async port => {
          const socket = connect(port)
          assert.equal(await outcome(socket), 'secure')
          const [told, expected] = [socket.getPeerCertificate(), new X509Certificate(cert).toLegacyObject()]
          const keys = ['modulus', 'exponent', 'bits', 'asn1Curve', 'nistCurve', 'infoAccess'] as const
          const plain = (of: object): unknown => JSON.parse(JSON.stringify(Object.fromEntries(keys.map(one => [one, of[one as never]]))))
          assert.deepEqual(plain(told), plain(expected))
          assert.deepEqual(Buffer.from(told.pubkey ?? []), (expected as { pubkey?: Buffer }).pubkey)
          await closed(socket.resume())
        },
      )
    }
  })

  test(title('versions by their bounds and by the old names'), async () => {
    const tried: readonly (readonly [options: SecureContextOptions, how: string])[] = [
      [{ minVersion: 'TLSv1' }, 'TLSv1.3'],
      [{ minVersion: 'TLSv1.1', maxVersion: 'TLSv1.2' }, 'TLSv1.2'],
      [{ minVersion: 'TLSv1', maxVersion: 'TLSv1.1' }, 'ERR_SSL_NO_PROTOCOLS_AVAILABLE'],
      [{ secureProtocol: 'TLS_method' }, 'TLSv1.3'],
      [{ secureProtocol: 'TLS_client_method' }, 'TLSv1.3'],
      [{ secureProtocol: 'SSLv23_method' }, 'TLSv1.2'],
      [{ secureProtocol: 'TLSv1_2_method' }, 'TLSv1.2'],
      [{ secureProtocol: 'TLSv1_1_method' }, 'ERR_SSL_NO_PROTOCOLS_AVAILABLE'],
    ]
    await serving(
      own,
      socket => socket.end(),
      async port => {
        for (const [options, expected] of tried) {
          const socket = connect(port, options)
          const how = await outcome(socket)
          assert.equal(how === 'secure' ? socket.getProtocol() : how.code, expected, JSON.stringify(options))
          socket.destroy()
        }
      },
    )
    const context = (options: object): unknown => codeOf(() => under().tls.createSecureContext(options))
    assert.equal(context({ secureProtocol: 'TLS_method', maxVersion: 'TLSv1.2' }), 'ERR_TLS_PROTOCOL_VERSION_CONFLICT')
    assert.equal(context({ secureProtocol: 'SSLv3_method' }), 'ERR_TLS_INVALID_PROTOCOL_METHOD')
    assert.equal(context({ secureProtocol: 'constructor_method' }), 'ERR_TLS_INVALID_PROTOCOL_METHOD')
  })

  test(title('suites of TLS 1.3 alone are no leave for another version, and a refusal has Node’s code'), async () => {
    await serving(
      { ...own, maxVersion: 'TLSv1.2' },
      socket => socket.end(),
      async port => {
        const tried = async (ciphers: string): Promise<unknown> => {
          const how = await outcome(connect(port, { ciphers }).resume())
          return how === 'secure' ? how : how.code
        }
        assert.equal(await tried('TLS_AES_128_GCM_SHA256'), 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION')
        assert.equal(await tried('AES128-SHA'), 'ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE')
      },
    )
  })

  test(title('options of another type are refused at once, and what is not there is as if not given'), async () => {
    const { tls } = under()
    const wrong = [{ key: true }, { cert: 1 }, { ca: [true] }, { crl: 1 }, { passphrase: 1, key: own.key }, { ecdhCurve: 1 }, { sigalgs: 1 }]
    for (const options of wrong)
      assert.equal(
        codeOf(() => tls.createSecureContext(options as never)),
        'ERR_INVALID_ARG_TYPE',
        JSON.stringify(options),
      )
    for (const none of [null, false, '', undefined]) tls.createSecureContext({ key: none, cert: none, ca: none } as never)
    assert.equal(
      codeOf(() => tls.connect({ host, port: 1, secureContext: {} as never })),
      'ERR_TLS_INVALID_CONTEXT',
    )
    await serving(
      own,
      socket => socket.end('hello'),
      async port => {
        assert.equal(
          codeOf(() => connect(port, { timeout: 'long' as never })),
          'ERR_INVALID_ARG_TYPE',
        )
        const socket = connect(port)
        assert.equal(await outcome(socket), 'secure')
        assert.equal(
          codeOf(() => socket.exportKeyingMaterial(0, 'label', Buffer.from(''))),
          'ERR_OUT_OF_RANGE',
        )
        assert.equal(
          codeOf(() => socket.exportKeyingMaterial(1, 5 as never, Buffer.from(''))),
          'ERR_INVALID_ARG_TYPE',
        )
        assert.equal(
          codeOf(() => socket.exportKeyingMaterial(1, 'label', 'context' as never)),
          'ERR_INVALID_ARG_TYPE',
        )
        assert.deepEqual([socket.setMaxSendFragment(1024), socket.setMaxSendFragment(10)], [true, false])
        socket.disableRenegotiation()
        assert.equal(await textOf(socket), 'hello')
      },
    )
  })
}
