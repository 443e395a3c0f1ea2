import type { Meter } from './meter.ts'

/** What an account may use: bytes a second and a day, 0 is unlimited. */
export interface Allowance {
  readonly rate: number
  readonly day: number
  readonly premium: boolean
}
/** Bytes of one app of an account that are not yet written down. */
export interface Use {
  readonly account: string
  readonly app: string
  readonly sent: number
  readonly received: number
}

/** What the meters of a node stand on. */
export interface MeterNeeds {
  /** Epoch milliseconds. */
  readonly now: () => number
  /** Bytes the account has used on that day (epoch days), all nodes together. */
  readonly used: (account: string, day: number) => Promise<number>
  readonly record: (day: number, uses: readonly Use[]) => Promise<void>
}

/** The meters of a node. */
export interface Meters {
  /** The meter of an app of an account; all apps of it share rate and quota. */
  meter(account: string, app: string, allowance: Allowance): Promise<Meter>
  /** More of the account's use was written down by others: what it has used is read anew. */
  refresh(account: string): Promise<void>
  /** Sets what an account that has been metered here may use, and what of it is used. */
  grant(account: string, allowance: Allowance, used: number): void
  /** Bytes the account has used today, what is not yet written down included. */
  usedToday(account: string): Promise<number>
  flush(): Promise<void>
  close(): Promise<void>
}

interface Account {
  allowance: Allowance
  day: number
  used: number
  /** Bytes of `used` that are not written down yet. */
  unwritten: number
  /** Bytes that may pass at once; below zero the account is held back. */
  room: number
  at: number
}

const dayLength = 86_400_000
const flushEvery = 1000
const longest = 5000
/** What an account gets that has used its quota up: connections that stand go on at a crawl. */
const trickle = 16 * 1024

/** Meters that hold an account to its rate and its day, and write down what was used every second. */
export function openMeters({ now, used, record }: MeterNeeds): Meters {
  const accounts = new Map<string, Account>()
  let pending = new Map<string, { account: string; app: string; sent: number; received: number }>()
  let pendingDay = Math.floor(now() / dayLength)
  let writing: Promise<void> = Promise.resolve()

  const over = ({ allowance, used: bytes }: Account): boolean => allowance.day > 0 && bytes >= allowance.day
  const turnDay = (account: Account): void => {
    const today = Math.floor(now() / dayLength)
    if (account.day === today) return
    account.day = today
    account.used = 0
  }
  const spend = (account: Account, bytes: number): number => {
    turnDay(account)
    account.used += bytes
    const rate = over(account) ? trickle : account.allowance.rate
    if (rate === 0) return 0
    const time = now()
    account.room = Math.min(rate, account.room + ((time - account.at) / 1000) * rate) - bytes
    account.at = time
    return account.room >= 0 ? 0 : Math.min(longest, Math.ceil((-account.room / rate) * 1000))
  }

  /** One at a time, so that whatever is read of the use written down holds nothing that is still being written. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = writing.then(work)
    writing = done.then(() => undefined)
    return done
  }
  const flush = (): Promise<void> => {
    const day = pendingDay
    const uses = [...pending.values()]
    pendingDay = Math.floor(now() / dayLength)
    if (uses.length === 0) return writing
    pending = new Map()
    return inTurn(async () => {
      await record(day, uses)
      for (const { account, sent, received } of uses) {
        const known = accounts.get(account)
        if (known !== undefined) known.unwritten -= sent + received
      }
    })
  }
  const timer = setInterval(() => void flush(), flushEvery)
  timer.unref()

  const accountOf = async (name: string, allowance: Allowance): Promise<Account> => {
    const known = accounts.get(name)
    if (known !== undefined) {
      known.allowance = allowance
      return known
    }
    const day = Math.floor(now() / dayLength)
    const bytes = await inTurn(() => used(name, day))
    const fresh = accounts.get(name) ?? { allowance, day, used: bytes, unwritten: 0, room: allowance.rate, at: now() }
    accounts.set(name, fresh)
    return fresh
  }

  return {
    meter: async (name, app, allowance) => {
      const account = await accountOf(name, allowance)
      const key = `${name}\n${app}`
      const note = (direction: 'sent' | 'received', bytes: number): number => {
        let use = pending.get(key)
        if (use === undefined) pending.set(key, (use = { account: name, app, sent: 0, received: 0 }))
        use[direction] += bytes
        account.unwritten += bytes
        return spend(account, bytes)
      }
      return {
        sent: bytes => note('sent', bytes),
        received: bytes => note('received', bytes),
        get spent() {
          turnDay(account)
          return over(account)
        },
      }
    },
    refresh: name =>
      inTurn(async () => {
        const known = accounts.get(name)
        if (known === undefined) return
        turnDay(known)
        known.used = (await used(name, known.day)) + known.unwritten
      }),
    grant: (name, allowance, bytes) => {
      const known = accounts.get(name)
      if (known === undefined) return
      turnDay(known)
      known.allowance = allowance
      known.used = bytes
    },
    usedToday: async name => {
      const known = accounts.get(name)
      if (known === undefined) return used(name, Math.floor(now() / dayLength))
      turnDay(known)
      return known.used
    },
    flush,
    close: async () => {
      clearInterval(timer)
      await flush()
    },
  }
}
