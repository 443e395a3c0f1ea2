import type { Room, RoomPermission } from '@deputy/client/rooms'

/** What the owner decides for one member; `remove` and `block` can be granted to others. */
export const allow = (room: Room, id: string, permission: RoomPermission, yes: boolean) => (yes ? room.grant(id, permission) : room.revoke(id, permission))

/** What everybody may do who was not decided for. */
export const allowAll = (room: Room, permission: 'send' | 'receive', yes: boolean) => room.setDefault(permission, yes)

/** Characters on the wire a message may have; null goes back to the room’s own. */
export const limit = (room: Room, characters: number | null, id?: string) => room.limit(characters, id)

/** Who is removed may come back, who is blocked may not. */
export const remove = (room: Room, id: string) => room.remove(id)
export const block = (room: Room, id: string) => room.block(id)
export const unblock = (room: Room, id: string) => room.unblock(id)
