import type { RoomEvent } from '@deputy/contract/room-events'
import type { RoomBacklog, RoomEnd, RoomMember, RoomsFail } from '@deputy/contract/room-types'
import type { RoomAnswer } from '@deputy/contract/room-wire'
import type { RoomSeat, SealedRoom } from '@deputy/seal'
import { audienceOf, type Audience } from './audience.ts'
import { happeningOf } from './happenings.ts'
import { isNo, type Asking, type Line, type Live, type RequestName, type RoomNews } from './line.ts'
import { messagesOf, type Messages } from './messages.ts'
import { refused } from './refused.ts'
import { requestsOf } from './requests.ts'
import { memberOf, rosterOf } from './roster.ts'
import type { SeatPlace } from './seat-records.ts'
import { changesBetween, memberChanges, stateOf, type RoomState } from './state.ts'
import { turnsOf } from './turns.ts'

/** Asks the room something. */
export type Ask = <T extends RequestName>(request: Asking<T>) => Promise<RoomAnswer<T> | RoomsFail>

/** A seat this frame holds in a room, across the sockets that come and go under it. */
export interface Seat {
  readonly id: string
  readonly state: RoomState
  readonly audience: Audience
  readonly messages: Messages
  readonly closed: Promise<RoomEnd>
  /** Asks the room; the answer comes after the events before it were told. */
  readonly ask: Ask
  /** A page of the mailbox, told as events before it is answered. */
  backlog(after: number, limit: number | undefined): Promise<RoomBacklog | RoomsFail>
  /** The members whose credentials hold. */
  members(): Promise<RoomMember[] | RoomsFail>
  /** Seals and sends under the next number. */
  send(text: string): Promise<RoomAnswer<'send'> | RoomsFail>
  /** Calls whenever a claim refused for the account's room limit is worth repeating. Answers the end of it. */
  whenFreed(listener: () => void): () => void
  leave(): void
}

/** What a seat is made of once it was taken. */
export interface SeatTaken {
  readonly room: string
  readonly sealed: SealedRoom
  readonly own: RoomSeat
  readonly line: Line
  readonly place: SeatPlace
  readonly counter: number
  readonly answer: RoomAnswer<'join'> | RoomAnswer<'resume'>
  /** Where the seat's last document stopped reading, when there was one. */
  readonly from?: { readonly epoch: number; readonly n: number; readonly seq: number } | undefined
  /** The socket the seat was taken on. */
  readonly live: Live
  readonly warn: (words: string) => void
}

/** Requests and frames that may wait before the room is given up. */
const WAITING = 4096
/** Breaches of the protocol in a minute before the room is given up. */
const BREACHES = 5

