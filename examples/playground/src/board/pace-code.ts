/** What has gathered since the last message: the newest place of the cursor, and the points drawn. */
export interface Gathered {
  /** Null once the cursor has left the board. */
  at?: readonly [x: number, y: number] | null
  /** Points of strokes by stroke: x, y, x, y… */
  pens?: Record<string, number[]>
}

/** A room takes 20 messages a second of a member: this leaves room for more than moves. */
const everyMs = 80
const slowerMs = 500

/**
 * Gathers moves and sends at most one message every 80 ms, and none before the last one was answered: a slow connection gets fewer,
 * longer messages. `send` answers whether the message was taken; one that was not goes again, later.
 */
export function paced(send: (words: object) => Promise<boolean>, wait = (ms: number) => new Promise<void>(done => void setTimeout(done, ms))) {
  let gathered: Gathered = {}
  const others: object[] = []
  let isRunning = false

  const take = (): object | undefined => {
    if (Object.keys(gathered).length === 0) return others.shift()
    const words = gathered
    gathered = {}
    return words
  }
  const run = async () => {
    if (isRunning) return
    isRunning = true
    for (let words = take(); words !== undefined; words = take()) {
      while (true) {
        const [wasTaken] = await Promise.all([send(words), wait(everyMs)])
        if (wasTaken) break
        await wait(slowerMs)
      }
    }
    isRunning = false
  }

  return {
    move(at: readonly [x: number, y: number] | null) {
      gathered.at = at
      void run()
    },
    draw(stroke: string, x: number, y: number) {
      const pens = (gathered.pens ??= {})
      ;(pens[stroke] ??= []).push(x, y)
      gathered.at = [x, y]
      void run()
    },
    say(words: object) {
      others.push(words)
      void run()
    },
  }
}
