/** Tells the other documents of this origin and partition that something kept in the store changed. Carries names, never values. */
export interface TabNews {
  /** Tells the others; this document does not hear itself. */
  tell(subject: string): void
  /** Calls the listener with every subject another document tells of. Answers the end of it. */
  listen(listener: (subject: string) => void): () => void
}

/** News over a BroadcastChannel; silent where the browser denies one together with storage. */
export function tabNews(name = 'deputy'): TabNews {
  let channel: BroadcastChannel
  try {
    channel = new BroadcastChannel(name)
  } catch {
    return { tell: () => {}, listen: () => () => {} }
  }
  return {
    tell: subject => channel.postMessage(subject),
    listen: listener => {
      const hear = ({ data }: MessageEvent): void => {
        if (typeof data === 'string') listener(data)
      }
      channel.addEventListener('message', hear)
      return () => channel.removeEventListener('message', hear)
    },
  }
}
