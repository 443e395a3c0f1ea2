// The load of the rooms benchmark, in a process of its own: joins members, keeps messages in flight and counts deliveries.
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { ROOM_MEMBER_LABEL, roomProof, ROOMS_PATH } from '@deputy/contract/room-wire'

/** What to load: `kind` says which server it is. */
export interface LoadPlan {
  readonly kind: 'deputy' | 'bare'
  readonly port: number
  readonly host: string
  readonly token: string
  readonly rooms: number
  readonly members: number
  /** Messages of a room kept in flight, or at a fixed rate when `perSecond` is said. */
  readonly inFlight: number
  readonly perSecond: number
  readonly seconds: number
}

/** What came of it; latencies in ms from the send to each delivery. */
export interface LoadResult {
  readonly deliveriesPerSecond: number
  readonly p50: number
  readonly p99: number
}

const id = (): string => randomBytes(16).toString('base64url')
const app = 'web:https://chat.example'
const atOnce = 50

/** A masked text frame; the mask is zero, which is allowed and costs nothing. */
function clientFrame(text: string): Buffer {
  const body = Buffer.from(text, 'latin1')
  const head =
    body.length < 126 ? Buffer.from([0x81, 0x80 | body.length, 0, 0, 0, 0]) : Buffer.from([0x81, 0x80 | 126, body.length >> 8, body.length & 255, 0, 0, 0, 0])
  return Buffer.concat([head, body])
}

const pong = Buffer.from([0x8a, 0x80, 0, 0, 0, 0])

interface Member {
  readonly socket: Socket
  readonly send: (text: string) => void
  onText: (text: Buffer, start: number, end: number) => void
}

function open(plan: LoadPlan): Promise<Member> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port: plan.port, noDelay: true })
    const member: Member = { socket, send: text => void socket.write(clientFrame(text)), onText: () => undefined }
    let upgraded = false
    let rest: Buffer = Buffer.alloc(0)
    socket.on('error', reject)
    socket.on('data', chunk => {
      let bytes: Buffer = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
      let at = 0
      if (!upgraded) {
        const end = bytes.indexOf('\r\n\r\n')
        if (end < 0) return
        if (!bytes.subarray(0, 12).toString().includes('101')) return reject(new Error(bytes.subarray(0, 80).toString()))
        upgraded = true
        bytes = bytes.subarray(end + 4)
        resolve(member)
      }
      for (;;) {
        if (bytes.length - at < 2) break
        const short = bytes[at + 1] ?? 0
        const head = short < 126 ? 2 : short === 126 ? 4 : 10
        if (bytes.length - at < head) break
        const length = short < 126 ? short : short === 126 ? bytes.readUInt16BE(at + 2) : bytes.readUInt32BE(at + 6)
        if (bytes.length - at < head + length) break
        if (bytes[at] === 0x89) socket.write(pong)
        if (bytes[at] === 0x81) member.onText(bytes, at + head, at + head + length)
        at += head + length
      }
      rest = at === bytes.length ? Buffer.alloc(0) : Buffer.from(bytes.subarray(at))
    })
    const path = plan.kind === 'deputy' ? ROOMS_PATH : '/'
    socket.write(
      `GET ${path} HTTP/1.1\r\nhost: ${plan.host}\r\nconnection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: ${randomBytes(16).toString('base64')}\r\n\r\n`,
    )
  })
}

const answerOf = (member: Member, wanted: string): Promise<Record<string, unknown>> =>
  new Promise((resolve, reject) => {
    member.onText = (bytes, start, end) => {
      const text = bytes.toString('latin1', start, end)
      if (text.startsWith('{"type":"no"')) reject(new Error(text))
      else if (text.startsWith(`{"type":"${wanted}"`)) resolve(JSON.parse(text) as Record<string, unknown>)
    }
  })

