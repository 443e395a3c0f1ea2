import { ChannelError } from '@deputy/channel'
import { isRoomName, parseRoomId, RANDOM_ROOM_NAME_LENGTH, roomId, roomScope, GLOBAL_SCOPE } from '@deputy/contract/identity'
import type { RoomsFail } from '@deputy/contract/room-types'
import { ROOMS_PATH } from '@deputy/contract/room-wire'
import type { rooms } from '@deputy/contract/rooms'
import type { Served } from '@deputy/contract/shape'
import type { SiteConfig } from '@deputy/contract/site-config'
import { mintRoomKey, parseRoomInvite, SealError } from '@deputy/seal'
import type { AppIdentity } from '../app-identity.ts'
import { wait } from '../api/api.ts'
import { fromBase64url, toBase64url } from '../base64url.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { Store } from '../store/store.ts'
import { claimsOf, type ClaimsNeeds } from './claims.ts'
import { handleOf, type ServedRoom } from './handle.ts'
import { openLine, type Asking, type Line } from './line.ts'
import { refused } from './refused.ts'
import { seatPlaces } from './seat-records.ts'
import { takeSeat } from './take-seat.ts'

/** What the namespace needs of its neighbours. */
export interface RoomsNeeds extends Pick<ClaimsNeeds, 'prompts' | 'openSettings'> {
  readonly app: AppIdentity
  readonly site: () => Promise<SiteConfig | null>
  readonly sessions: Pick<Sessions, 'acting' | 'current' | 'onChange'>
  readonly store: Store
  /** The tab's sessionStorage; undefined where the browser denies it. */
  readonly tab: Storage | undefined
  /** Says when the page is put away and comes back. */
  readonly page?: Pick<Window, 'addEventListener'>
  readonly warn?: (words: string) => void
  /** Milliseconds before the `nth` try to reach the service again. */
  readonly pause?: (nth: number) => number
}

interface Opening {
  readonly room: string
  readonly key: string
  readonly create?: Asking<'join'>['create']
  readonly signal?: AbortSignal | undefined
}

const patience = 3500
const deviceKey = 'rooms/device'

/** The `rooms` namespace for one app. Refusals are data. */
export function roomsService(needs: RoomsNeeds): Served<typeof rooms> {
  const { app, site, sessions, store, tab, page, warn = words => console.warn(words), pause } = needs
  const claims = claimsOf(needs)
  const scope = roomScope(app.id)
  const placeFor = seatPlaces(tab, app.id)
  const lines = new Set<Line>()
  const reserved = new Map<Line, Set<string>>()

  const device = async (): Promise<string> =>
    (await store.update(deviceKey, kept => (typeof kept === 'string' && kept.length === 43 ? kept : random(32)))) as string

  /** A line that has no seat in the room: one socket carries one seat of each. */
  const lineFor = (room: string): Line => {
    for (const line of lines) if (!line.seats.has(room) && !reserved.get(line)?.has(room)) return line
    const line = openLine({
      url: async () => {
        const config = await site()
        return config === null ? null : config.api.replace(/^http/, 'ws') + ROOMS_PATH
      },
      hello: async () => {
        const [session, own] = await Promise.all([sessions.acting(), device()])
        return { app: app.id, device: own, ...(session === null ? {} : { token: session.token }) }
      },
      idle: () => {
        if (line.seats.size === 0 && reserved.get(line)?.size === 0) lines.delete(line)
      },
      ...(pause === undefined ? {} : { pause }),
    })
    lines.add(line)
    reserved.set(line, new Set())
    return line
  }
  // A page that is only put away would keep its seats for as long as the browser keeps it.
  page?.addEventListener('pagehide', () => {
    for (const line of lines) line.sleep()
  })
  page?.addEventListener('pageshow', () => {
    for (const line of lines) line.wake()
  })
  sessions.onChange(() => {
    void sessions.current().then(session => {
      for (const line of lines) line.session(session?.token ?? null)
    })
  })

  const enter = async ({ room, key, create, signal }: Opening): Promise<ServedRoom | RoomsFail> => {
    if (signal?.aborted) return refused('closed')
    const line = lineFor(room)
    const taken = reserved.get(line)
    taken?.add(room)
    try {
      const place = await placeFor(room)
      const seat = await takeSeat({ room, key, line, place, warn, ...(create === undefined ? {} : { create }) })
      if ('error' in seat) {
        place.clear()
        return seat
      }
      if (signal?.aborted) {
        seat.leave()
        return refused('closed')
      }
      const leave = (): void => {
        // A page that reloads has not asked to leave; its handle is let go of as well, and lingers.
        if (!(signal?.reason instanceof ChannelError)) seat.leave()
      }
      signal?.addEventListener('abort', leave)
      void seat.closed.then(() => signal?.removeEventListener('abort', leave))
      return handleOf(seat, key, claims)
    } finally {
      taken?.delete(room)
    }
  }

  const open = async (room: string, options: Parameters<Served<typeof rooms>['open']>[1] = {}): Promise<ServedRoom | RoomsFail> => {
    const { key = mintRoomKey(), members, defaults, signal } = options
    const { maxMessageBytes } = defaults ?? {}
    if (typeof key !== 'string' || fromBase64url(key)?.length !== 32) return refused('malformed')
    if (!isCount(members) || !isCount(maxMessageBytes)) return refused('malformed')
    const create = {
      ...(members === undefined ? {} : { members }),
      ...(defaults === undefined ? {} : { defaults: { ...defaults, maxMessageBytes } }),
    }
    return enter({ room, key, create, signal })
  }

  return {
    available: async () => {
      const line = [...lines][0] ?? lineFor('')
      return (await Promise.race([line.live(), wait(patience)])) instanceof Object
    },
    create: options => open(roomId(scope, random((RANDOM_ROOM_NAME_LENGTH * 6) >> 3)), options),
    open: async (name, options) => {
      const global = `${GLOBAL_SCOPE}/`
      if (name.startsWith(global) && isRoomName(name.slice(global.length))) return open(name, options)
      return isRoomName(name) ? open(roomId(scope, name), options) : refused('badName')
    },
    join: async (invite, { signal } = {}) => {
      const { key, id } = invited(invite)
      return parseRoomId(id) === null ? refused('badInvite') : enter({ room: id, key, signal })
    },
  }
}

function invited(invite: string): { readonly key: string; readonly id: string } {
  try {
    return parseRoomInvite(invite)
  } catch (error) {
    if (error instanceof SealError) return { key: '', id: '' }
    throw error
  }
}

const isCount = (value: unknown): value is number | undefined => value === undefined || (typeof value === 'number' && Number.isFinite(value))

const random = (length: number): string => toBase64url(crypto.getRandomValues(new Uint8Array(length)))
