import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect as dial, createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { ConnectionOptions, TLSSocket } from 'node:tls'
import { authority, openPress, server as serverOf, type Issued } from '../../support/certificates.ts'
import { overTunnel, type OverTunnel } from '../../support/node-modules.ts'
import { closed, host, outcome, serving, trustOf, type TlsUnderTest } from './tls-under-test.ts'

let tunnel: OverTunnel
let folder: string
before(async () => {
  ;[tunnel, folder] = await Promise.all([overTunnel(), mkdtemp(join(tmpdir(), 'deputy-openssl-'))])
})
after(async () => {
  await tunnel.close()
  await rm(folder, { recursive: true })
  press.remove()
})
const connect = (options: ConnectionOptions): TLSSocket => (tunnel.modules as unknown as TlsUnderTest).tls.connect(options)
const press = openPress()
const { root, server } = trustOf(press)
const rsa = press.issue({ name: 'server', by: root, extensions: serverOf('DNS:server.test'), key: 2048 })

/** What `openssl s_server` answers a request with, or the code the connection failed with. */
async function answered(of: Issued, words: readonly string[]): Promise<string> {
  const [key, cert] = [join(folder, 'key'), join(folder, 'cert')]
  await Promise.all([writeFile(key, of.key), writeFile(cert, of.cert)])
  const child = spawn('openssl', ['s_server', '-accept', `${host}:0`, '-key', key, '-cert', cert, '-www', ...words], { stdio: ['pipe', 'pipe', 'ignore'] })
  try {
    const port = await new Promise<number>((resolve, reject) => {
      let said = ''
      child.stdout.on('data', (text: Buffer) => {
        said += String(text)
        const [, found] = /ACCEPT [^\n]*:(\d+)\n/.exec(said) ?? []
        if (found !== undefined) resolve(Number(found))
      })
      child.on('exit', () => reject(new Error('openssl ended')))
    })
    const socket = connect({ host, port, servername: 'server.test', ca: root.cert })
    const how = await outcome(socket)
    if (how !== 'secure') return String(how.code)
    let page = ''
    socket.on('data', (text: Buffer) => (page += String(text)))
    socket.write('GET / HTTP/1.0\r\n\r\n')
    await closed(socket)
    return /^ *New, (\S+), Cipher is (\S+)/m.exec(page)?.slice(1).join(' ') ?? page
  } finally {
    const over = once(child, 'exit')
    child.kill('SIGKILL')
    await over
  }
}

const talked: readonly (readonly [title: string, of: Issued, words: readonly string[], answer: RegExp])[] = [
  ['ECDSA, whatever the client likes best', server, [], /^TLSv1\.3 TLS_CHACHA20_/],
  ['RSA, whatever the client likes best', rsa, [], /^TLSv1\.3 TLS_CHACHA20_/],
  ['RSA and TLS 1.2', rsa, ['-tls1_2'], /^TLSv1\.2 ECDHE-RSA-CHACHA20-/],
  ['a list of its own', server, ['-serverpref', '-ciphersuites', 'TLS_AES_128_GCM_SHA256:TLS_CHACHA20_POLY1305_SHA256'], /^TLSv1\.3 TLS_AES_128_/],
  ['TLS 1.2 and a list of its own', rsa, ['-serverpref', '-tls1_2', '-cipher', 'AESGCM:CHACHA20'], /^TLSv1\.2 ECDHE-RSA-AES256-GCM-/],
  ['a curve that needs a second hello', server, ['-curves', 'P-521'], /^TLSv1\.3 TLS_/],
  ['no forward secrecy', rsa, ['-tls1_2', '-cipher', 'AES128-GCM-SHA256'], /^ERR_SSL_.*HANDSHAKE_FAILURE$/],
  ['no authenticated encryption', rsa, ['-tls1_2', '-cipher', 'ECDHE-RSA-AES128-SHA'], /^ERR_SSL_.*HANDSHAKE_FAILURE$/],
  ['TLS 1.1', rsa, ['-tls1_1', '-cipher', 'ALL:@SECLEVEL=0'], /^ERR_SSL_.*PROTOCOL_VERSION$/],
]
for (const [title, of, words, answer] of talked) {
  test(`LIB-13: openssl s_server with ${title}`, async () => assert.match(await answered(of, words), answer))
}

test('LIB-13: a byte that was changed on the way ends the connection: nothing but what was sent is ever read', async () => {
  const secret = 'x'.repeat(2000)
  const codes = new Set<string>()
  await serving(
    { key: rsa.key, cert: rsa.cert },
    socket => {
      socket.on('data', () => undefined)
      socket.end(secret)
    },
    async port => {
      for (let at = 0; at < 3600; at += 97) {
        const between = createServer(near => {
          const far = dial(port, host)
          let passed = 0
          near.on('error', () => far.destroy())
          far.on('error', () => near.destroy())
          near.pipe(far)
          far.on('data', bytes => {
            if (at >= passed && at < passed + bytes.length) bytes[at - passed] = (bytes[at - passed] ?? 0) ^ (1 << (at % 8))
            passed += bytes.length
            near.write(bytes)
          })
          far.on('end', () => near.end())
        })
        between.listen(0, host)
        await once(between, 'listening')
        const socket = connect({ host, port: (between.address() as AddressInfo).port, servername: 'server.test', ca: root.cert })
        let read = ''
        socket.on('data', (bytes: Buffer) => (read += String(bytes)))
        socket.on('error', (error: NodeJS.ErrnoException) => codes.add(String(error.code)))
        socket.setTimeout(1000, () => socket.destroy(Object.assign(new Error('waits for more'), { code: 'waits' })))
        await closed(socket)
        assert.ok(secret.startsWith(read), `changed at ${at}`)
        between.close()
      }
    },
  )
  assert.ok(codes.has('ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC') && codes.size > 1)
  for (const code of codes) assert.match(code, /^(ERR_SSL_|ECONNRESET|CERT_|UNABLE_|UNSPECIFIED|waits|EPIPE)/)
})

test('LIB-13: a certificate that has its issuer’s long name written out for each of many revocation lists is refused, with a few it is not', async () => {
  const long = press.issue({ name: `Long${'/OU=a part of a long name'.repeat(200)}`, extensions: authority })
  const refused: unknown[] = []
  for (const count of [400, 3]) {
    const lists = [`crlDistributionPoints=${Array.from({ length: count }, () => 'list').join(',')}`, '[list]', 'relativename=relative', '[relative]', 'CN=x']
    const { cert, key } = press.issue({ name: 'server', by: long, extensions: [...serverOf('DNS:server.test'), ...lists] })
    await serving(
      { cert, key },
      socket => socket.end(),
      async port => {
        const how = await outcome(connect({ host, port, servername: 'server.test', ca: long.cert }))
        refused.push(how === 'secure' ? how : [how.code, how.message])
        // Nor is it looked into where any server is good enough.
        const socket = connect({ host, port, servername: 'server.test', ca: long.cert, rejectUnauthorized: false })
        assert.equal(await outcome(socket), 'secure')
        assert.equal(socket.authorized, count === 3)
        assert.equal(socket.getPeerCertificate().subject.CN, 'server')
        await closed(socket.resume())
      },
    )
  }
  assert.deepEqual(refused, [['UNSPECIFIED', 'invalid or inconsistent certificate extension'], 'secure'])
})
