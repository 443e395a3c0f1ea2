const here = new Set<string>()

/**
 * Runs the work unless it is already running under this name, in this document or in another of the partition; then nothing
 * is done. Where the browser denies locks only this document counts.
 */
export async function unlessRunning(name: string, work: () => Promise<void>): Promise<void> {
  if (here.has(name)) return
  here.add(name)
  try {
    let entered = false
    const enter = async (lock: Lock | null): Promise<void> => {
      entered = true
      if (lock !== null) await work()
    }
    try {
      await navigator.locks.request(name, { ifAvailable: true }, enter)
    } catch (error) {
      if (entered) throw error
      await work()
    }
  } finally {
    here.delete(name)
  }
}
