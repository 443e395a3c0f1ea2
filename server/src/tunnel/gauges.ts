import { Gauge, type Registry } from 'prom-client'
import type { NodeSessions } from './node.ts'

/** Shows among the metrics what a node holds. */
export function tunnelGauges(registry: Registry, sessions: Pick<NodeSessions, 'size' | 'sockets'>): void {
  const registers = [registry]
  new Gauge({ name: 'deputy_tunnel_sessions', help: 'Sessions of the tunnel node', registers, collect: gauge(() => sessions.size) })
  new Gauge({ name: 'deputy_tunnel_sockets', help: 'Sockets, listeners and requests of the tunnel node', registers, collect: gauge(() => sessions.sockets) })
}

const gauge = (read: () => number) =>
  function (this: Gauge): void {
    this.set(read())
  }
