import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, rmSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { object, opaque, string } from '@deputy/contract/shape'
import { parse, ShapeError } from '@deputy/contract/validate'
import type { ServerContext } from '../context.ts'
import { AdminError, type AdminCommand, runAdmin } from './admin.ts'
import { placeOf } from './log.ts'

const asked = object({ name: string({ max: 100 }), input: opaque })
const longestPath = 100

/** The socket by which an operator on the same machine reaches the running server of a folder; only the folder's owner may use it. */
export function controlPath(folder: string): string {
  const path = resolve(folder, 'control')
  return path.length <= longestPath ? path : join(tmpdir(), `deputy-${createHash('sha256').update(path).digest('hex').slice(0, 24)}`)
}

/** Answers operators' commands on the folder's socket. The folder must be locked by this process. */
export async function serveControl(context: ServerContext): Promise<{ close(): Promise<void> }> {
  const path = controlPath(context.services.config.server.folder)
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      const answer = async (): Promise<{ output: unknown } | { fault: string }> => {
        try {
          const { name, input } = parse(asked, JSON.parse(Buffer.concat(chunks).toString('utf8')))
          return { output: (await runAdmin(name, input, context)) ?? null }
        } catch (error) {
          if (error instanceof AdminError || error instanceof ShapeError) return { fault: error.message }
          context.services.log.error('command-failed', placeOf(error))
          return { fault: 'the server failed; its log says where' }
        }
      }
      void answer().then(result => outgoing.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(result)))
    })
  })
  // What a process that died left behind; the lock of the folder says that nobody else answers here.
  rmSync(path, { force: true })
  server.listen(path)
  await once(server, 'listening')
  chmodSync(path, 0o600)
  return {
    close: async () => {
      server.closeIdleConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** No server runs on the folder. */
export class NoServer extends Error {
  override readonly name = 'NoServer'
}

/** Asks the running server of a folder. @throws {NoServer} when none runs; {AdminError} with the server's words. */
export function askControl(folder: string, name: AdminCommand, input: unknown): Promise<unknown> {
  return new Promise((resolveAnswer, reject) => {
    const sent = request({ socketPath: controlPath(folder), method: 'POST', path: '/' }, response => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const answer = JSON.parse(Buffer.concat(chunks).toString('utf8')) as { output: unknown } | { fault: string }
        if ('fault' in answer) reject(new AdminError(answer.fault))
        else resolveAnswer(answer.output)
      })
    })
    sent.on('error', error =>
      reject('code' in error && (error.code === 'ENOENT' || error.code === 'ECONNREFUSED') ? new NoServer('no server runs on this folder') : error),
    )
    sent.end(JSON.stringify({ name, input }))
  })
}
