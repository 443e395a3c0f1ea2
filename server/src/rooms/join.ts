import { parseRoomId, roomScope } from '@deputy/contract/identity'
import { refuse } from '@deputy/contract/refusals'
import type { RoomRequest } from '@deputy/contract/room-wire'
import { roomsRefusals } from '@deputy/contract/rooms-refusals'
import { equal } from '../signer.ts'
import { isWhole, type RoomRefusal } from './call.ts'
import type { Connection } from './connection.ts'
import type { Core } from './core.ts'
import { releaseEmpty } from './ends.ts'
import { roomFrom } from './loading.ts'
import { deviceIn, hashOf, proves } from './proof.ts'
import { enqueue } from './queue.ts'
import { isOwner, type Room } from './room.ts'
import { newSeat, rotate, seatAnswer, seatOn, setAccount, storeSeat, welcomeOwner } from './seats.ts'
import { emit, noFrame, okFrame } from './turn.ts'

const tries = 5

/** Takes a seat, in a room that comes into being when it may. */
export async function join(core: Core, connection: Connection, request: RoomRequest<'join'>): Promise<void> {
  const no = (refusal: RoomRefusal): void => core.pump.send(connection, noFrame(request.id, refuse(refusal)))
  const wrong = refusalOf(core, connection, request)
  if (wrong !== null) return no(wrong)
  const create = request.create === undefined ? undefined : (key: string): Room => newRoom(core, key, request)
  for (let left = tries; left > 0; left -= 1) {
    const room = await core.open(request.room, create)
    if (room === null) return no(roomsRefusals.notFound)
    if (room === 'held') return no(roomsRefusals.unavailable)
    // A room that ended while this waited for its turn is opened again.
    if (await sit(core, connection, request, room, no)) return
  }
  no(roomsRefusals.unavailable)
}

function refusalOf(core: Core, connection: Connection, request: RoomRequest<'join'>): RoomRefusal | null {
  const { rooms } = core.config
  const name = parseRoomId(request.room)
  if (name === null) return roomsRefusals.badName
  if (request.create !== undefined) {
    if (name.scope !== 'global' && name.scope !== roomScope(connection.app)) return roomsRefusals.badName
    const { members, defaults } = request.create
    if (members !== undefined && !isWhole(members, 1, rooms.membersLargest)) return roomsRefusals.malformed
    if (defaults?.maxMessageBytes !== undefined && !isWhole(defaults.maxMessageBytes, 1, rooms.messageLargest)) return roomsRefusals.malformed
  }
  const here = connection.seats.get(request.room)
  if (here !== undefined && here.member !== request.member) return roomsRefusals.malformed
  if (connection.seats.size >= rooms.seats) return roomsRefusals.rateLimited
  return proves(request, connection.challenge) ? null : roomsRefusals.malformed
}

function newRoom({ config, clock, process, pump }: Core, key: string, { room: id, verifier, create }: RoomRequest<'join'>): Room {
  const row = {
    ...{ key, id, epoch: 1, holder: process, lease_until: pump.leaseUntil, n: 0, seq: 0, verifier: hashOf(verifier), created: clock.now() },
    member_cap: create?.members ?? config.rooms.members,
    max_bytes: create?.defaults?.maxMessageBytes ?? null,
    send: create?.defaults?.send === false ? 0 : 1,
    receive: create?.defaults?.receive === false ? 0 : 1,
    ...{ owner: '', account: null, app: null, claimed_at: null, description: null, mailbox: 0, mailbox_n: 0 },
    ...{ expires_at: null, archived_at: null, cap: null, bytes: 0, messages: 0 },
  }
  return roomFrom(row, row)
}

/** Takes the seat when it is this request's turn; false when the room was over by then. */
function sit(core: Core, connection: Connection, request: RoomRequest<'join'>, room: Room, no: (refusal: RoomRefusal) => void): Promise<boolean> {
  return new Promise(resolve => {
    enqueue(core, room, () => {
      resolve(!room.gone)
      if (room.gone) return
      const refusal = connection.open ? mayEnter(core, connection, request, room) : roomsRefusals.unavailable
      if (refusal === null) enter(core, connection, request, room)
      else no(refusal)
      if (room.seats.size === 0) releaseEmpty(core, room)
    })
  })
}

function mayEnter({ config }: Core, connection: Connection, { verifier, member }: RoomRequest<'join'>, room: Room): RoomRefusal | null {
  if (!equal(room.verifier, hashOf(verifier))) return roomsRefusals.badKey
  if (room.seats.has(member)) return null
  const account = connection.session?.account ?? null
  const device = connection.device === null ? null : deviceIn(room.key, connection.device)
  const isOut = [...room.blocks].some(
    ([id, block]) => id === member || (account !== null && block.account === account) || (device !== null && block.device === device),
  )
  if (isOut && !isOwner(room, { member, account })) return roomsRefusals.blocked
  if (room.seats.size >= room.memberCap || connection.seats.size >= config.rooms.seats) return roomsRefusals.full
  return null
}

function enter(core: Core, connection: Connection, request: RoomRequest<'join'>, room: Room): void {
  const { id, member, credential } = request
  const reply = (token: string, seat: Parameters<typeof seatAnswer>[1]): void => {
    const frame = okFrame(id, JSON.stringify(seatAnswer(core, seat, token)))
    room.turn.early.push(failed => core.pump.send(connection, failed === undefined ? frame : noFrame(id, refuse(failed))))
    core.pump.touch(room)
  }
  const mine = room.seats.get(member)
  if (mine !== undefined) {
    // The answer to an earlier join was lost; who holds the member's key has the seat.
    seatOn(core, mine, connection)
    const token = rotate(core, mine, mine.token)
    setAccount(core, mine, connection.session?.account ?? null)
    mine.cursor = room.n
    return reply(token, mine)
  }
  const token = core.ids.token()
  const device = connection.device === null ? null : deviceIn(room.key, connection.device)
  const seat = newSeat(core, room, connection, { member, credential, device }, token)
  if (room.create !== undefined && room.owner === '') {
    room.owner = member
    room.create = { ...room.create, owner: member }
  }
  room.seats.set(member, seat)
  connection.seats.set(room.id, seat)
  storeSeat(seat)
  emit(room, { type: 'joined', member: seatAnswer(core, seat, token).self, credential })
  welcomeOwner(core, seat)
  seat.cursor = room.n
  reply(token, seat)
}
