import { createSocket, type Socket } from '@deputy/client/dgram'

/** A UDP socket on the node, bound once it is first used. */
export const open = () => createSocket('udp4')

/** Sends a datagram and waits for the one that begins the same. */
export function ping(socket: Socket, host: string, port: number, text: string, patience: number) {
  return new Promise<{ answer: string; ms: number } | null>((resolve, reject) => {
    const began = performance.now()
    const finish = (how: () => void) => {
      clearTimeout(late)
      socket.off('message', hear)
      socket.off('error', fail)
      how()
    }
    const hear = (message: Uint8Array) => {
      const answer = new TextDecoder().decode(message)
      if (answer.startsWith(text)) finish(() => resolve({ answer, ms: performance.now() - began }))
    }
    const fail = (error: Error) => finish(() => reject(error))
    const late = setTimeout(() => finish(() => resolve(null)), patience)
    socket.on('message', hear)
    socket.on('error', fail)
    socket.send(text, port, host, (error?: Error | null) => error && fail(error))
  })
}
