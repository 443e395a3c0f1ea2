/** The framed side of the channel bench: the same work served by the channel and by bare ports. */
import { openLink, portTransport, welcomeParent } from '@deputy/channel'
import { bench, chunks, WINDOW, type RawRequest } from './channel-contract.ts'

welcomeParent({
  accept: (_identity, port) =>
    openLink({ transport: portTransport(port), offers: { members: bench, value: { echo: value => value, source: (size, count) => chunks(size, count) } } }),
})

/** Sends moved buffers as credit allows: the least a credit stream can be. */
function sendRaw(port: MessagePort, { size, count }: RawRequest): void {
  let credit = WINDOW
  let left = count
  const more = () => {
    for (; credit >= size && left > 0; left--) {
      const chunk = new Uint8Array(size)
      credit -= size
      port.postMessage(chunk, [chunk.buffer])
    }
  }
  port.onmessage = ({ data }) => {
    credit += data as number
    more()
  }
  more()
}

addEventListener('message', ({ data, ports: [port], source }) => {
  if (source !== parent || port === undefined) return
  const { raw } = data as { raw?: RawRequest | 'echo' }
  if (raw === 'echo') port.onmessage = ({ data: message }) => port.postMessage(message)
  else if (raw?.native === true) {
    const stream = chunks(raw.size, raw.count)
    port.postMessage(stream, [stream])
  } else if (raw !== undefined) sendRaw(port, raw)
})
