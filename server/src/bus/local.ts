import type { Bus, Responder } from './bus.ts'

/** The bus of a single process. `fail` hears of a listener that throws; the others still get the message. */
export function localBus(fail: (error: unknown) => void): Bus {
  const listeners = new Map<string, Set<(message: unknown) => void>>()
  const responders = new Map<string, Responder>()
  let open = true
  const deliver = (subject: string, message: unknown): void => {
    for (const listener of [...(listeners.get(subject) ?? [])]) {
      if (!open || !listeners.get(subject)?.has(listener)) continue
      try {
        // A copy for each, as between processes: no receiver sees what another did to it.
        listener(structuredClone(message))
      } catch (error) {
        fail(error)
      }
    }
  }
  return {
    publish: async (subject, message) => {
      if (!open) throw new Error('the bus is closed')
      const sent = structuredClone(message)
      queueMicrotask(() => deliver(subject, sent))
    },
    subscribe: (subject, listener) => {
      const own = (message: unknown): void => listener(message)
      const set = listeners.get(subject) ?? new Set()
      listeners.set(subject, set.add(own))
      return () => {
        set.delete(own)
        if (set.size === 0 && listeners.get(subject) === set) listeners.delete(subject)
      }
    },
    respond: (subject, responder) => {
      if (responders.has(subject)) throw new Error(`${subject} is already answered`)
      responders.set(subject, responder)
      return () => {
        if (responders.get(subject) === responder) responders.delete(subject)
      }
    },
    request: async (subject, message) => {
      if (!open) throw new Error('the bus is closed')
      const responder = responders.get(subject)
      if (responder === undefined) throw new Error(`nobody answers ${subject}`)
      return structuredClone(await responder(structuredClone(message)))
    },
    close: async () => {
      open = false
      listeners.clear()
      responders.clear()
    },
  }
}
