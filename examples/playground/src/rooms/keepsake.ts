import { personIn, type Person } from './words.ts'

/** What this tab remembers of a room across a reload; no text is among it. */
export interface Keepsake {
  /** Highest seq the person has seen. */
  readonly seen: number
  /** Ids of the seats the person had. */
  readonly ids: readonly string[]
}

const keyOf = (invite: string): string => `room ${invite.slice(invite.indexOf('.') + 1)}`
const untilKeyOf = (roomId: string): string => `claim ${roomId}`

/** Reads what the tab remembers of the room. */
export function keepsakeOf(invite: string): Keepsake {
  const kept = read(() => sessionStorage, keyOf(invite)) as Partial<Keepsake> | null
  return { seen: typeof kept?.seen === 'number' ? kept.seen : 0, ids: Array.isArray(kept?.ids) ? kept.ids.filter(id => typeof id === 'string') : [] }
}

/** Remembers it. */
export const keep = (invite: string, keepsake: Keepsake): void => write(() => sessionStorage, keyOf(invite), keepsake)

/** The name and colour the person last took. */
export const ownPerson = (): Person | null => personIn((read(() => localStorage, 'person') ?? {}) as Record<string, unknown>)
export const keepOwnPerson = (person: Person): void => write(() => localStorage, 'person', person)

/** When a claim this browser made ends, in epoch ms; null when it does not or is not known. The room itself does not tell. */
export function claimEnd(roomId: string): number | null {
  const until = read(() => localStorage, untilKeyOf(roomId))
  return typeof until === 'number' ? until : null
}
export const keepClaimEnd = (roomId: string, until: number | null): void => write(() => localStorage, untilKeyOf(roomId), until)

function read(storage: () => Storage, key: string): unknown {
  try {
    return JSON.parse(storage().getItem(key) ?? 'null')
  } catch {
    return null
  }
}

function write(storage: () => Storage, key: string, value: unknown): void {
  try {
    storage().setItem(key, JSON.stringify(value))
  } catch {
    // A browser that keeps nothing forgets with the page.
  }
}
