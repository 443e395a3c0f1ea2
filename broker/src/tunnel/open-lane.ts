import { postText } from '@deputy/channel'

/** Over HTTP/1.1 a browser has six connections to a host for all frames of one site, and the others have calls to make. */
const places = ['deputy lane 1', 'deputy lane 2']

/** Keeps a place until `signal` fires; answers whether there was one. */
function place(name: string, signal: AbortSignal): Promise<boolean> {
  return new Promise(resolve => {
    const hold = (lock: Lock | null): Promise<void> | undefined => {
      resolve(lock !== null)
      return lock === null ? undefined : new Promise(over => signal.addEventListener('abort', () => over(), { once: true }))
    }
    navigator.locks.request(name, { ifAvailable: true }, hold).catch(() => resolve(false))
  })
}

/**
 * Opens a lane of a session at a node, while the frames of this site have fewer than two; its place is free again once `signal` fires.
 * @throws where there is no place, or the node cannot be reached.
 */
export async function openLane(url: string, ticket: string, signal: AbortSignal): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  let isPlaced = !('locks' in navigator)
  for (const name of places) isPlaced ||= await place(name, signal)
  if (!isPlaced) throw new Error('all places are taken')
  const answer = await postText((...request) => fetch(...request), url, ticket, 200, signal)
  if (answer === undefined || answer.body === null) throw new Error('there is no such lane')
  return answer.body
}
