/** Asks the bench's script in the broker's partition; rejects with what it failed of. */
export type Ask = <T>(message: unknown) => Promise<T>

/** Sets up the bench's script in the broker's partition, for as long as the work takes. */
export async function withBenchFrame<T>(broker: string, work: (ask: Ask) => Promise<T>): Promise<T> {
  const side = document.createElement('iframe')
  side.src = `${broker}/connect-button`
  const ready = new Promise<void>(resolve => addEventListener('message', ({ data }) => data === 'bench-ready' && resolve()))
  document.body.append(side)
  await ready
  const ask = <T>(message: unknown): Promise<T> =>
    new Promise((resolve, reject) => {
      const { port1, port2 } = new MessageChannel()
      port1.onmessage = ({ data }: MessageEvent<{ answer: T; error?: string }>) =>
        data.error === undefined ? resolve(data.answer) : reject(new Error(data.error))
      side.contentWindow?.postMessage(message, broker, [port2])
    })
  const answer = await work(ask)
  side.remove()
  return answer
}

/** How long a work takes. */
export async function seconds(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now()
  await work()
  return (performance.now() - begun) / 1000
}

/** Fetches what the bench asks of the page, does it, and tells what came of it. */
export async function runOrder<Order>(run: (order: Order) => Promise<unknown>): Promise<void> {
  const said = await run((await (await fetch('/order')).json()) as Order).then(
    answer => ({ answer }),
    (error: unknown) => ({ error: error instanceof Error ? `${error.message} ${error.stack}` : String(error) }),
  )
  await fetch('/result', { method: 'POST', body: JSON.stringify(said) })
}
