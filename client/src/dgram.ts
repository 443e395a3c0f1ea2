import type { DgramOptions, MessageListener } from './node/dgram-options.ts'
import { DgramSocket } from './node/dgram-socket.ts'

export type { BindOptions, Payload, Sent } from './node/dgram-arguments.ts'
export type { DgramOptions, MessageListener, RemoteInfo } from './node/dgram-options.ts'
export { DgramSocket as Socket } from './node/dgram-socket.ts'

/** Makes a UDP socket; the listener is told of every message (LIB-13). */
export function createSocket(options: 'udp4' | 'udp6' | DgramOptions, listener?: MessageListener): DgramSocket {
  return new DgramSocket(options, listener)
}

// Many import the module as a whole.
export * as default from './dgram.ts'
