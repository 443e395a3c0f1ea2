import type { RoomEvent } from '@deputy/contract/room-events'
import type { WireEvent } from '@deputy/contract/room-wire'
import type { Messages } from './messages.ts'
import { memberOf, type Roster } from './roster.ts'
import type { RoomState } from './state.ts'

/** What an event changes, and who is told of it. */
export interface HappeningNeeds {
  /** The member id of the seat. */
  readonly own: string
  readonly roster: Roster
  readonly messages: Messages
  readonly change: (state: Partial<RoomState>) => void
  readonly tell: (event: RoomEvent) => void
}

/** Takes an event of the wire: what is believed of it changes what is known, and is told. */
export function happeningOf({ own, roster, messages, change, tell }: HappeningNeeds): (event: WireEvent, isCatchingUp: boolean) => Promise<void> {
  return async (event, isCatchingUp) => {
    switch (event.type) {
      case 'skip':
        return
      case 'message': {
        const message = await messages.arrived(event.message, isCatchingUp)
        if (message !== null) tell({ type: 'message', message, replayed: false })
        return
      }
      case 'edited': {
        const message = await messages.changed(event.message)
        if (message !== null) tell({ type: 'edited', message })
        return
      }
      case 'joined': {
        const believed = await roster.learn([{ id: event.member.id, credential: event.credential }])
        if (!believed.has(event.member.id)) return
        const member = memberOf(event.member)
        if (member.id !== own && !roster.present.has(member.id)) messages.begin(member.id)
        roster.present.set(member.id, member)
        return tell({ type: 'joined', member })
      }
      case 'left':
        return void (roster.present.delete(event.id) && tell(event))
      case 'permissions': {
        const { id, maxMessageBytes, permissions } = event
        const member = { id, maxMessageBytes, permissions }
        if (id === own) change({ self: member })
        if (!roster.present.has(id)) return
        roster.present.set(id, member)
        return tell(event)
      }
      case 'defaults':
        change({ defaults: event.defaults })
        return tell(event)
      case 'claim': {
        const { claimed, owner } = event
        const mailbox = claimed && event.mailbox
        change({ claimed, owner, mailbox, ...(mailbox ? {} : { usage: null }) })
        return tell({ type: 'claim', claimed, mailbox, owner })
      }
      case 'deleted':
        return tell(event)
    }
  }
}
