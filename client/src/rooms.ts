import { ChannelError } from '@deputy/channel'
import { isRefusal, refuse } from '@deputy/contract/refusals'
import type { RoomEvent } from '@deputy/contract/room-events'
import type {
  RoomBacklog,
  RoomClaimOptions,
  RoomCreateOptions,
  RoomDefaults,
  RoomEnd,
  RoomJoinOptions,
  RoomMailbox,
  RoomMember,
  RoomOpenOptions,
  RoomPermission,
  RoomsErrorCode,
  RoomsFail,
} from '@deputy/contract/room-types'
import { rooms as namespace, type RoomHandle } from '@deputy/contract/rooms'
import { roomsRefusals } from '@deputy/contract/rooms-refusals'
import type { Remote } from '@deputy/contract/shape'
import { further } from './further.ts'
import { heardBy, listening } from './room-listeners.ts'

const tree = further({ rooms: namespace })

export { isPlain } from './room-envelope.ts'
export type { RoomEvent } from '@deputy/contract/room-events'
export type {
  RoomBacklog,
  RoomClaimOptions,
  RoomCreateOptions,
  RoomDefaults,
  RoomEnd,
  RoomJoinOptions,
  RoomMailbox,
  RoomMember,
  RoomMessage,
  RoomOpenOptions,
  RoomPermission,
  RoomPermissions,
  RoomsErrorCode,
} from '@deputy/contract/room-types'

