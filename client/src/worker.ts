import { relayToWorker } from '@deputy/channel'
import { brokerLink } from './broker.ts'

/**
 * Gives a dedicated worker a line of its own to the broker, with this page's identity (LIB-11). Resolves once the line is on its
 * way, and renews it whenever the broker's frame is made anew; `signal` takes it back. The worker's own messages are left alone.
 * The worker must import the library statically, so that it listens from its first moment; further parts of it may be imported later.
 * @throws {ChannelError} `unavailable` when this page reaches no broker.
 */
export async function relayWorker(worker: Worker, options: { readonly signal?: AbortSignal | undefined } = {}): Promise<void> {
  await relayToWorker(brokerLink(), worker, options)
}
