import { EventEmitter } from 'events'

/** Whether the rejections of listeners are captured everywhere. */
export const isCapturing = (): boolean => (EventEmitter as { captureRejections?: boolean }).captureRejections === true

/** Emits an event; a listener whose promise fails is told of. */
export function emitCapturing(emitter: EventEmitter, name: string | symbol, of: readonly unknown[], failed: (error: Error) => void): boolean {
  const listeners = emitter.rawListeners(name)
  for (const listener of listeners) {
    const promised = Reflect.apply(listener, emitter, of) as { then?: (done: undefined, failed: (error: Error) => void) => void } | undefined
    if (typeof promised?.then === 'function') promised.then(undefined, failed)
  }
  return listeners.length > 0
}
