import { refuse } from '@deputy/contract/refusals'
import type { RoomsFail } from '@deputy/contract/room-types'
import { roomsRefusals } from '@deputy/contract/rooms-refusals'

/** A refusal of the contract's table, as data. */
export const refused = (name: keyof typeof roomsRefusals): RoomsFail => refuse(roomsRefusals[name])
