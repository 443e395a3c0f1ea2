import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import type { RoomAnswer, RoomRequest, ServerFrame, WireEvent } from '@deputy/contract/room-wire'
import { ROOM_MEMBER_LABEL, roomProof, serverFrame } from '@deputy/contract/room-wire'
import { parse } from '@deputy/contract/validate'

type Type = RoomRequest['type']
type Fields<T extends Type> = Omit<RoomRequest<T>, 'type' | 'id'>
/** How a request ended. */
export type Answered<T extends Type> =
  | { readonly value: RoomAnswer<T>; readonly error?: never; readonly message?: never }
  | { readonly error: string; readonly message: string; readonly value?: never }

/** What a client heard of a room. */
export interface Heard {
  readonly epoch: number
  readonly n: number
  readonly event: WireEvent
}

/** Keys of a member, and what it shows to take a seat. */
export interface MemberKeys {
  readonly member: string
  readonly publicKey: string
  readonly privateKey: KeyObject
}

/** A fresh 128-bit id. */
export const newId = (): string => randomBytes(16).toString('base64url')
/** Fresh 32 bytes as base64url. */
export const newSecret = (): string => randomBytes(32).toString('base64url')
/** A stand-in for the join verifier of a room key. */
export const verifierOf = (key: string): string => createHash('sha256').update(key).digest('base64url')
/** A text as long as sealing makes one. */
export const sealedText = (text: string): string => Buffer.from(text.padEnd(108, '.')).toString('base64url')

/** Fresh keys of a member of a room. */
export function memberKeys(room: string): MemberKeys {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const x = publicKey.export({ format: 'jwk' }).x ?? ''
  const member = createHash('sha256').update(ROOM_MEMBER_LABEL).update(room).update(Buffer.from(x, 'base64url')).digest('base64url').slice(0, 22)
  return { member, publicKey: x, privateKey }
}

/** A broker's end of a room socket: asks, and keeps what it hears. */
export interface RoomClient {
  readonly heard: Map<string, Heard[]>
  /** Frames that are neither answers nor events. */
  readonly notes: ServerFrame[]
  challenge: string
  /** Asks; answered when the server does. */
  ask<T extends Type>(type: T, fields: Fields<T>, id?: string): Promise<Answered<T>>
  /** Takes a seat with fresh keys. */
  join(room: string, key: string, options?: { create?: RoomRequest<'join'>['create'] | null; keys?: MemberKeys }): Promise<Answered<'join'>>
  /** Takes a frame of the server. */
  take(text: string): void
  /** The events of a room, in the order heard. */
  events(room: string): WireEvent[]
}

/** Makes a client that sends through `send`. */
export function roomClient(send: (text: string) => void): RoomClient {
  const waiting = new Map<string, (answer: never) => void>()
  const client: RoomClient = {
    heard: new Map(),
    notes: [],
    challenge: '',
    ask: (type, fields, id = newId()) =>
      new Promise(resolve => {
        waiting.set(id, resolve)
        send(JSON.stringify({ type, id, ...fields }))
      }),
    join: (room, key, { create = {}, keys = memberKeys(room) } = {}) =>
      client.ask('join', {
        room,
        ...(create === null || create === undefined ? {} : { create }),
        verifier: verifierOf(key),
        member: keys.member,
        publicKey: keys.publicKey,
        signature: sign(null, Buffer.from(roomProof(client.challenge, room, keys.member)), keys.privateKey).toString('base64url'),
        credential: Buffer.from(`credential of ${keys.member}`).toString('base64url'),
      }),
    take: text => {
      const frame = parse(serverFrame, JSON.parse(text))
      switch (frame.type) {
        case 'ok':
          waiting.get(frame.id)?.({ value: frame.value } as never)
          waiting.delete(frame.id)
          return
        case 'no':
          waiting.get(frame.id)?.({ error: frame.error, message: frame.message } as never)
          waiting.delete(frame.id)
          return
        case 'event': {
          const list = client.heard.get(frame.room) ?? []
          client.heard.set(frame.room, list)
          list.push({ epoch: frame.epoch, n: frame.n, event: frame.event })
          return
        }
        case 'welcome':
          client.challenge = frame.challenge
          client.notes.push(frame)
          return
        default:
          client.notes.push(frame)
      }
    },
    events: room => (client.heard.get(room) ?? []).map(({ event }) => event),
  }
  return client
}

/** The texts of whole, unmasked text frames in a row. */
export function textsOf(bytes: Buffer): string[] {
  const texts: string[] = []
  for (let at = 0; at < bytes.length;) {
    if (bytes[at] !== 0x81) throw new Error('a whole text frame was expected')
    const short = bytes[at + 1] ?? 0
    const [start, length] = short < 126 ? [2, short] : short === 126 ? [4, bytes.readUInt16BE(at + 2)] : [10, bytes.readUInt32BE(at + 6)]
    texts.push(bytes.toString('utf8', at + start, at + start + length))
    at += start + length
  }
  return texts
}
