/** Clears in the background, all that was asked for meanwhile in one go. */
export interface LaterClearing {
  /** Asks for the bytes of these ids to be removed; nobody waits for it. */
  readonly clearSoon: (ids: readonly string[]) => void
  /** Resolves when nothing is left to be removed. */
  idle(): Promise<void>
}

/** A write is answered before the bytes it replaced are gone: the row says already that they are to go. */
export function clearLater(clear: (ids: readonly string[]) => Promise<unknown>, failed: (error: unknown) => void): LaterClearing {
  let asked: string[] = []
  let running: Promise<void> | undefined
  const run = async (): Promise<void> => {
    while (asked.length > 0) {
      const ids = asked
      asked = []
      try {
        await clear(ids)
      } catch (error) {
        failed(error)
      }
    }
    running = undefined
  }
  return {
    clearSoon: ids => {
      asked.push(...ids)
      running ??= run()
    },
    idle: async () => running,
  }
}
