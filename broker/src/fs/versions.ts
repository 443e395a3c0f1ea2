import type { Store } from '../store/store.ts'
import { refusal } from './refused.ts'

/** What a row says of which state of a file it is. */
export interface Told {
  readonly name: string
  readonly version: number
  readonly meta: string
}

/** What this partition has seen of a file: the highest version, and a mark of what was sealed in it. */
interface Seen {
  readonly version: number
  readonly mark: string
}
type Bucket = Readonly<Record<string, Seen>>

/** Remembers the newest state seen of every file, so that an older one served in its place is noticed. */
export interface Versions {
  /** What is known now of one file: take it before asking the service, since what it answers may be overtaken meanwhile. */
  of(account: string, name: string): Promise<Floor>
  ofAll(account: string): Promise<Floor>
  /** Remembers states that were accepted, and were not known before. */
  note(account: string, told: readonly Told[]): Promise<void>
}

/** What was known at one moment. */
export interface Floor {
  /**
   * Passes unless the state is older than one seen, or not the one seen under this version. Answers whether it was not known, and is
   * to be noted. @throws {RemoteError} `integrity`
   */
  accept(told: Told): boolean
}

const markOf = ({ meta }: Told): string => meta.slice(0, 16)

/** Versions of one app's files, in the partition's store. */
export function versionsIn(store: Store, app: string): Versions {
  const prefix = (account: string): string => `file-seen:${account}:${app}:`
  const bucketOf = (account: string, name: string): string => prefix(account) + name.slice(0, 1)
  const floorOf = (find: (name: string) => Seen | undefined): Floor => ({
    accept: told => {
      const seen = find(told.name)
      if (seen === undefined) return true
      const same = seen.mark === markOf(told)
      // The nonce of an entry is random: one version has one, and no two versions have the same.
      if (told.version < seen.version || (told.version === seen.version) !== same) throw refusal('integrity')
      return !same
    },
  })
  return {
    of: async (account, name) => {
      const bucket = (await store.get(bucketOf(account, name))) as Bucket | undefined
      return floorOf(wanted => (bucket !== undefined && Object.hasOwn(bucket, wanted) ? bucket[wanted] : undefined))
    },
    ofAll: async account => {
      const buckets = (await store.entries(prefix(account))) as readonly (readonly [string, Bucket])[]
      const seen = new Map(buckets.flatMap(([, bucket]) => Object.entries(bucket)))
      return floorOf(name => seen.get(name))
    },
    note: async (account, told) => {
      const buckets = Map.groupBy(told, ({ name }) => bucketOf(account, name))
      await Promise.all(
        [...buckets].map(([key, rows]) =>
          store.update(key, value => {
            const bucket: Record<string, Seen> = { ...(value as Bucket | undefined) }
            for (const row of rows) if (row.version > (bucket[row.name]?.version ?? 0)) bucket[row.name] = { version: row.version, mark: markOf(row) }
            return bucket
          }),
        ),
      )
    },
  }
}
