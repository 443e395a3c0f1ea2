import { deleteObject, listObjects } from '@deputy/contract/api-objects'
import type { Served } from '@deputy/contract/shape'
import type { SiteConfig } from '@deputy/contract/site-config'
import type { storage, StorageFail } from '@deputy/contract/storage'
import { wait } from '../api/api.ts'
import type { Session, Sessions } from '../sessions/sessions.ts'
import { objectIdIn } from './object-url.ts'
import { openStored } from './open.ts'
import { isKey, putObject } from './put.ts'
import { aborted, refused, refusedBy } from './refused.ts'
import type { Uploader } from '../transfer/uploader.ts'

/** What the namespace needs of its neighbours. */
export interface StorageNeeds {
  readonly site: () => Promise<SiteConfig | null>
  readonly sessions: Sessions
  /** What a pin says of the account acting now. */
  readonly check: (pin: string) => Promise<{ readonly kind: 'same' | 'nobody' | 'changed' }>
  /** Whether the app's account is connected, answered within 4 s. */
  readonly connected: () => Promise<boolean>
  readonly uploader: Uploader
}

const patience = 3500
const maxLimit = 1000

/** The `storage` namespace for one app. Refusals are data; what the app gave wrong is said before anybody is asked. */
export function storageService({ site, sessions, check, connected, uploader }: StorageNeeds): Served<typeof storage> {
  /** The session the pin was taken under, or the refusal. */
  const pinned = async (pin: string): Promise<Session | StorageFail> => {
    const { kind } = await check(pin)
    if (kind !== 'same') return refused(kind === 'nobody' ? 'needsAccount' : 'accountChanged')
    return (await sessions.acting()) ?? refused('accountChanged')
  }

  return {
    available: async () => {
      const ready = Promise.all([connected(), site().then(config => config !== null && answers(config.cdn))])
      const answer = await Promise.race([ready, wait(patience)])
      return answer !== undefined && answer.every(Boolean)
    },

    put: async (data, { accountPin, ...options }) => {
      const [session, config] = await Promise.all([pinned(accountPin), site()])
      if (!('error' in session) && config !== null) return putObject(data, options, { site: config, session, sessions, uploader })
      if (data instanceof ReadableStream) data.cancel().catch(() => undefined)
      return 'error' in session ? session : refused('unavailable')
    },

    get: async (url, key, options) => {
      const config = await site()
      if (config === null) return refused('unavailable')
      const id = objectIdIn(url, config.cdn)
      if (id === null) return refused('badUrl')
      if (!isKey(key)) return refused('badKey')
      if (options?.signal?.aborted) return aborted
      return openStored(`${config.cdn}/${id}`, id, key, options?.signal)
    },

    list: async ({ accountPin, cursor, limit }) => {
      const session = await pinned(accountPin)
      if ('error' in session) return session
      if (limit !== undefined && !isLimit(limit)) return refused('badLimit')
      if (cursor !== undefined && (typeof cursor !== 'string' || cursor.length > 500)) return refused('badCursor')
      const outcome = await sessions.call(listObjects, { cursor, limit })
      return outcome.kind === 'answer' ? outcome.value : refusedBy(outcome, { invalid: 'badCursor' })
    },

    delete: async (url, { accountPin }) => {
      const session = await pinned(accountPin)
      if ('error' in session) return session
      const config = await site()
      if (config === null) return refused('unavailable')
      const id = objectIdIn(url, config.cdn)
      if (id === null) return refused('badUrl')
      const outcome = await sessions.call(deleteObject, { id }, { repeatable: true })
      return outcome.kind === 'answer' ? { ok: true } : refusedBy(outcome, { denied: 'notCreator', 'not-found': 'notFound' })
    },
  }
}

const isLimit = (limit: unknown): limit is number => typeof limit === 'number' && Number.isInteger(limit) && limit >= 1 && limit <= maxLimit

/** Whether the origin that serves sealed bytes answers at all. */
async function answers(cdn: string): Promise<boolean> {
  try {
    const answer = await fetch(`${cdn}/`, { method: 'HEAD', credentials: 'omit', cache: 'no-store', signal: AbortSignal.timeout(patience) })
    return answer.status < 500
  } catch {
    return false
  }
}