/** A refused rooms call (ROOM-21). Branch on `code`, never on the message. */
export class RoomsError extends Error {
  override readonly name = 'RoomsError'
  readonly code: RoomsErrorCode
  constructor(code: RoomsErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** A room this page has a seat in. Every method but `leave` and `on` throws a `RoomsError` when it is refused. */
export interface Room {
  /** `<scope>/<name>`. */
  readonly id: string
  readonly name: string
  /** `<key>.<id>`: holding it is all it takes to join, so hand it on as you would the key. */
  readonly invite: string
  readonly key: string
  /** Member id of the owner, kept current by events; empty while a claimed room's owner has never joined. */
  readonly owner: string
  /** This page's own member, kept current by events. */
  readonly self: RoomMember
  readonly claimed: boolean
  /** The stored messages as they were when the seat was taken, or null for a room that keeps none; `usage` reads them anew. */
  readonly mailbox: RoomMailbox | null
  /** Present where the broker can switch mailboxes (CLAIM-15). */
  readonly mailboxSwitch: true | undefined
  /** Present where the broker can claim for a time (CLAIM-15). */
  readonly temporaryClaims: true | undefined
  /** Settles once, when the room ends for this page; never rejects (ROOM-18). */
  readonly closed: Promise<RoomEnd>
  /** Seals the text and sends it; past `self.maxMessageBytes` it is refused, never cut (ROOM-7). */
  send(text: string): Promise<void>
  edit(seq: number, text: string): Promise<void>
  delete(from: number, to?: number): Promise<void>
  /** Replays a page of stored messages above `after` as message events, then answers where it ended (ROOM-9). */
  backlog(after: number, limit?: number): Promise<RoomBacklog>
  members(): Promise<RoomMember[]>
  remove(id: string): Promise<void>
  block(id: string): Promise<void>
  unblock(id: string): Promise<void>
  grant(id: string, permission: RoomPermission): Promise<void>
  revoke(id: string, permission: RoomPermission): Promise<void>
  defaults(): Promise<RoomDefaults>
  setDefault(permission: 'send' | 'receive', value: boolean): Promise<void>
  limit(maxMessageBytes: number | null, id?: string): Promise<void>
  claim(options?: RoomClaimOptions): Promise<void>
  release(): Promise<void>
  setMailbox(on: boolean): Promise<void>
  usage(): Promise<RoomMailbox | null>
  /** Gives the seat up; `closed` settles with `left` (ROOM-17). */
  leave(): Promise<void>
  /**
   * Calls the listener with every event of the room, in the room's order. What happened before the first listener came is told to it. An error it
   * throws is reported and stops nothing. Answers the unsubscribe function.
   */
  on(listener: (event: RoomEvent) => void): Promise<() => void>
}

/** Whether rooms can be reached now (ROOM-1). */
export async function available(): Promise<boolean> {
  const { rooms } = await tree()
  return rooms !== undefined && rooms.available()
}

/** Makes a room under a random name (ROOM-2). @throws {RoomsError} and, once `signal` fires, the signal's reason. */
export async function create(options: RoomCreateOptions = {}): Promise<Room> {
  return entered(options, async () => (await served()).create(options))
}

/** Opens the room `name` of this app, or `global/<name>`; it comes into being when nothing is there (ROOM-2). @throws {RoomsError} */
export async function open(name: string, options: RoomOpenOptions = {}): Promise<Room> {
  return entered(options, async () => (await served()).open(name, options))
}

/** Joins the room of an invite (ROOM-2, ROOM-3). @throws {RoomsError} */
export async function join(invite: string, options: RoomJoinOptions = {}): Promise<Room> {
  return entered(options, async () => (await served()).join(invite, options))
}

async function served(): Promise<Remote<typeof namespace>> {
  const { rooms } = await tree()
  if (rooms === undefined) throw new ChannelError('unavailable', 'deputy: this broker does not serve rooms')
  return rooms
}

async function entered({ signal }: { readonly signal?: AbortSignal | undefined }, enter: () => Promise<RoomHandle | RoomsFail>): Promise<Room> {
  signal?.throwIfAborted()
  const handle = await attempt(enter).catch((error: unknown) => {
    signal?.throwIfAborted()
    throw error
  })
  return roomOf(handle)
}

async function roomOf(handle: RoomHandle): Promise<Room> {
  const { id, name, invite, key, mailboxSwitch, temporaryClaims } = handle
  let { owner, self, claimed, mailbox } = handle
  // A broker that is gone has ended the room as well.
  const closed = handle.closed.catch((): RoomEnd => ({ reason: 'unavailable' }))
  const listeners = listening()
  const refresh = async (): Promise<void> => {
    const members = await handle.members().catch(() => null)
    if (Array.isArray(members)) self = members.find(member => member.id === self.id) ?? self
  }
  await attempt(() =>
    handle.on(event => {
      if (event.type === 'claim') {
        ;({ owner, claimed } = event)
        if (!event.mailbox) mailbox = null
      }
      if (event.type === 'permissions' && event.id === self.id) self = { id: self.id, maxMessageBytes: event.maxMessageBytes, permissions: event.permissions }
      // What the room allows by default changes what this page may do, unless the owner said otherwise of it.
      if (event.type === 'defaults' || event.type === 'claim') void refresh()
      listeners.tell(event)
    }),
  )
  const done = async (run: () => Promise<{ ok: true } | RoomsFail>): Promise<void> => void (await attempt(run))

  const room: Room = {
    ...{ id, name, invite, key, mailboxSwitch, temporaryClaims, closed },
    get owner() {
      return owner
    },
    get self() {
      return self
    },
    get claimed() {
      return claimed
    },
    get mailbox() {
      return mailbox
    },
    send: text => done(() => handle.send(text)),
    edit: (seq, text) => done(() => handle.edit(seq, text)),
    delete: (from, to) => done(() => handle.delete(from, to)),
    backlog: (after, limit) => attempt(() => handle.backlog(after, limit)),
    members: () => attempt(() => handle.members()),
    remove: member => done(() => handle.remove(member)),
    block: member => done(() => handle.block(member)),
    unblock: member => done(() => handle.unblock(member)),
    grant: (member, permission) => done(() => handle.grant(member, permission)),
    revoke: (member, permission) => done(() => handle.revoke(member, permission)),
    defaults: () => attempt(() => handle.defaults()),
    setDefault: (permission, value) => done(() => handle.setDefault(permission, value)),
    limit: (maxMessageBytes, member) => done(() => handle.limit(maxMessageBytes, member)),
    claim: async (options = {}) => {
      // An older broker would drop what it does not know, and the room would differ from what was asked.
      if (options.mailbox === false && mailboxSwitch === undefined) throw errorOf(refuse(roomsRefusals.noMailboxSwitch))
      const isTemporary = options.temporary !== undefined && options.temporary !== false
      if (isTemporary && temporaryClaims === undefined) throw errorOf(refuse(roomsRefusals.noTemporaryClaims))
      return done(() => handle.claim(options))
    },
    release: () => done(() => handle.release()),
    setMailbox: async on => {
      const { setMailbox } = handle
      if (mailboxSwitch === undefined || setMailbox === undefined) throw errorOf(refuse(roomsRefusals.noMailboxSwitch))
      return done(() => setMailbox(on))
    },
    usage: () => attempt(() => handle.usage()),
    leave: async () => {
      // A broker that cannot be told holds no seat either.
      await handle.leave().catch(() => undefined)
    },
    on: async listener => listeners.add(listener),
  }
  heardBy(room, listeners)
  return room
}

async function attempt<T>(run: () => Promise<T>): Promise<Exclude<T, RoomsFail>> {
  let answer: T
  try {
    answer = await run()
  } catch (error) {
    if (error instanceof ChannelError) throw new RoomsError('unavailable', roomsRefusals.unavailable.message, { cause: error })
    throw error
  }
  if (isRefusal(answer)) throw errorOf(answer as RoomsFail)
  return answer as Exclude<T, RoomsFail>
}

const errorOf = ({ error, message }: RoomsFail): RoomsError => new RoomsError(error, message)
