/** Clients written for Node, in a page over the broker's sockets. Bundled by `real-clients.browser.test.ts`. */
import './node-page-script.ts'
import * as https from '@deputy/client/https'
import * as net from '@deputy/client/net'
import { Redis } from 'ioredis'
import { MqttClient, type StreamBuilder } from 'mqtt'
// What `mqtt.connect('mqtts://…')` opens in Node; in a window `connect` of the package knows WebSockets alone.
import mqtts from 'mqtt/lib/connect/tls'
import nodemailer from 'nodemailer'
import pg from 'pg'
import { WebSocket as NodeWebSocket } from 'ws'

/** What the page holds. */
export interface RealClients {
  readonly pg: typeof pg
  readonly Redis: typeof Redis
  readonly MqttClient: typeof MqttClient
  readonly NodeWebSocket: typeof NodeWebSocket
  readonly nodemailer: typeof nodemailer
  readonly net: typeof net
  readonly https: typeof https
  readonly mqtts: StreamBuilder
  /** The same bytes for the same seed. */
  bytes(length: number, seed: number): Buffer
  /** What the next event of that name tells first. */
  next(of: unknown, name: string): Promise<unknown>
  /** Code of the error a promise rejects with. */
  code(of: Promise<unknown>): Promise<unknown>
  digest(bytes: Uint8Array): Promise<string>
}
declare global {
  var clients: RealClients
}

const clients: RealClients = {
  pg,
  Redis,
  MqttClient,
  NodeWebSocket,
  nodemailer,
  net,
  https,
  mqtts: mqtts.default,
  bytes: (length, seed) => {
    const bytes = Buffer.alloc(length)
    let state = seed
    for (let at = 0; at < length; at += 1) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      bytes[at] = state >>> 24
    }
    return bytes
  },
  next: (of, name) => new Promise(resolve => void (of as NodeJS.EventEmitter).once(name, resolve)),
  code: of =>
    of.then(
      () => 'nothing',
      (error: NodeJS.ErrnoException) => error.code ?? error.message,
    ),
  digest: async bytes =>
    [...new Uint8Array(await crypto.subtle.digest('SHA-256', new Uint8Array(bytes)))].map(byte => byte.toString(16).padStart(2, '0')).join(''),
}
Object.assign(globalThis, { clients })
