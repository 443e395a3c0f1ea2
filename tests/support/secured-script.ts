/** What a page does over TLS that ends in it. Part of `node-suites-script.ts`. */
import { get } from '@deputy/client/https'
import { connect, type TlsConnectOptions } from '@deputy/client/tls'

/** How a connection went: what was said to it, or the code it failed with. */
interface Talked {
  readonly how: string
  readonly said: string
  readonly length: number
  readonly milliseconds: number
}
/** What the page holds. */
export interface Secured {
  /** Says a word and reads to the end. */
  talk(options: TlsConnectOptions, word: string): Promise<Talked>
  /** The body of an https url, or the code it failed with. */
  get(url: string, ca: string | undefined): Promise<string>
}
declare global {
  var secured: Secured
}

const secured: Secured = {
  talk: (options, word) =>
    new Promise(resolve => {
      const socket = connect(options)
      const began = performance.now()
      let [how, said, length] = ['', '', 0]
      socket.on('secureConnect', () => {
        how = `${socket.getProtocol()} ${String(socket.authorized)}`
        socket.write(word)
      })
      socket.on('data', (bytes: Uint8Array) => {
        length += bytes.byteLength
        if (said.length < 100) said += String(bytes)
      })
      socket.on('error', (error: { code?: string }) => (how = String(error.code)))
      socket.on('close', () => resolve({ how, said, length, milliseconds: performance.now() - began }))
    }),
  get: (url, ca) =>
    new Promise(resolve => {
      get(url, { ca, agent: false }, response => {
        let body = ''
        response.setEncoding('utf8')
        response.on('data', (text: string) => (body += text))
        response.on('end', () => resolve(`${response.statusCode} ${body}`))
      }).on('error', (error: { code?: string }) => resolve(String(error.code)))
    }),
}
Object.assign(globalThis, { secured })
