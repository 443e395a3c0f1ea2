import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net'
import { join } from 'node:path'
import { startDeputy, type TestApp, type TestDeputy } from './deputy.ts'
import type { ConfigFile } from './start-test-server.ts'
import { signUp, type TestPerson } from './test-accounts.ts'
import type { Net } from './tunnel-script.ts'
import { bundle } from './web-origins.ts'

declare global {
  /** What the page of `openTunnelApp` holds; see `tunnel-script.ts`. */
  var net: Net
  /** In the broker's frame: the WebSockets it made. */
  var tunnelSockets: WebSocket[]
}

let script: Promise<string> | undefined
const tunnelScript = () => (script ??= bundle(join(import.meta.dirname, 'tunnel-script.ts')))

/** A deputy whose node may reach and bind loopback addresses, and a person. The first account of a server has premium. */
export async function startTunnelDeputy(tunnel: ConfigFile['tunnel'] = {}): Promise<{ deputy: TestDeputy; ada: TestPerson }> {
  const deputy = await startDeputy({ config: { tunnel: { allow: ['127.0.0.0/8', '::1'], hold: '20s', ...tunnel } } })
  // Kept so that a test can cut the connection as a network does.
  await deputy.context.addInitScript(() => {
    if (location.pathname !== '/frame') return
    const sockets: WebSocket[] = []
    globalThis.tunnelSockets = sockets
    globalThis.WebSocket = class extends WebSocket {
      constructor(url: string | URL, protocols?: string | string[]) {
        super(url, protocols)
        if (protocols === 'deputy-tunnel') sockets.push(this)
      }
    }
  })
  return { deputy, ada: await signUp(deputy.server, 'Ada') }
}

/** Opens a page of the app, signed in as the person where one is given. */
export async function openTunnelApp(deputy: TestDeputy, name: string, person?: Pick<TestPerson, 'token'>): Promise<TestApp> {
  const opened = await deputy.openApp(name)
  opened.page.setDefaultTimeout(30_000)
  await opened.page.addScriptTag({ content: await tunnelScript(), type: 'module' })
  await opened.page.waitForFunction(() => 'net' in globalThis)
  if (person !== undefined) await opened.signIn(person)
  return opened
}

/** Closes the connection to the node under the session, once there is one. */
export async function cutTunnel(of: TestApp): Promise<void> {
  await of.frame().waitForFunction(() => tunnelSockets.at(-1)?.readyState === WebSocket.OPEN)
  await of.frame().evaluate(() => tunnelSockets.at(-1)?.close())
}

/** Says yes, or no, to the card for sockets once it may be answered. */
export async function answerCard(of: Pick<TestApp, 'frame'>, answer: 'session' | 'deny'): Promise<string> {
  const card = of.frame().locator('.card[data-ready=true]')
  await card.waitFor()
  const words = await card.innerText()
  await card.locator(`[data-answer=${answer}]`).press('Enter', { delay: 40 })
  await card.waitFor({ state: 'detached' })
  return words
}

/** Lets the app use sockets, asked for by a refused connection to a port nobody listens on. */
export async function allowSockets(of: TestApp): Promise<void> {
  const asked = of.page.evaluate(() => app.broker.webvpn.tcpSocket({ remoteAddress: '127.0.0.1', remotePort: 1 }))
  await answerCard(of, 'session')
  await asked
}

/** A server of the loopback address for the length of a test. */
export interface Origin extends AsyncDisposable {
  readonly port: number
}

/** An HTTP origin. */
export async function httpOrigin(listener: RequestListener): Promise<Origin & { readonly url: string }> {
  const server = createHttpServer(listener)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** A TCP server; `sockets` are those that were accepted. */
export async function tcpOrigin(run: (socket: Socket) => void): Promise<Origin & { readonly sockets: Socket[] }> {
  const sockets: Socket[] = []
  const server = createTcpServer({ allowHalfOpen: true }, socket => {
    sockets.push(socket)
    socket.on('error', () => undefined)
    run(socket)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    sockets,
    [Symbol.asyncDispose]: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}
