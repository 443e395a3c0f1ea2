/** Runs `work` on each item, at most `limit` at a time, in order of the list. Rejects with the first rejection, once the others that run have ended. */
export async function concurrently<T>(items: readonly T[], limit: number, work: (item: T) => Promise<void>): Promise<void> {
  const waiting = items.values()
  const worker = async () => {
    for (const item of waiting) await work(item)
  }
  const ended = await Promise.allSettled(Array.from({ length: limit }, worker))
  for (const end of ended) if (end.status === 'rejected') throw end.reason
}
