import type { RoomsFail } from '@deputy/contract/room-types'
import { roomProof, type RoomAnswer } from '@deputy/contract/room-wire'
import { openSealedRoom, SealError } from '@deputy/seal'
import { wait } from '../api/api.ts'
import { isNo, type Asking, type Line, type Live } from './line.ts'
import { refused } from './refused.ts'
import { keepSeat, type Seat } from './seat.ts'
import type { SeatPlace } from './seat-records.ts'

/** What taking a seat needs. */
export interface TakeSeatNeeds {
  readonly room: string
  readonly key: string
  /** Present where the room comes into being when nothing is there. */
  readonly create?: Asking<'join'>['create']
  readonly line: Line
  readonly place: SeatPlace
  readonly warn: (words: string) => void
}

/** How often a service out of reach is tried. */
const TRIES = 2
const silenceMs = 20_000

/** Takes the seat this tab's last document left, or a new one. */
export async function takeSeat(needs: TakeSeatNeeds): Promise<Seat | RoomsFail> {
  const { place, line, room, create } = needs
  const sealed = await openSealedRoom(needs.key, room).catch((error: unknown) => {
    if (error instanceof SealError) return null
    throw error
  })
  if (sealed === null) return refused('malformed')
  for (let left = TRIES; left > 0; left -= 1) {
    const live = await line.live()
    if (live === null) continue
    const before = place.left?.verifier === sealed.verifier ? place.left : null
    const own = await sealed.takeSeat(before?.seed)
    if (before !== null) {
      const { token, epoch, n, seq, counter } = before
      const from = { epoch, n, seq }
      const seat = await asked(live, { type: 'resume', room, token, ...from }, answer => keepSeat({ ...needs, sealed, own, live, answer, counter, from }))
      if (seat === undefined) continue
      if (!isNo(seat)) return seat
    }
    const fresh = before === null ? own : await sealed.takeSeat()
    const { id, publicKey, credential } = fresh
    const signature = await fresh.prove(roomProof(live.challenge, room, id))
    const proof = { verifier: sealed.verifier, member: id, publicKey, signature, credential, ...(create === undefined ? {} : { create }) }
    const seat = await asked(live, { type: 'join', room, ...proof }, answer => keepSeat({ ...needs, sealed, own: fresh, live, answer, counter: 0 }))
    if (seat !== undefined) return seat
  }
  return refused('unavailable')
}

/**
 * Asks for a seat and keeps it the moment it is given, before the frame behind the answer is read. Undefined once the socket is
 * gone or the service is silent.
 */
async function asked<T extends 'join' | 'resume'>(
  live: Live,
  request: Asking<T>,
  keep: (answer: RoomAnswer<T>) => Seat,
): Promise<Seat | RoomsFail | undefined> {
  let isLate = false
  const outcome = new Promise<Seat | RoomsFail>(resolve => {
    live.ask<T>(request, answer => {
      if (isNo(answer)) return resolve(answer)
      const seat = keep(answer)
      if (isLate) seat.leave()
      resolve(seat)
    })
  })
  try {
    return await Promise.race([outcome, live.gone.then(() => undefined), wait(silenceMs).then(() => undefined)])
  } finally {
    isLate = true
  }
}
