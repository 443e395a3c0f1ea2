/**
 * Resolves when the process is told to stop, or the signal aborts. A second signal of the operating system ends the process at
 * once, whatever is in flight.
 */
export function stopped(signal: AbortSignal | undefined): Promise<void> {
  return new Promise(resolve => {
    if (signal !== undefined) {
      if (signal.aborted) resolve()
      else signal.addEventListener('abort', () => resolve(), { once: true })
      return
    }
    let told = false
    const tell = (): void => {
      if (told) process.exit(1)
      told = true
      resolve()
    }
    process.on('SIGINT', tell).on('SIGTERM', tell)
  })
}
