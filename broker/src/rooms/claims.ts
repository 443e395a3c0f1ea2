import type { RoomsFail } from '@deputy/contract/room-types'
import { roomsRefusals } from '@deputy/contract/rooms-refusals'
import type { AppIdentity } from '../app-identity.ts'
import type { Prompts } from '../prompts.ts'
import { refused } from './refused.ts'
import type { Seat } from './seat.ts'

/** How a claim was answered. */
export type ClaimAnswer = { readonly ok: true } | RoomsFail

/** The claims of one app; past the account's room limit they wait while one card stands for all of them (CLAIM-10). */
export interface Claims {
  /** Asks until the answer is another than that the account has claimed too many rooms, or the person gives up. */
  claim(seat: Pick<Seat, 'closed' | 'whenFreed'>, ask: () => Promise<ClaimAnswer>): Promise<ClaimAnswer>
}

/** What claims need. */
export interface ClaimsNeeds {
  readonly app: AppIdentity
  readonly prompts: Pick<Prompts, 'claimsFull'>
  /** Opens the account's settings at its rooms, or null where the browser blocks it; called inside a click. */
  readonly openSettings: () => Window | null
  /** Milliseconds after which a claim is repeated unasked: what frees it may have gone unheard. */
  readonly patience?: number
}

const isFull = (answer: ClaimAnswer): boolean => 'error' in answer && answer.message === roomsRefusals.tooManyClaims.message

/** No claim waits yet. */
export function claimsOf({ app, prompts, openSettings, patience = 15_000 }: ClaimsNeeds): Claims {
  const waiting = new Set<() => void>()
  let card: AbortController | undefined

  const raise = (): void => {
    if (card !== undefined) return
    const own = new AbortController()
    card = own
    void prompts.claimsFull({ app, open: openSettings, signal: own.signal }).then(() => {
      if (card !== own) return
      card = undefined
      for (const giveUp of [...waiting]) giveUp()
    })
  }
  const lower = (): void => {
    if (waiting.size > 0) return
    card?.abort()
    card = undefined
  }

  return {
    claim: (seat, ask) =>
      new Promise(resolve => {
        let timer: ReturnType<typeof setInterval> | undefined
        let isAsking = false
        let isFreed = false
        let isGivenUp = false
        let isOver = false
        const finish = (answer: ClaimAnswer): void => {
          if (isOver) return
          isOver = true
          silence()
          clearInterval(timer)
          waiting.delete(giveUp)
          lower()
          resolve(answer)
        }
        // What is being asked may be granted: then it is the app's.
        const giveUp = (): void => {
          isGivenUp = true
          if (!isAsking) finish(refused('tooManyClaims'))
        }
        const wait = (): void => {
          waiting.add(giveUp)
          timer ??= setInterval(() => void look(), patience)
          raise()
        }
        const look = async (): Promise<void> => {
          isFreed = true
          if (isAsking) return
          isAsking = true
          while (isFreed && !isOver) {
            isFreed = false
            const answer = await ask()
            if (isGivenUp || !isFull(answer)) finish(answer)
            else if (!isOver && !waiting.has(giveUp)) wait()
          }
          isAsking = false
        }
        const silence = seat.whenFreed(() => void look())
        void seat.closed.then(({ reason }) => finish(refused(reason === 'unavailable' ? 'unavailable' : 'closed')))
        void look()
      }),
  }
}
