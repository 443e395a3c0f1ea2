import { setTimeout as pause } from 'node:timers/promises'
import type { ServerProcess } from './server-process.ts'

/** Lets loops work at the server, over and over, until it is killed at a moment that `random` chooses; what fails while it lives is thrown. */
export async function workUntilKilled(server: ServerProcess, loops: number, random: () => number, work: (loop: number) => Promise<void>): Promise<void> {
  const working = Array.from({ length: loops }, async (_, loop) => {
    for (;;) {
      try {
        await work(loop)
      } catch (error) {
        if (!server.alive() || isCut(error)) return
        throw error
      }
    }
  })
  await pause(20 + random() * 600)
  await server.end('SIGKILL')
  await Promise.all(working)
}

/** Whether a request ended because the server was killed under it. */
const isCut = (error: unknown): boolean => error instanceof Error && 'code' in error && ['ECONNRESET', 'ECONNREFUSED', 'EPIPE'].includes(String(error.code))
