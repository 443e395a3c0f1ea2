import { connect } from 'node:net'

/** A request as bytes: written whole on a kept connection. */
export const rawRequest = (method: string, path: string, headers: Readonly<Record<string, string>>, body = ''): Buffer =>
  Buffer.from(
    `${method} ${path} HTTP/1.1\r\n${Object.entries({ ...headers, 'content-length': String(body.length) })
      .map(([name, value]) => `${name}: ${value}`)
      .join('\r\n')}\r\n\r\n${body}`,
  )

/**
 * Sends the request, or the one of each index, `count` times over some kept connections, one at a time on each, and answers the seconds it took. It only looks
 * for the status and the length of an answer, so that little of the machine goes to asking.
 * @throws when an answer is no 200.
 */
export async function rawLoad(port: number, connections: number, count: number, request: Buffer | ((index: number) => Buffer)): Promise<number> {
  let left = count
  const started = performance.now()
  await Promise.all(
    Array.from(
      { length: connections },
      () =>
        new Promise<void>((resolve, reject) => {
          const socket = connect({ port, host: '127.0.0.1', noDelay: true })
          let pending = ''
          const next = (): void => {
            if (left <= 0) {
              socket.end()
              resolve()
              return
            }
            left -= 1
            socket.write(typeof request === 'function' ? request(count - 1 - left) : request)
          }
          socket.on('connect', next)
          socket.on('error', reject)
          socket.on('data', (chunk: Buffer) => {
            pending += chunk.toString('latin1')
            const head = pending.indexOf('\r\n\r\n')
            if (head === -1) return
            const length = Number(/content-length: (\d+)/i.exec(pending.slice(0, head))?.[1])
            if (pending.length < head + 4 + length) return
            if (!pending.startsWith('HTTP/1.1 200')) {
              socket.destroy()
              reject(new Error(`answered ${pending.slice(0, 200)}`))
              return
            }
            pending = ''
            next()
          })
        }),
    ),
  )
  return (performance.now() - started) / 1000
}
