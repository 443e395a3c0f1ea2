import { isBelow, parentOf } from './paths.ts'
import type { Volume } from './volume.ts'

/** What `watch` answers: `rename` for what came or went, `change` for new content. */
export interface WatchEvent {
  readonly eventType: 'rename' | 'change'
  /** Relative to what is watched; a watched file's own name. */
  readonly filename: string
}
export interface WatchOptions {
  readonly recursive?: boolean | undefined
  readonly signal?: AbortSignal | undefined
}

/** Changes at and below a path, from the call on, until the signal fires; then it throws the signal's reason. */
export function changesOf(open: () => Volume, path: string, name: string, { recursive = false, signal }: WatchOptions): AsyncGenerator<WatchEvent, void> {
  signal?.throwIfAborted()
  const waiting: WatchEvent[] = []
  let wake = (): void => {}
  const off = open().watch((changed, eventType) => {
    const filename = changed === path ? name : isBelow(changed, path) ? changed.slice(path === '' ? 0 : path.length + 1) : undefined
    if (filename === undefined || (!recursive && isBelow(parentOf(changed), path))) return
    waiting.push({ eventType, filename })
    wake()
  })
  const stop = (): void => wake()
  signal?.addEventListener('abort', stop)
  async function* events(): AsyncGenerator<WatchEvent, void> {
    try {
      for (;;) {
        signal?.throwIfAborted()
        const next = waiting.shift()
        if (next !== undefined) yield next
        else await new Promise<void>(resolve => (wake = resolve))
      }
    } finally {
      signal?.removeEventListener('abort', stop)
      off()
    }
  }
  return events()
}
