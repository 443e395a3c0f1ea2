import { released } from '@deputy/channel'
import { parseRoomId, roomInvite } from '@deputy/contract/identity'
import { ROOM_TEMPORARY_MS } from '@deputy/contract/limits'
import type { RoomsFail } from '@deputy/contract/room-types'
import type { roomHandle } from '@deputy/contract/rooms'
import type { Served } from '@deputy/contract/shape'
import { sealedTextLength } from '@deputy/seal'
import type { Claims } from './claims.ts'
import { isNo, type Asking, type RequestName } from './line.ts'
import { refused } from './refused.ts'
import type { Seat } from './seat.ts'

type Members = typeof roomHandle extends { readonly members: infer M } ? M : never
/** A room as the broker serves it. */
export type ServedRoom = Served<Members>

const memberIdShape = /^[A-Za-z0-9_-]{22}$/
/** How long a room nobody holds any more is kept: a page that reloads lets go of it as well. */
const lingerMs = 2000

/** The handle of a seat for the app. */
export function handleOf(seat: Seat, key: string, claims: Claims): ServedRoom {
  const { id: room, audience } = seat
  const { self, owner, claimed, usage } = seat.state
  const done = async <T extends RequestName>(request: Asking<T>): Promise<{ ok: true } | RoomsFail> => {
    const answer = await seat.ask(request)
    return isNo(answer) ? answer : { ok: true }
  }
  const about = async (type: 'block' | 'unblock' | 'remove', member: string): Promise<{ ok: true } | RoomsFail> =>
    memberIdShape.test(member) ? done({ type, room, member }) : refused('noSuchMember')
  const override = async (type: 'grant' | 'revoke', member: string, permission: 'send' | 'receive' | 'remove' | 'block') =>
    memberIdShape.test(member) ? done({ type, room, member, permission }) : refused('noSuchMember')
  const tooLarge = (text: string): boolean => sealedTextLength(text) > seat.state.self.maxMessageBytes

  const served: ServedRoom = {
    id: room,
    name: parseRoomId(room)?.name ?? room,
    invite: roomInvite(key, room),
    key,
    owner,
    self,
    claimed,
    closed: seat.closed,
    mailbox: usage,
    mailboxSwitch: true,
    temporaryClaims: true,
    backlog: (after, limit) => seat.backlog(after, limit),
    block: member => about('block', member),
    unblock: member => about('unblock', member),
    remove: member => about('remove', member),
    claim: async (options = {}) => {
      const claim = claimOf(options)
      return 'error' in claim ? claim : claims.claim(seat, () => done({ type: 'claim', room, ...claim }))
    },
    release: () => done({ type: 'release', room }),
    defaults: async () => {
      const answer = await seat.ask({ type: 'defaults', room })
      return isNo(answer) ? answer : answer.defaults
    },
    setDefault: (permission, value) => done({ type: 'setDefault', room, permission, value }),
    limit: async (maxMessageBytes, member) => {
      if (member !== undefined && !memberIdShape.test(member)) return refused('noSuchMember')
      return done({ type: 'limit', room, maxMessageBytes, ...(member === undefined ? {} : { member }) })
    },
    grant: (member, permission) => override('grant', member, permission),
    revoke: (member, permission) => override('revoke', member, permission),
    send: async text => {
      if (tooLarge(text)) return refused('tooLarge')
      const answer = await seat.send(text)
      return isNo(answer) ? answer : { ok: true }
    },
    edit: async (seq, text) => {
      if (tooLarge(text)) return refused('tooLarge')
      const answer = await seat.messages.edit(seq, text)
      return isNo(answer) ? answer : { ok: true }
    },
    delete: (from, to) => done({ type: 'delete', room, from, ...(to === undefined ? {} : { to }) }),
    members: () => seat.members(),
    leave: () => seat.leave(),
    on: listener => audience.add(listener),
    setMailbox: on => done({ type: 'setMailbox', room, on }),
    usage: async () => {
      const answer = await seat.ask({ type: 'usage', room })
      return isNo(answer) ? answer : answer.usage
    },
  }
  return Object.assign(served, {
    [released]: () => {
      setTimeout(() => {
        if (audience.size === 0) seat.leave()
      }, lingerMs)
    },
  })
}

/** A claim as the service reads it: what cannot even be written down is refused here, the rest by the room. */
function claimOf({ description, mailbox, temporary }: { readonly description?: unknown; readonly mailbox?: unknown; readonly temporary?: unknown }) {
  if (description !== undefined && typeof description !== 'string') return refused('malformed')
  if (mailbox !== undefined && typeof mailbox !== 'boolean') return refused('malformed')
  if (temporary !== undefined && typeof temporary !== 'boolean' && !isTime(temporary)) return refused('malformed')
  const ms = temporary === true ? ROOM_TEMPORARY_MS.default : temporary === false ? undefined : temporary
  return { description, mailbox, temporary: ms }
}

const isTime = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= ROOM_TEMPORARY_MS.min && (value as number) <= ROOM_TEMPORARY_MS.max