/** Keeps a seat that has just been taken. */
export function keepSeat(taken: SeatTaken): Seat {
  const { room, sealed, own, line, place } = taken
  const warn = (what: string): void => taken.warn(`deputy: room ${room}: ${what}`)
  const audience = audienceOf()
  const roster = rosterOf(sealed, warn)
  const requests = requestsOf(WAITING)
  const breaches: number[] = []
  let state = stateOf(taken.answer)
  let { token } = taken.answer
  let counter = taken.counter
  // What was received, and what of it was told: the second is where a reload goes on.
  let at = taken.from ?? { epoch: taken.answer.epoch, n: taken.answer.n, seq: taken.answer.seq }
  let told = at
  let catching = false
  let giveUp: ReturnType<typeof setTimeout> | undefined
  let end: RoomEnd | undefined
  let settle: (end: RoomEnd) => void
  const closed = new Promise<RoomEnd>(resolve => (settle = resolve))

  const remember = (): void => {
    if (end === undefined) place.keep({ seed: own.seed, verifier: sealed.verifier, token, counter, ...told })
  }
  let remembering: ReturnType<typeof setTimeout> | undefined
  const rememberSoon = (): void => {
    remembering ??= setTimeout(() => {
      remembering = undefined
      remember()
    }, 100)
  }

  const tell = (event: RoomEvent): void => {
    if (end === undefined) audience.tell(event)
  }

  // One thing after another: events are told in their order, and answers between them.
  let sealing: Promise<unknown> = Promise.resolve()
  const enqueue = turnsOf({
    most: WAITING,
    full: () => finish({ reason: 'unavailable' }),
    failed: () => warn('something could not be read, and is left out'),
  })
  const finish = (reason: RoomEnd): void => {
    if (end !== undefined) return
    end = reason
    clearTimeout(giveUp)
    clearTimeout(remembering)
    detach()
    place.clear()
    page()?.removeEventListener('pagehide', remember)
    requests.end(refused(reason.reason === 'unavailable' ? 'unavailable' : 'closed'))
    settle(reason)
  }

  const breach = (): void => {
    const now = Date.now()
    breaches.push(now)
    while ((breaches[0] ?? now) < now - 60_000) breaches.shift()
    if (breaches.length >= BREACHES) finish({ reason: 'unavailable' })
    else requests.live?.drop()
  }

  const ask: Ask = asking => new Promise(resolve => requests.ask(asking, answer => enqueue(() => resolve(answer))))
  const askNow: Ask = asking => new Promise(resolve => requests.ask(asking, resolve))

  const readMembers = async (): Promise<RoomMember[] | RoomsFail> => {
    const answer = await askNow({ type: 'members', room })
    if (isNo(answer)) return answer
    const believed = await roster.learn(answer.members)
    return answer.members.filter(({ id }) => believed.has(id)).map(memberOf)
  }
  const catchUpWith = (members: readonly RoomMember[], isNew: boolean): void => {
    if (!isNew) for (const event of memberChanges(roster.present, members)) tell(event)
    roster.present.clear()
    for (const member of members) roster.present.set(member.id, member)
  }
  const reconcile = (isNew = false): void =>
    enqueue(async () => {
      const members = await readMembers()
      if (!isNo(members)) catchUpWith(members, isNew)
    })

  const messages = messagesOf({ room, sealed, own, roster, ask, askNow, warn })

  const happen = happeningOf({
    own: own.id,
    roster,
    messages,
    change: parts => {
      state = { ...state, ...parts }
    },
    tell,
  })

  const hear = (news: RoomNews): void => {
    if (end !== undefined) return
    if (news.type === 'end') return enqueue(() => finish({ reason: news.reason }))
    if (news.type === 'lost') return takeAgain()
    if (requests.live === undefined) return
    if (news.type === 'caughtUp') {
      if (!catching) return breach()
      catching = false
      at = { ...at, epoch: news.epoch, n: news.n }
      enqueue(() => {
        told = { ...told, epoch: news.epoch, n: news.n }
        rememberSoon()
      })
      return reconcile()
    }
    // A hole, a repetition or another epoch: what follows would not be the room's order.
    if (news.epoch !== at.epoch || (!catching && news.n !== at.n + 1)) return breach()
    const { event } = news
    const seq = event.type === 'message' ? event.message.seq : at.seq
    if (event.type === 'message' && seq <= at.seq) return breach()
    const place = { epoch: news.epoch, n: catching ? at.n : news.n, seq }
    const isCatchingUp = catching
    at = place
    enqueue(async () => {
      await happen(event, isCatchingUp)
      told = place
      rememberSoon()
    })
  }

  const seated = (answer: RoomAnswer<'resume'>): void => {
    token = answer.token
    if (answer.replay !== 'ring') {
      const next = stateOf(answer)
      catching = answer.replay === 'mailbox'
      at = catching ? { ...at, epoch: answer.epoch } : { epoch: answer.epoch, n: answer.n, seq: Math.max(at.seq, answer.seq) }
      const place = at
      enqueue(() => {
        for (const event of changesBetween(state, next)) tell(event)
        state = next
        told = place
        remember()
      })
      if (!catching) reconcile()
    } else if (answer.epoch !== at.epoch) return breach()
    remember()
  }

  /** Resumes on the socket; what was asked and not answered is asked again under its id. */
  const takeAgain = (on = requests.live): void => {
    requests.pause()
    on?.ask({ type: 'resume', room, token, ...at }, answer => {
      if (end !== undefined) return
      // The end told right before the refusal comes first.
      if (isNo(answer)) return answer.error === 'closed' ? enqueue(() => finish({ reason: 'unavailable' })) : on.drop()
      clearTimeout(giveUp)
      giveUp = undefined
      seated(answer)
      requests.resume(on)
    })
  }

  const detach = line.attach({
    room,
    back: on => takeAgain(on),
    dropped: () => {
      requests.pause()
      // Past the hold and some time to come back in, the seat is surely gone.
      giveUp ??= setTimeout(() => finish({ reason: 'unavailable' }), taken.answer.hold + 10_000)
    },
    hear,
  })
  requests.resume(taken.live)
  if ('replay' in taken.answer) seated(taken.answer)
  else messages.begin(own.id)
  enqueue(() => roster.learn([own]))
  reconcile(true)
  remember()
  page()?.addEventListener('pagehide', remember)

  return {
    id: room,
    get state() {
      return state
    },
    audience,
    messages,
    closed,
    ask,
    members: () => new Promise(resolve => enqueue(async () => resolve(await readMembers()))),
    backlog: (after, limit) =>
      new Promise(resolve => {
        requests.ask({ type: 'backlog', room, after, ...(limit === undefined ? {} : { limit }) }, answer =>
          enqueue(async () => {
            if (isNo(answer)) return resolve(answer)
            for (const message of await messages.page(answer)) tell({ type: 'message', message, replayed: true })
            resolve({ last: answer.last, more: answer.more })
          }),
        )
      }),
    send: text => {
      const number = ++counter
      remember()
      // Sealed one after another, so that they go out in the order of their numbers.
      const next = sealing.then(() => own.seal(text, number))
      sealing = next
      return next.then(async wire => {
        const answer = await ask({ type: 'send', room, text: wire })
        // A refused message takes no number, unless one after it went out already.
        if (isNo(answer) && counter === number) counter -= 1
        return answer
      })
    },
    whenFreed: line.whenFreed,
    leave: () => {
      if (end !== undefined) return
      requests.live?.ask({ type: 'leave', room }, () => {})
      finish({ reason: 'left' })
    },
  }
}

/** The page, in a document. */
const page = (): Window | undefined => (globalThis as { window?: Window }).window
