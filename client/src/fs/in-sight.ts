import type { CloudCalls } from './cloud-calls.ts'
import { FsError } from './errors.ts'
import type { Broadcast } from './news.ts'

type Question = 'promptConflict' | 'promptAdopt'
/** What tabs tell each other: a question that one of them has, its answer, and that a tab has come into sight. */
export type Asking =
  | { readonly id: string; readonly question: Question; readonly request: unknown }
  | { readonly id: string; readonly answer?: unknown }
  | { readonly seen: true }

/** What the person sees of this tab. */
export interface Sight {
  seen(): boolean
  /** Calls the listener whenever this tab comes into sight. */
  onSeen(listener: () => void): void
}

/**
 * The same calls, but the person is asked in a tab that they see: which tab tells the cloud what is owed is chance. Where none is in
 * sight, a question waits for one; a tab that goes with its card leaves it to the next.
 */
export function inSight(calls: CloudCalls, { tell, listen }: Broadcast<Asking>, { seen, onSeen }: Sight): CloudCalls {
  const ask = (id: string, question: Question, request: unknown): void =>
    void navigator.locks.request(`deputy:fs-ask:${id}`, { ifAvailable: true }, async lock => {
      if (lock === null) return
      const answer = await calls[question](request as never).catch(() => undefined)
      tell({ id, answer })
    })
  listen(told => {
    if ('question' in told && seen()) ask(told.id, told.question, told.request)
  })
  onSeen(() => tell({ seen: true }))
  const asked = <T>(question: Question, request: unknown): Promise<T> =>
    new Promise((resolve, reject) => {
      const id = crypto.randomUUID()
      const offer = (): void => tell({ id, question, request })
      const off = listen(told => {
        if ('seen' in told) offer()
        else if (told.id === id && !('question' in told)) {
          off()
          if (told.answer === undefined) reject(new FsError('UNAVAILABLE'))
          else resolve(told.answer as T)
        }
      })
      offer()
    })
  return { ...calls, promptConflict: request => asked('promptConflict', request), promptAdopt: request => asked('promptAdopt', request) }
}
