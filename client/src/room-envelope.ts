import type { RoomEvent } from '@deputy/contract/room-events'
import type { RoomMessage } from '@deputy/contract/room-types'

/** Data as JSON carries it. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }

/** What requests and payloads say to each other, before it is a text; read with care, for any member can send one. */
export type Envelope = { readonly kind: string } & { readonly [name: string]: Json }

/** Stands before every envelope; nobody types it. */
const MARK = '\u0000deputy:'

/** Whether a message is the app's own, and not one that carries a request or a part of a payload. */
export const isPlain = ({ text }: Pick<RoomMessage, 'text'>): boolean => !text.startsWith(MARK)

/** Whether an event is a message that carries an envelope. */
export const isCarrier = (event: RoomEvent): boolean => event.type === 'message' && !isPlain(event.message)

/** The text of an envelope. */
export const textOf = (envelope: Envelope): string => MARK + JSON.stringify(envelope)

/** The envelope an event carries and who sent it; undefined for any other event, for what is no envelope, and for stored ones: those were meant for another time. */
export function envelopeOf(event: RoomEvent): { readonly from: string; readonly envelope: Envelope } | undefined {
  if (event.type !== 'message' || event.replayed || isPlain(event.message)) return undefined
  const { from, text } = event.message
  try {
    const envelope = JSON.parse(text.slice(MARK.length)) as Envelope | null
    return typeof envelope?.kind === 'string' ? { from, envelope } : undefined
  } catch {
    return undefined
  }
}
