import { isRefusal } from '@deputy/contract/refusals'
import type { Fail } from '@deputy/contract/shape'
import { RemoteError } from './errors.ts'

/** A body that comes over a connection of its own. */
export interface BodyApart {
  /** Where the ticket is exchanged for it. */
  readonly from: string
  /** Good once. */
  readonly ticket: string
  /** Its bytes, where they are known before. */
  readonly length: number | null
  /** How many bytes it had once all of it was sent, or why it was not. */
  readonly over: Promise<{ readonly bytes: number } | Fail>
}

/** How long the word why a body broke may be behind the break, in ms. */
const behind = 2000
const broken: Fail = { error: 'ECONNRESET', message: 'cloud: the connection was reset' }

/** Posts a text as no browser asks leave for first: undefined where that cannot be done here, or somebody else answered. */
export async function postText(load: typeof fetch, url: string, text: string, status: number, signal?: AbortSignal): Promise<Response | undefined> {
  try {
    const answer = await load(url, {
      method: 'POST',
      body: text,
      credentials: 'omit',
      redirect: 'error',
      referrerPolicy: 'no-referrer',
      ...(signal === undefined ? {} : { signal }),
    })
    // What a service worker made up has another type.
    return answer.status === status && answer.type !== 'default' ? answer : undefined
  } catch {
    return undefined
  }
}

/** Whether this realm may talk to the place: its policy, an extension or a service worker may forbid it. Nothing is used up by asking. */
export const reaches = async (load: typeof fetch, from: string): Promise<boolean> => (await postText(load, from, '', 204)) !== undefined

/**
 * Exchanges the ticket and reads the body, which ends when all of it is there and fails with a code in every other case, also where the browser would take a
 * broken connection for the end. Undefined where nothing of it could be read here.
 */
export async function readApart({ from, ticket, length, over }: BodyApart, load: typeof fetch): Promise<ReadableStream<Uint8Array<ArrayBuffer>> | undefined> {
  const left = new AbortController()
  let failed: Fail | undefined
  const ended = over
    // The other side of the channel is gone, and with it the session.
    .catch((error: Error): Fail => ({ error: 'ETUNNEL', message: error.message }))
    .then(end => {
      if (!isRefusal(end)) return end.bytes
      failed = end
      left.abort()
      return null
    })
  const body = (await postText(load, from, ticket, 200, left.signal))?.body
  if (body === undefined || body === null) return failed && failing(failed)
  const reader = body.getReader()
  let bytes = 0
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      pull: async controller => {
        const { done, value } = await reader.read().catch(() => why())
        if (!done) {
          bytes += value.byteLength
          return controller.enqueue(value)
        }
        if (bytes !== (length ?? (await ended))) return why()
        controller.close()
      },
      cancel: reason => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )

  /** What a browser says of a connection that broke names no reason. */
  async function why(): Promise<never> {
    await Promise.race([ended, new Promise(resolve => setTimeout(resolve, failed === undefined ? behind : 0))])
    throw errorOf(failed ?? broken)
  }
}

/** A body of which nothing came. */
export const failing = (why: Fail = broken): ReadableStream<Uint8Array<ArrayBuffer>> =>
  new ReadableStream({ start: controller => controller.error(errorOf(why)) })

const errorOf = ({ error, message }: Fail): RemoteError => new RemoteError('Error', message, error)
