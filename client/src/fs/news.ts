import type { Listener } from './volume.ts'

/** Messages to everybody of the origin who listens under one name, this tab among them. */
export interface Broadcast<T> {
  tell(message: T): void
  /** Answers the end of the subscription. */
  listen(listener: (message: T) => void): () => void
}

/** Over a `BroadcastChannel` of this name, which messages survive as clones. */
export function broadcast<T>(name: string): Broadcast<T> {
  const channel = new BroadcastChannel(`deputy:${name}`)
  const listeners = new Set<(message: T) => void>()
  const told = (message: T): void => {
    for (const listener of [...listeners]) listener(message)
  }
  channel.addEventListener('message', ({ data }: MessageEvent<T>) => told(data))
  return {
    tell: message => {
      channel.postMessage(message)
      told(message)
    },
    listen: listener => {
      // The same function may listen twice.
      const own = (message: T): void => listener(message)
      listeners.add(own)
      return () => void listeners.delete(own)
    },
  }
}

/** Changes of a volume, told in this tab and in the others of the origin. */
export interface News {
  tell(path: string, event: 'rename' | 'change'): void
  /** Answers the end of the subscription. */
  listen(listener: Listener): () => void
}

/** News over broadcast messages. */
export const newsOver = ({ tell, listen }: Broadcast<readonly [string, 'rename' | 'change']>): News => ({
  tell: (path, event) => tell([path, event]),
  listen: listener => listen(([path, event]) => listener(path, event)),
})
