import type { RoomMember } from '@deputy/contract/room-types'
import type { RoomMemberKey, SealedRoom } from '@deputy/seal'

/** A member as the server tells of it, with its credential. */
type Told = RoomMember & { readonly credential: string }

/** The members whose credentials hold. What the server says of anybody else is not believed. */
export interface Roster {
  /** Takes those whose credentials hold among the ones told; answers who they are. */
  learn(told: readonly { readonly id: string; readonly credential: string }[]): Promise<ReadonlySet<string>>
  /** Who is in the room now. */
  readonly present: Map<string, RoomMember>
  key(id: string): RoomMemberKey | undefined
}

const KNOWN = 4096

/** A roster that knows nobody. */
export function rosterOf(room: Pick<SealedRoom, 'openCredential'>, warn: (what: string) => void): Roster {
  const keys = new Map<string, RoomMemberKey>()
  const present = new Map<string, RoomMember>()
  return {
    present,
    key: id => keys.get(id),
    learn: async told => {
      const believed = new Set<string>()
      for (const { id, credential } of told) {
        const known = keys.get(id) ?? (await room.openCredential(id, credential).catch(() => undefined))
        if (known === undefined) warn('a member is told of without a true credential, and is left out')
        else {
          believed.add(id)
          keys.delete(id)
          keys.set(id, known)
        }
        const oldest = keys.size > KNOWN ? keys.keys().next().value : undefined
        if (oldest !== undefined) keys.delete(oldest)
      }
      return believed
    },
  }
}

/** The member without what the app is not told. */
export const memberOf = ({ id, maxMessageBytes, permissions }: Told | RoomMember): RoomMember => ({ id, maxMessageBytes, permissions })

/** Whether two members are the same in all that is told of them. */
export const sameMember = (one: RoomMember, other: RoomMember): boolean =>
  one.id === other.id &&
  one.maxMessageBytes === other.maxMessageBytes &&
  (['send', 'receive', 'remove', 'block'] as const).every(name => one.permissions[name] === other.permissions[name])
