interface Waiting<Item, Answer> {
  readonly item: Item
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: unknown) => void
}

/**
 * Does in one run what is asked for in one breath, or while the run before is under way: for work whose cost is in its beginning and
 * its end. `run` answers as many as it was given, in their order; what it fails with all of them are told.
 */
export function gathered<Item, Answer>(run: (items: readonly Item[]) => Promise<readonly Answer[]>): (item: Item) => Promise<Answer> {
  let waiting: Waiting<Item, Answer>[] = []
  let running = false
  const turn = async (): Promise<void> => {
    running = true
    // What is asked for in the same breath comes along.
    await Promise.resolve()
    while (waiting.length > 0) {
      const batch = waiting
      waiting = []
      try {
        const answers = await run(batch.map(({ item }) => item))
        for (const [index, { resolve }] of batch.entries()) resolve(answers[index] as Answer)
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    running = false
  }
  return item =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      if (!running) void turn()
    })
}