async function enter(plan: LoadPlan, room: string, verifier: string, claims: boolean): Promise<Member> {
  const member = await open(plan)
  if (plan.kind === 'bare') {
    member.send(room)
    return member
  }
  const welcomed = answerOf(member, 'welcome')
  member.send(JSON.stringify({ type: 'hello', app, ...(claims ? { token: plan.token } : {}) }))
  const challenge = (await welcomed)['challenge'] as string
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const x = publicKey.export({ format: 'jwk' }).x ?? ''
  const name = createHash('sha256').update(ROOM_MEMBER_LABEL).update(room).update(Buffer.from(x, 'base64url')).digest('base64url').slice(0, 22)
  const signature = sign(null, Buffer.from(roomProof(challenge, room, name)), privateKey).toString('base64url')
  const joined = answerOf(member, 'ok')
  member.send(
    JSON.stringify({ type: 'join', id: id(), room, create: { members: 1024 }, verifier, member: name, publicKey: x, signature, credential: 'A'.repeat(91) }),
  )
  await joined
  if (claims) {
    const claimed = answerOf(member, 'ok')
    member.send(JSON.stringify({ type: 'claim', id: id(), room }))
    await claimed
  }
  return member
}

const quantile = (sorted: Float64Array, share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN

/** The place of the payload in a frame of either server: it begins with this mark and the time of sending. */
const mark = Buffer.from('TTTT')

async function load(plan: LoadPlan): Promise<LoadResult> {
  const places = Array.from({ length: plan.rooms }, (_, index) => ({
    room: `chat.example/bench-${index}`,
    verifier: randomBytes(32).toString('base64url'),
    members: [] as Member[],
  }))
  const seats = places.flatMap(place => Array.from({ length: plan.members }, (_, index) => ({ place, index })))
  // Those who claim come first, so that every room stores from the beginning.
  const inOrder = seats.toSorted((one, other) => Math.min(one.index, 1) - Math.min(other.index, 1))
  for (let at = 0; at < inOrder.length; at += atOnce)
    await Promise.all(
      inOrder.slice(at, at + atOnce).map(async ({ place, index }) => {
        const member = await enter(plan, place.room, place.verifier, index === 0)
        if (index === 0) place.members.unshift(member)
        else place.members.push(member)
      }),
    )
  process.stdout.write('{"joined":true}\n')
  await new Promise(resolve => process.stdin.once('data', resolve))

  let deliveries = 0
  let counting = false
  const took: number[] = []
  const epoch = performance.now()
  const payload = (): string =>
    `TTTT${Math.round((performance.now() - epoch) * 1000)
      .toString()
      .padStart(12, '0')}`.padEnd(200, 'A')
  for (const place of places) {
    const [sender] = place.members
    const sendOne = (): void => {
      const text = payload()
      sender?.send(plan.kind === 'bare' ? text : `{"type":"send","id":"${id()}","room":"${place.room}","text":"${text}"}`)
    }
    for (const member of place.members) {
      member.onText = (bytes, start, end) => {
        const at = bytes.indexOf(mark, start)
        if (at < 0 || at >= end) return
        if (counting) {
          deliveries += 1
          if (plan.perSecond > 0 || deliveries % 16 === 0) took.push(performance.now() - epoch - Number(bytes.toString('latin1', at + 4, at + 16)) / 1000)
        }
        if (member === sender && plan.perSecond === 0) sendOne()
      }
    }
    if (plan.perSecond === 0) for (let index = 0; index < plan.inFlight; index += 1) sendOne()
    else {
      const every = (1000 * plan.rooms) / plan.perSecond
      setTimeout(() => setInterval(sendOne, every), Math.random() * every)
    }
  }
  await new Promise(resolve => setTimeout(resolve, 1000))
  counting = true
  process.stdout.write('{"counting":true}\n')
  const start = performance.now()
  await new Promise(resolve => setTimeout(resolve, plan.seconds * 1000))
  const seconds = (performance.now() - start) / 1000
  counting = false
  const sorted = Float64Array.from(took).toSorted()
  return { deliveriesPerSecond: deliveries / seconds, p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99) }
}

process.stdout.write(`${JSON.stringify(await load(JSON.parse(process.argv[2] ?? '{}') as LoadPlan))}\n`, () => process.exit(0))
