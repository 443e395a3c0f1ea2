import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { connect } from 'node:net'
import { after, before, test } from 'node:test'
import { type DemoPeer, startDemoPeer } from './demo-peer.ts'

let peer: DemoPeer
before(async () => {
  peer = await startDemoPeer()
})
after(() => peer.close())

test('its places are its ports at the loopback address, and no others', () => {
  assert.deepEqual(
    peer.places.toSorted(),
    Object.values({ ...peer.ports })
      .map(port => `127.0.0.1:${port}`)
      .toSorted(),
  )
  assert.equal(new Set(peer.places).size, 5)
})

test('the store answers lines as Redis does, and ends after its caller', async () => {
  const socket = connect({ host: '127.0.0.1', port: peer.ports.store, allowHalfOpen: true })
  let said = ''
  socket.setEncoding('utf8').on('data', text => (said += String(text)))
  const ended = new Promise<void>(resolve => socket.on('end', () => resolve()))
  socket.end('PING\r\nSET name Ada Lovelace\r\nget name\r\nINCR n\r\nINCR name\r\nGET\r\nnone\r\nDEL n\r\nGET n\r\nDBSIZE\r\n')
  await ended
  const [hello, ...lines] = said.split('\r\n')
  assert.match(hello ?? '', /^\+Hello/)
  assert.deepEqual(lines.slice(0, 6), ['+PONG', '+OK', '$12', 'Ada Lovelace', ':1', '-ERR value is not an integer'])
  assert.match(lines[7] ?? '', /^-ERR unknown command NONE/)
  assert.deepEqual(lines.slice(8, 11), [':1', '$-1', ':1'])
  assert.match(lines[11] ?? '', /^\+You ended your half/)
})

test('a line without an end is cut off', async () => {
  const socket = connect({ host: '127.0.0.1', port: peer.ports.store })
  let said = ''
  socket.setEncoding('utf8').on('data', text => (said += String(text)))
  const over = new Promise<void>(resolve => socket.on('close', () => resolve()))
  socket.write('x'.repeat(10_000))
  await over
  assert.match(said, /too long/)
})

test('the pages say what was said, pour so many bytes, and take any', async () => {
  const base = `http://127.0.0.1:${peer.ports.http}`
  const said = (await (await fetch(`${base}/redirect`)).json()) as { method: string }
  assert.equal(said.method, 'GET')
  const posted = (await (await fetch(`${base}/said`, { method: 'POST', body: 'words' })).json()) as { body: string; length: number }
  assert.deepEqual([posted.body, posted.length], ['words', 5])
  assert.equal((await (await fetch(`${base}/bytes?n=300000`)).arrayBuffer()).byteLength, 300_000)
  assert.equal(await (await fetch(`${base}/sink`, { method: 'POST', body: new Uint8Array(70_000) })).text(), '70000 bytes were taken\n')
  assert.match(await (await fetch(`${base}/gzip`)).text(), /compressed/)
  assert.equal((await fetch(`${base}/none`)).status, 404)
})

test('datagrams come back, one port talks without an end and another takes what comes', async () => {
  const socket = createSocket('udp4')
  const back = new Promise<string>(resolve => socket.on('message', data => resolve(data.toString())))
  socket.send('hello', peer.ports.echo, '127.0.0.1')
  assert.equal(await back, 'hello')
  socket.close()
  const talking = connect(peer.ports.chargen, '127.0.0.1')
  let bytes = 0
  for await (const chunk of talking) if ((bytes += (chunk as Buffer).byteLength) > 1_000_000) break
  assert.ok(bytes > 1_000_000)
  const taking = connect({ host: '127.0.0.1', port: peer.ports.discard, allowHalfOpen: true })
  taking.end(Buffer.alloc(1_000_000))
  for await (const chunk of taking) assert.fail(`it said ${(chunk as Buffer).byteLength} bytes`)
})
