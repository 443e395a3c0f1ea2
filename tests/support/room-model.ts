import type { SealedMessage, WireEvent } from '@deputy/contract/room-wire'

/** A stored message as the model knows it. */
export type Kept = Pick<SealedMessage, 'from' | 'text' | 'by' | 'revision'>

/** What should be true of a room: every event in its order, who is in, and what is stored. */
export interface RoomModel {
  n: number
  seq: number
  readonly log: Map<number, string>
  /** Member ids in the order of joining. */
  readonly seats: Set<string>
  claim: { account: string; mailbox: boolean; expiresAt: number | null } | null
  owner: string
  readonly stored: Map<number, Kept>
}

/** A room that is not there. */
export const emptyModel = (): RoomModel => ({ n: 0, seq: 0, log: new Map(), seats: new Set(), claim: null, owner: '', stored: new Map() })

/** An event in few words: what the model foretells of it. */
export function inWords(event: WireEvent): string {
  switch (event.type) {
    case 'message':
    case 'edited': {
      const { seq, from, by, revision, text } = event.message
      return [event.type, seq, from, by, revision, text].join(' ')
    }
    case 'deleted':
      return `deleted ${event.from} ${event.to}`
    case 'joined':
      return `joined ${event.member.id}`
    case 'left':
      return `left ${event.id} ${event.reason}`
    case 'claim':
      return `claim ${event.claimed} ${event.mailbox} ${event.owner}`
    default:
      return event.type
  }
}

/** Foretells an event. */
export function foretell(model: RoomModel, words: string): void {
  model.n += 1
  model.log.set(model.n, words)
}

const tellClaim = (model: RoomModel): void => foretell(model, `claim ${model.claim !== null} ${model.claim?.mailbox === true} ${model.owner}`)

/** Somebody takes a seat. */
export function modelJoin(model: RoomModel, member: string, account: string): void {
  if (model.seats.size === 0 && model.claim === null) model.owner = member
  model.seats.add(member)
  foretell(model, `joined ${member}`)
  if (model.claim?.account === account && !model.seats.has(model.owner)) {
    model.owner = member
    tellClaim(model)
  }
}

/** Somebody is gone. True when the room is over with it. */
export function modelLeave(model: RoomModel, member: string, reason: string): boolean {
  model.seats.delete(member)
  foretell(model, `left ${member} ${reason}`)
  // A claimed room rests in its rows; who owns it shows again when a seat of the account joins.
  if (model.seats.size === 0) model.owner = ''
  return model.seats.size === 0 && model.claim === null
}

/** A message is answered with its seq. */
export function modelSend(model: RoomModel, from: string, text: string): number {
  model.seq += 1
  if (model.claim?.mailbox === true) model.stored.set(model.seq, { from, text, by: from, revision: 0 })
  foretell(model, `message ${model.seq} ${from} ${from} 0 ${text}`)
  return model.seq
}

/** The claim begins. */
export function modelClaim(model: RoomModel, member: string, claim: NonNullable<RoomModel['claim']>): void {
  model.claim = claim
  model.owner = member
  tellClaim(model)
}

/** The claim is over, or its mailbox is turned. */
export function modelTurn(model: RoomModel, claim: RoomModel['claim']): void {
  model.claim = claim
  model.stored.clear()
  tellClaim(model)
}
