import assert from 'node:assert/strict'
import { createHash, randomBytes, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net'
import { after, test } from 'node:test'
import type { ConnectionOptions, DetailedPeerCertificate, PeerCertificate, TLSSocket } from 'node:tls'
import { openPress } from '../../support/certificates.ts'
import { closed, host, outcome, serving, textOf, trustOf, type TlsUnderTest, type Trust } from './tls-under-test.ts'

/** The suite of `tls`: the same expectations of Node's module and of ours. */
export function tlsSuite(under: () => TlsUnderTest, name: string): void {
  const title = (text: string): string => `LIB-13: ${name}: ${text}`
  const press = openPress()
  after(() => press.remove())
  let made: Trust | undefined
  const trust = (): Trust => (made ??= trustOf(press))
  const own = (): { key: string; cert: string } => ({ key: trust().server.key, cert: trust().server.cert })
  const connect = (port: number, options: ConnectionOptions = {}): TLSSocket =>
    under().tls.connect({ host, port, servername: 'server.test', ca: trust().root.cert, ...options })

  test(title('a conversation: events in order, and what the socket tells'), async () => {
    await serving(
      { ...own(), ALPNProtocols: ['two', 'one'] },
      socket => socket.on('data', data => socket.end(`heard ${String(data)}`)),
      async port => {
        const told: string[] = []
        const socket = connect(port, { ALPNProtocols: ['one', 'two'] })
        for (const event of ['connect', 'ready', 'secureConnect', 'end', 'close']) socket.on(event, () => told.push(event))
        socket.on('data', data => told.push(String(data)))
        assert.equal(socket.encrypted, true)
        assert.equal(socket.authorized, false)
        // Written before there is anything to write to.
        socket.write('early')
        assert.equal(await outcome(socket), 'secure')
        assert.deepEqual([socket.authorized, socket.authorizationError, socket.alpnProtocol, socket.getProtocol()], [true, null, 'two', 'TLSv1.3'])
        assert.match(socket.getCipher().standardName, /^TLS_(AES|CHACHA20)_/)
        assert.deepEqual([socket.remoteAddress, socket.remotePort], [host, port])
        await closed(socket)
        assert.deepEqual(told, ['connect', 'ready', 'secureConnect', 'heard early', 'end', 'close'])
      },
    )
  })

  test(title('the forms of connect, and the listener'), async () => {
    await serving(
      own(),
      socket => socket.end('yes'),
      async port => {
        const { tls } = under()
        const further = { ca: trust().root.cert, servername: 'server.test' }
        const forms = [
          (done: () => void) => tls.connect({ port, host, ...further }, done),
          // As agents give it, which keep the path of a request from being taken for a socket's.
          (done: () => void) => tls.connect({ port, host, path: null as never, ...further }, done),
          (done: () => void) => tls.connect(port, host, further, done),
          (done: () => void) => tls.connect(port, { host, ...further }, done),
        ]
        for (const form of forms) {
          const { promise, resolve } = Promise.withResolvers<void>()
          const socket = form(resolve)
          await promise
          assert.equal(await textOf(socket), 'yes')
        }
      },
    )
  })

  for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
    for (const cipher of version === 'TLSv1.3'
      ? ['TLS_CHACHA20_POLY1305_SHA256', 'TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384']
      : ['ECDHE-ECDSA-CHACHA20-POLY1305', 'ECDHE-ECDSA-AES128-GCM-SHA256', 'ECDHE-ECDSA-AES256-GCM-SHA384']) {
      test(title(`${version} with ${cipher} carries bytes both ways unchanged`), async () => {
        await serving(
          { ...own(), ciphers: cipher, minVersion: version, maxVersion: version },
          socket => socket.pipe(socket),
          async port => {
            const bytes = randomBytes(300_000)
            const socket = connect(port)
            socket.write(bytes.subarray(0, 1))
            socket.write(bytes.subarray(1, 100_000))
            socket.end(bytes.subarray(100_000))
            const hash = createHash('sha256')
            assert.equal(await outcome(socket), 'secure')
            assert.deepEqual([socket.getProtocol(), socket.getCipher().name], [version, cipher])
            for await (const part of socket) hash.update(part as Buffer)
            assert.equal(hash.digest('hex'), createHash('sha256').update(bytes).digest('hex'))
          },
        )
      })
    }
  }

  test(title('a reader that stops holds the sender back and loses nothing'), async () => {
    const size = 4_000_000
    let isSent = false
    await serving(
      { ...own(), ciphers: 'TLS_CHACHA20_POLY1305_SHA256' },
      socket => socket.end(Buffer.alloc(size, 7), () => (isSent = true)),
      async port => {
        const socket = connect(port)
        socket.pause()
        assert.equal(await outcome(socket), 'secure')
        const [first] = (await once(socket.resume(), 'data')) as [Buffer]
        socket.pause()
        let count = first.length
        socket.on('data', (part: Buffer) => (count += part.length))
        socket.resume()
        await closed(socket)
        assert.equal(count, size)
        assert.equal(isSent, true)
      },
    )
  })

  test(title('a plain socket is secured after STARTTLS'), async () => {
    const secured = Promise.withResolvers<void>()
    await serving(
      own(),
      socket => {
        socket.once('data', data => socket.end(`secret ${String(data)}`))
        secured.resolve()
      },
      async (_port, _seen, server) => {
        const plain = createTcpServer(socket => {
          socket.write('220 ready\r\n')
          socket.once('data', () => {
            socket.write('220 go ahead\r\n', () => server.emit('connection', socket))
          })
        })
        plain.listen(0, host)
        await once(plain, 'listening')
        const socket = under().net.connect((plain.address() as AddressInfo).port, host)
        assert.equal(String((await once(socket, 'data'))[0]), '220 ready\r\n')
        socket.write('STARTTLS\r\n')
        assert.equal(String((await once(socket, 'data'))[0]), '220 go ahead\r\n')
        const upgraded = under().tls.connect({ socket, servername: 'server.test', ca: trust().root.cert })
        upgraded.write('hello')
        assert.equal(await outcome(upgraded), 'secure')
        await secured.promise
        assert.equal(await textOf(upgraded), 'secret hello')
        plain.close()
      },
    )
  })

  test(title('without trust there is no connection, unless it is asked for; authorized tells'), async () => {
    await serving(
      own(),
      socket => socket.end('hello'),
      async port => {
        const failed = await outcome(connect(port, { ca: undefined }))
        assert.ok(failed instanceof Error)
        assert.equal(failed.code, 'UNABLE_TO_VERIFY_LEAF_SIGNATURE')
        const socket = connect(port, { ca: undefined, rejectUnauthorized: false })
        assert.equal(await outcome(socket), 'secure')
        assert.deepEqual([socket.authorized, String(socket.authorizationError)], [false, 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'])
        assert.equal(await textOf(socket), 'hello')
        // `undefined` is no leave to go on.
        assert.ok((await outcome(connect(port, { ca: undefined, rejectUnauthorized: undefined }))) instanceof Error)
        const other = connect(port, { servername: 'other.test', rejectUnauthorized: false })
        assert.equal(await outcome(other), 'secure')
        assert.deepEqual([other.authorized, String(other.authorizationError)], [false, 'ERR_TLS_CERT_ALTNAME_INVALID'])
        other.destroy()
      },
    )
  })

  test(title('a check of the caller’s own judges in place of the usual one'), async () => {
    await serving(
      own(),
      socket => socket.end('hello'),
      async port => {
        const asked: string[] = []
        const check = (name: string, certificate: PeerCertificate | DetailedPeerCertificate): undefined => {
          asked.push(`${name} ${String(certificate.subject.CN)} ${'issuerCertificate' in certificate && String(certificate.issuerCertificate.subject.CN)}`)
        }
        const socket = connect(port, { servername: 'other.test', checkServerIdentity: check })
        assert.equal(await outcome(socket), 'secure')
        assert.equal(socket.authorized, true)
        await textOf(socket)
        const fault = new Error('not this one')
        assert.equal(await outcome(connect(port, { checkServerIdentity: () => fault })), fault)
        // It is not asked about a chain that does not hold.
        assert.ok((await outcome(connect(port, { ca: undefined, checkServerIdentity: check }))) instanceof Error)
        assert.deepEqual(asked, ['other.test server Root of the suite'])
      },
    )
  })

  test(title('the peer’s certificate is told as it is'), async () => {
    await serving(
      own(),
      socket => socket.resume(),
      async port => {
        const socket = connect(port)
        assert.equal(await outcome(socket), 'secure')
        const told = socket.getPeerCertificate(true)
        const expected = new X509Certificate(trust().server.cert).toLegacyObject()
        const keys = [
          'subject',
          'issuer',
          'subjectaltname',
          'ca',
          'valid_from',
          'valid_to',
          'serialNumber',
          'fingerprint',
          'fingerprint256',
          'fingerprint512',
        ] as const
        const plain = (of: object): unknown => JSON.parse(JSON.stringify(Object.fromEntries(keys.map(key => [key, of[key as never]]))))
        assert.deepEqual(plain(told), plain(expected))
        assert.deepEqual(told.ext_key_usage, ['1.3.6.1.5.5.7.3.1'])
        assert.deepEqual(Buffer.from(told.raw), new X509Certificate(trust().server.cert).raw)
        assert.equal(told.issuerCertificate.subject.CN, 'Root of the suite')
        assert.equal(told.issuerCertificate.issuerCertificate.subject.CN, 'Root of the suite')
        socket.destroy()
      },
    )
  })

  test(title('a server that asks is shown the person’s certificate'), async () => {
    await serving(
      { ...own(), requestCert: true, ca: trust().root.cert, minVersion: 'TLSv1.2' },
      socket => socket.end(String(socket.getPeerCertificate().subject.CN)),
      async port => {
        const { cert, key } = trust().person
        assert.equal(await textOf(connect(port, { cert, key })), 'person')
        const mixed = await outcome(connect(port, { cert, key: trust().root.key })).catch((error: unknown) => error as Error)
        assert.ok(mixed instanceof Error)
      },
    ).catch((error: NodeJS.ErrnoException) => {
      // Node tells a key of another certificate when the context is made.
      assert.equal(error.code, 'ERR_OSSL_X509_KEY_VALUES_MISMATCH')
    })
  })

  test(title('both ends derive the same key material and saw the same handshake'), async () => {
    const { promise, resolve } = Promise.withResolvers<TLSSocket>()
    await serving(own(), resolve, async port => {
      const socket = connect(port)
      assert.equal(await outcome(socket), 'secure')
      const there = await promise
      const context = Buffer.from('context')
      assert.deepEqual(Buffer.from(socket.exportKeyingMaterial(32, 'EXPERIMENTAL', context)), there.exportKeyingMaterial(32, 'EXPERIMENTAL', context))
      assert.deepEqual(Buffer.from(socket.getFinished() ?? []), there.getPeerFinished())
      assert.deepEqual(Buffer.from(socket.getPeerFinished() ?? []), there.getFinished())
      socket.destroy()
    })
  })

  test(title('no protocol in common is an error'), async () => {
    await serving(
      { ...own(), ALPNProtocols: ['one'] },
      socket => socket.end(),
      async port => {
        const failed = await outcome(connect(port, { ALPNProtocols: ['other'] }))
        assert.ok(failed instanceof Error)
        assert.match(failed.code ?? '', /^ERR_SSL_.*NO_APPLICATION_PROTOCOL$/)
      },
    )
  })

  test(title('ends: ours reaches the server after all that was written, theirs ends us, destroy is seen there'), async () => {
    const there: Promise<string>[] = []
    let gone = Promise.withResolvers<void>()
    await serving(
      own(),
      socket => {
        socket.write('welcome')
        there.push(textOf(socket).catch((error: NodeJS.ErrnoException) => String(error.code)))
        socket.on('close', () => gone.resolve())
      },
      async port => {
        const first = connect(port)
        first.write('all ')
        first.end('of it')
        await closed(first.resume())
        assert.equal(await there[0], 'all of it')
        await gone.promise
        for (const words of ['', 'words']) {
          gone = Promise.withResolvers<void>()
          const socket = connect(port)
          // From then on the server knows of it too.
          await once(socket, 'data')
          if (words !== '') socket.write(words)
          socket.destroy()
          await closed(socket)
          await gone.promise
        }
      },
    )
  })

  test(title('destroyed while it connects, it lets go of what it connects by'), async () => {
    await serving(
      own(),
      socket => socket.resume(),
      async port => {
        const socket = connect(port)
        let isSecure = false
        socket.on('secureConnect', () => (isSecure = true))
        socket.destroy()
        await closed(socket)
        assert.deepEqual([socket.destroyed, isSecure], [true, false])
        const plain = under().net.connect(port, host)
        const over = under().tls.connect({ socket: plain, servername: 'server.test', ca: trust().root.cert })
        const gone = closed(plain)
        over.destroy()
        await Promise.all([closed(over), gone])
        assert.equal(plain.destroyed, true)
      },
    )
  })

  test(title('servers that are none: no TLS, silence and an end, nobody at all'), async () => {
    const answers: Record<string, (socket: Socket) => void> = {
      plain: socket => socket.end('220 this is no TLS\r\n'),
      ends: socket => socket.once('data', () => socket.end()),
    }
    const codes: string[] = []
    for (const answer of Object.values(answers)) {
      const server = createTcpServer(socket => {
        socket.on('error', () => undefined)
        answer(socket.resume())
      })
      server.listen(0, host)
      await once(server, 'listening')
      const socket = connect((server.address() as AddressInfo).port)
      const failed = await outcome(socket)
      assert.ok(failed instanceof Error)
      codes.push(String(failed.code))
      await closed(socket)
      server.close()
      await once(server, 'close')
    }
    const [plain = '', ends] = codes
    assert.ok(['ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG'].includes(plain), plain)
    assert.equal(ends, 'ECONNRESET')
    const nobody = createTcpServer().listen(0, host)
    await once(nobody, 'listening')
    const { port } = nobody.address() as AddressInfo
    nobody.close()
    await once(nobody, 'close')
    const refused = await outcome(connect(port))
    assert.ok(refused instanceof Error)
    assert.equal(refused.code, 'ECONNREFUSED')
  })

  test(title('what makes no sense is refused at once'), () => {
    const { tls } = under()
    const codeOf = (run: () => unknown): unknown => {
      try {
        run()
        return 'nothing'
      } catch (error) {
        return (error as NodeJS.ErrnoException).code
      }
    }
    assert.equal(
      codeOf(() => tls.createSecureContext({ minVersion: 'TLSv0.9' as never })),
      'ERR_TLS_INVALID_PROTOCOL_VERSION',
    )
    assert.equal(
      codeOf(() => tls.connect({ host, port: 1, ALPNProtocols: ['x'.repeat(256)] })),
      'ERR_OUT_OF_RANGE',
    )
    assert.equal(
      codeOf(() => tls.createSecureContext({ ciphers: 5 as never })),
      'ERR_INVALID_ARG_TYPE',
    )
  })
}
