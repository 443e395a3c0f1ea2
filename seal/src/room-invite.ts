import { decode } from './base64url.ts'
import { SealError } from './error.ts'
import { roomBytes } from './room-key.ts'

/** What an invite says. */
export interface RoomInvite {
  readonly key: string
  readonly id: string
}

/** The one spelling of an invite: `<key>.<id>`. @throws {SealError} `invalid-invite` */
export function formatRoomInvite({ key, id }: RoomInvite): string {
  const invite = `${key}.${id}`
  parseRoomInvite(invite)
  return invite
}

/** The key and the room id of an invite. @throws {SealError} `invalid-invite` */
export function parseRoomInvite(invite: string): RoomInvite {
  if (typeof invite !== 'string') throw new SealError('invalid-invite')
  const [key, dot, id] = [invite.slice(0, 43), invite.slice(43, 44), invite.slice(44)]
  try {
    roomBytes(id)
  } catch {
    throw new SealError('invalid-invite')
  }
  if (dot !== '.' || decode(key)?.length !== 32 || !id.includes('/', 1)) throw new SealError('invalid-invite')
  return { key, id }
}
