import { ChannelError } from '@deputy/channel'

/** A listener on the far side of a link; told without waiting for it. */
export type FarListener<A extends readonly unknown[]> = (...args: A) => Promise<unknown>

/**
 * Tells a far listener of events for as long as its link lives: `subscribe` is given the teller and answers the end of the
 * subscription, which is also ended once the far side is gone. Answers the end for the app to call.
 */
export function tellFar<A extends readonly unknown[]>(listener: FarListener<A>, subscribe: (tell: (...args: A) => void) => () => void): () => void {
  const end = subscribe((...args) => {
    listener(...args).catch((error: unknown) => {
      if (error instanceof ChannelError) end()
    })
  })
  return end
}
