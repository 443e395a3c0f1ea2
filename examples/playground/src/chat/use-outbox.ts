import type { Room } from '@deputy/client/rooms'
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { inWords } from '../rooms/refusals.ts'
import type { Person } from '../rooms/words.ts'

/** A message on its way; `problem` says why it is not. */
export interface Waiting {
  readonly key: number
  readonly text: string
  readonly problem: string | null
}

/** What is on its way to the room. */
export interface Outbox {
  readonly waiting: readonly Waiting[]
  /** Whether something waits for longer than a connection takes. */
  readonly isSlow: boolean
  post(text: string): void
  retry(key: number): void
  discard(key: number): void
}

const slowMs = 2000

/** The words a text is sent in. */
export const wordsOf = (text: string, { name, colour }: Person): string => JSON.stringify({ say: text, name, colour })

/** Messages shown from the press of Enter on; a refused one is kept with the reason until it is sent again or thrown away. */
export function useOutbox(room: Room, person: Person): Outbox {
  const [waiting, setWaiting] = useState<readonly Waiting[]>([])
  const [isSlow, setSlow] = useState(false)
  const keyRef = useRef(0)
  const going = waiting.some(({ problem }) => problem === null)
  useEffect(() => {
    setSlow(false)
    if (!going) return
    const timer = setTimeout(() => setSlow(true), slowMs)
    return () => clearTimeout(timer)
  }, [going])

  const discard = useCallback((key: number) => setWaiting(list => list.filter(one => one.key !== key)), [])
  const send = useCallback(
    async (key: number, text: string) => {
      const change = (problem: string | null) => setWaiting(list => list.map(one => (one.key === key ? { ...one, problem } : one)))
      try {
        change(null)
        await room.send(wordsOf(text, person))
        discard(key)
      } catch (error) {
        change(inWords(error))
      }
    },
    [room, person, discard],
  )
  const post = (text: string) => {
    keyRef.current += 1
    const key = keyRef.current
    setWaiting(list => [...list, { key, text, problem: null }])
    void send(key, text)
  }
  const retry = (key: number) => {
    const found = waiting.find(one => one.key === key)
    if (found !== undefined) void send(key, found.text)
  }
  return { waiting, isSlow, post, retry, discard }
}
