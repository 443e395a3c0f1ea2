import { createServer, type Server } from 'node:net'
import { listenFrame } from '@deputy/contract/tunnel-wire'
import { parse } from '@deputy/contract/validate'
import { FRAME, fromJson, toJson, type Session, type Stream } from '@deputy/tunnel'
import type { Places } from './places.ts'
import { resetCode } from './reset-code.ts'
import { endsOf, joinTcp, type SocketNeeds } from './tcp.ts'

const backlog = 128

/** Listens for a stream: each connection is a stream of the node, its ends told before the first byte. */
export function openListener(
  stream: Stream,
  payload: Uint8Array<ArrayBuffer>,
  session: Session,
  needs: Omit<SocketNeeds, 'memory'> & { readonly places: Places; readonly count: (stream: Stream) => boolean },
): void {
  const { address, port } = parse(listenFrame, fromJson(payload))
  if (needs.meter.spent) return stream.reset({ code: 'EQUOTA' })
  const place = needs.places.bindable(address, port)
  if ('code' in place) return stream.reset(place)
  const server: Server = createServer({ allowHalfOpen: true, noDelay: true, pauseOnConnect: true })
  let unlisten = (): void => undefined
  const close = (): void => {
    unlisten()
    unlisten = () => undefined
    server.close()
  }
  server.on('error', error => {
    stream.reset({ code: resetCode(error) })
    close()
  })
  server.on('connection', socket => {
    const { local, remote } = endsOf(socket)
    const fresh = session.open(FRAME.incoming, toJson({ listener: stream.id, local, remote }))
    if (!needs.count(fresh)) {
      socket.resetAndDestroy()
      return fresh.reset({ code: 'EMFILE' })
    }
    const heard = joinTcp(fresh, socket, needs)
    socket.on('data', (bytes: Buffer<ArrayBuffer>) => {
      if (!heard(bytes)) socket.pause()
    })
    socket.resume()
  })
  stream.hear({
    end: () => {
      close()
      stream.end()
    },
    reset: close,
    frame: () => stream.reset({ code: 'EINVAL' }),
  })
  server.listen({ host: place.address, port, backlog, exclusive: true, ipv6Only: place.address.includes(':') }, () => {
    const bound = server.address()
    if (bound === null || typeof bound === 'string') return
    // Whoever may be connected to from outside may be so from here.
    unlisten = needs.policy.admit(bound.address, bound.port)
    stream.send(FRAME.listening, toJson({ local: { address: bound.address, port: bound.port, family: bound.family === 'IPv6' ? 'IPv6' : 'IPv4' } }))
  })
}
