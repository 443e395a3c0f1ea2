import { udpAck, type UdpDatagram } from '@deputy/contract/webvpn'
import { fits } from '@deputy/contract/validate'

/** The broker's end of a socket's data port. */
export interface DataPort {
  /** The app's end. */
  readonly port: MessagePort
  give(datagram: UdpDatagram): void
  close(): void
}

const most = 1024 * 1024
const batchMost = 4096

/**
 * Datagrams on a port in numbered batches (NET-10): what one turn brought is one message, its buffers moved. At most 1 MiB is
 * unacknowledged; what comes beyond that is dropped, as UDP does.
 */
export function dataPortOf(): DataPort {
  const { port1, port2 } = new MessageChannel()
  let seq = 0
  let batch: UdpDatagram[] = []
  const sent: { readonly seq: number; readonly bytes: number }[] = []
  let outstanding = 0
  let planned = false

  const flush = (): void => {
    planned = false
    if (batch.length === 0) return
    const datagrams = batch
    batch = []
    seq += 1
    sent.push({ seq, bytes: datagrams.reduce((sum, { size }) => sum + size, 0) })
    port1.postMessage(
      { seq, datagrams },
      datagrams.map(({ data }) => data),
    )
  }
  port1.onmessage = ({ data }: MessageEvent<unknown>) => {
    if (!fits(udpAck, data)) return
    const { ack } = data as { ack: number }
    while (sent[0] !== undefined && sent[0].seq <= ack) outstanding -= sent.shift()?.bytes ?? 0
  }
  return {
    port: port2,
    give: datagram => {
      if (outstanding + datagram.size > most) return
      outstanding += datagram.size
      batch.push(datagram)
      if (batch.length >= batchMost) return flush()
      if (planned) return
      planned = true
      queueMicrotask(flush)
    },
    close: () => {
      flush()
      port1.close()
    },
  }
}
