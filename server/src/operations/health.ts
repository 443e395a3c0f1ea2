import { statfs } from 'node:fs/promises'
import { answer } from '../http/answer.ts'
import type { Serve } from '../http/dispatch.ts'
import type { Services } from '../services.ts'

const leastFree = 64 * 2 ** 20
const freshFor = 1000
const patience = 3000

/** Whether the server lives and is ready for requests. */
export interface Health {
  /** Answers `/livez` and `/readyz` on every host, since a load balancer asks by address; null for other paths. */
  serve(path: string): ReturnType<Serve> | null
  /** From now on it is not ready, so that no more requests are sent here. */
  leave(): void
}

/** Health of a server: ready means that rows can be written and that the disk has room. */
export function makeHealth({ rows, config }: Pick<Services, 'rows' | 'config'>): Health {
  let leaving = false
  let last: { readonly at: number; readonly checks: Promise<Record<string, boolean>> } | undefined
  const check = async (): Promise<Record<string, boolean>> => {
    const [written, room] = await Promise.all([within(rows.write('beat', {})), within(hasRoom(config.server.folder))])
    return { rows: written !== undefined, disk: room === true }
  }
  return {
    serve: path => {
      if (path === '/livez') return answer({ alive: true })
      if (path !== '/readyz') return null
      return (async () => {
        // Asked by anyone as often as they like, it costs one check a second.
        if (last === undefined || performance.now() - last.at > freshFor) last = { at: performance.now(), checks: check() }
        const checks = { ...(await last.checks), open: !leaving }
        const ready = Object.values(checks).every(Boolean)
        return answer({ ready, checks }, ready ? 200 : 503)
      })()
    },
    leave: () => {
      leaving = true
    },
  }
}

const hasRoom = async (folder: string): Promise<boolean> => {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize > leastFree
}

/** The outcome, or undefined when it failed or takes too long. */
async function within<T>(work: Promise<T>): Promise<T | undefined | null> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>(resolve => {
    timer = setTimeout(() => resolve(undefined), patience)
  })
  try {
    return await Promise.race([work, late])
  } catch {
    return undefined
  } finally {
    clearTimeout(timer)
  }
}
