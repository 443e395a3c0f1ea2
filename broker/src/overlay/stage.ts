/** What the stage can show: one view at a time. */
export interface Act<View> {
  /** Distinguishes this act from the one before it, also when both look alike. */
  readonly number: number
  readonly view: View
}

/** One card at a time; the others wait their turn, and equal ones are one card that answers all who asked. */
export interface Stage<View> {
  /**
   * Puts a card in the queue, or at its head, and answers what the person said. `refused` is the answer when the signal fires.
   * Cards with the same key are asked once.
   */
  put<Answer>(card: {
    readonly key: string
    readonly view: (finish: (answer: Answer) => void) => View
    readonly refused: Answer
    readonly signal?: AbortSignal
    readonly first?: boolean
  }): Promise<Answer>
  current(): Act<View> | undefined
  /** Calls whenever another card, or none, is to be shown. */
  onChange(listener: () => void): () => void
}

interface Waiting<View> {
  readonly key: string
  readonly act: Act<View>
  readonly answer: Promise<unknown>
}

/** Makes an empty stage. */
export function stageOf<View>(): Stage<View> {
  let queue: Waiting<View>[] = []
  let count = 0
  const listeners = new Set<() => void>()

  const change = (next: Waiting<View>[]): void => {
    const before = queue[0]
    queue = next
    if (before !== queue[0]) for (const listener of listeners) listener()
  }

  return {
    put: <Answer>({
      key,
      view,
      refused,
      signal,
      first,
    }: Parameters<Stage<View>['put']>[0] & { view: (finish: (answer: Answer) => void) => View; refused: Answer }) => {
      const asked = queue.find(waiting => waiting.key === key)
      if (asked !== undefined) return asked.answer as Promise<Answer>
      if (signal?.aborted === true) return Promise.resolve(refused)
      count += 1
      const { promise, resolve } = Promise.withResolvers<Answer>()
      const finish = (answer: Answer): void => {
        signal?.removeEventListener('abort', refuse)
        change(queue.filter(waiting => waiting.answer !== promise))
        resolve(answer)
      }
      const refuse = (): void => finish(refused)
      signal?.addEventListener('abort', refuse)
      const waiting: Waiting<View> = { key, act: { number: count, view: view(finish) }, answer: promise }
      change(first === true ? [waiting, ...queue] : [...queue, waiting])
      return promise
    },
    current: () => queue[0]?.act,
    onChange: listener => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
