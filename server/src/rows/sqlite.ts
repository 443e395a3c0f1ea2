import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { backup } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import { lockFolder } from './folder-lock.ts'
import type { Procedures, Rows } from './rows.ts'
import type { Schema } from './schema.ts'
import type { WriterJob, WriterNews, WriterSetup } from './sqlite-wire.ts'
import { faultsOf, kyselyOver, openDatabase } from './sqlite-driver.ts'

type Task = WriterJob extends infer J ? (J extends WriterJob ? Omit<J, 'id'> : never) : never

/** A procedure failed, or the writer is gone; nothing of it was kept. */
export class WriteFailed extends Error {
  override readonly name = 'WriteFailed'
}

/**
 * Opens the rows in a folder: one SQLite file, one thread that writes it, and a connection for reading here. The folder belongs
 * to this process until `close`. `procedures` is the url of a module that exports them as `writes`.
 * @throws {FolderLocked} when another process uses the folder.
 */
export async function openSqlite<P = Procedures>(folder: string, procedures: URL): Promise<Rows<P>> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const unlock = lockFolder(folder)
  try {
    const file = join(folder, 'rows.sqlite')
    const writer = await startWriter({ file, folder, procedures: procedures.href })
    const reader = openDatabase(file, { readOnly: true })
    let closing: Promise<void> | undefined
    return {
      read: kyselyOver<Schema>(reader),
      write: (name, input) => writer.ask({ task: 'write', name, input }) as never,
      backup: target => copy(file, target),
      check: async () => (await writer.ask({ task: 'check' })) as string[],
      close: () => {
        closing ??= (async () => {
          reader.close()
          try {
            await writer.ask({ task: 'close' })
          } finally {
            await writer.stop()
            unlock()
          }
        })()
        return closing
      },
    }
  } catch (error) {
    unlock()
    throw error
  }
}

/** Faults of the database in a folder, found without changing or locking anything; null when there is no database yet. */
export function checkSqlite(folder: string): readonly string[] | null {
  const file = join(folder, 'rows.sqlite')
  if (!existsSync(file)) return null
  const database = openDatabase(file, { readOnly: true })
  try {
    return faultsOf(database)
  } finally {
    database.close()
  }
}

/** Copies on a connection of its own and in one step, so that neither readers nor the writer wait for it or make it start again. */
async function copy(file: string, target: string): Promise<void> {
  const source = openDatabase(file, { readOnly: true })
  try {
    await backup(source, target, { rate: 2 ** 30 })
  } finally {
    source.close()
  }
}

interface WriterThread {
  ask(task: Task): Promise<unknown>
  stop(): Promise<void>
}

interface Waiting {
  readonly resolve: (output: unknown) => void
  readonly reject: (error: Error) => void
}

function startWriter(setup: WriterSetup): Promise<WriterThread> {
  const entry = import.meta.url.endsWith('.ts') ? './sqlite-writer.ts' : './sqlite-writer.js'
  const worker = new Worker(new URL(entry, import.meta.url), { workerData: setup })
  const waiting = new Map<number, Waiting>()
  let asked = 0
  let gone: Error | undefined
  const ask = (task: Task): Promise<unknown> =>
    new Promise((resolve, reject) => {
      if (gone !== undefined) {
        reject(gone)
        return
      }
      asked += 1
      waiting.set(asked, { resolve, reject })
      worker.postMessage({ id: asked, ...task } satisfies WriterJob)
    })
  const stop = async (): Promise<void> => {
    await worker.terminate()
  }
  return new Promise((resolve, reject) => {
    const end = (error: Error): void => {
      gone ??= error
      for (const { reject: refuse } of waiting.values()) refuse(gone)
      waiting.clear()
      reject(gone)
    }
    worker.on('error', error => end(error instanceof Error ? error : new Error(String(error))))
    worker.on('exit', () => end(new WriteFailed('the writer thread has ended')))
    worker.on('message', (news: WriterNews) => {
      if ('ready' in news) {
        resolve({ ask, stop })
        return
      }
      for (const answer of news.answers) {
        const job = waiting.get(answer.job)
        waiting.delete(answer.job)
        if ('failure' in answer) job?.reject(new WriteFailed(answer.failure))
        else job?.resolve(answer.output)
      }
    })
  })
}
