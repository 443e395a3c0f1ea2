import { integer, object, string, type Received } from '@deputy/contract/shape'
import { fits } from '@deputy/contract/validate'

const record = /* @__PURE__ */ object({
  /** Makes the member's key pair again. */
  seed: string({ min: 43, max: 43 }),
  /** Of the room key the seat was taken with. */
  verifier: string({ min: 43, max: 43 }),
  token: string({ min: 43, max: 43 }),
  /** Messages sent from the seat. */
  counter: integer(),
  epoch: integer(),
  n: integer(),
  seq: integer(),
})
/** What takes a seat again after a reload. */
export type SeatRecord = Received<typeof record>

/** One place in the tab's storage for a seat, taken by one document at a time: a duplicated tab does not get it. */
export interface SeatPlace {
  /** The record a document before this one left here. */
  readonly left: SeatRecord | null
  keep(record: SeatRecord): void
  /** The seat is over. */
  clear(): void
}

const lockMs = 1000

/** The places of one tab; `storage` is its sessionStorage, undefined where the browser denies it. */
export function seatPlaces(storage: Storage | undefined, app: string): (room: string) => Promise<SeatPlace> {
  const taken = new Set<string>()
  return async room => {
    let slot = 0
    while (taken.has(`${room} ${slot}`)) slot += 1
    const own = `${room} ${slot}`
    taken.add(own)
    const key = `deputy/seat/${app} ${own}`
    const found = read(storage, key)
    const left = found !== null && (await lock(`deputy/seat/${found.token}`)) ? found : null
    let held = left?.token
    return {
      left,
      keep: next => {
        // Each token has its lock, so that a copy of this storage finds the newest one taken.
        if (next.token !== held) void lock(`deputy/seat/${(held = next.token)}`)
        write(storage, key, JSON.stringify(next))
      },
      clear: () => {
        taken.delete(own)
        write(storage, key, null)
      },
    }
  }
}

function read(storage: Storage | undefined, key: string): SeatRecord | null {
  try {
    const value: unknown = JSON.parse(storage?.getItem(key) ?? 'null')
    return fits(record, value) ? (value as SeatRecord) : null
  } catch {
    return null
  }
}

function write(storage: Storage | undefined, key: string, text: string | null): void {
  try {
    if (text === null) storage?.removeItem(key)
    else storage?.setItem(key, text)
  } catch {
    // A full or denied storage costs the seat its return after a reload, and nothing else.
  }
}

/** Holds the name until this document goes; false when another one holds it. */
function lock(name: string): Promise<boolean> {
  return new Promise(resolve => {
    const locks = (globalThis.navigator as Navigator | undefined)?.locks
    if (locks === undefined) return resolve(true)
    locks
      .request(name, { signal: AbortSignal.timeout(lockMs) }, () => {
        resolve(true)
        return new Promise(() => {})
      })
      // Refused in time is another document; refused at once is a browser that denies locks.
      .catch((error: unknown) => resolve(!(error instanceof DOMException && error.name === 'TimeoutError')))
  })
}
