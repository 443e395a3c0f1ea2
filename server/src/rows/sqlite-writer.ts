import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { backup } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import { migrate } from './migrate.ts'
import { migrations } from './migrations/index.ts'
import type { Procedure, Writer } from './rows.ts'
import type { Schema } from './schema.ts'
import type { WriterAnswer, WriterJob, WriterSetup } from './sqlite-wire.ts'
import { faultsOf, kyselyOver, openDatabase } from './sqlite-driver.ts'

/**
 * The writer thread: the one connection that changes rows. All jobs waiting when it turns to them share one transaction and one
 * flush, each within a savepoint of its own; they are answered after the commit.
 */
const { file, folder, procedures: source } = workerData as WriterSetup
const port = parentPort
if (port === null) throw new Error('the writer runs in a worker thread')

const { writes } = (await import(source)) as { writes: Readonly<Record<string, Procedure<unknown>>> }
const database = openDatabase(file)
const applied = await migrate(database, migrations, async name => {
  mkdirSync(join(folder, 'backups'), { recursive: true })
  await backup(database, join(folder, 'backups', `${Date.now()}-${name}`))
})
const tx: Writer = kyselyOver<Schema>(database)

let waiting: WriterJob[] = []
let scheduled = false

port.on('message', (job: WriterJob) => {
  waiting.push(job)
  if (scheduled) return
  scheduled = true
  setImmediate(() => {
    void turn()
  })
})
port.postMessage({ ready: applied })

async function turn(): Promise<void> {
  const jobs = waiting
  waiting = []
  const writing = jobs.filter(job => job.task === 'write')
  const answers = await commit(writing)
  for (const job of jobs) if (job.task !== 'write') answers.push(other(job))
  port?.postMessage({ answers })
  scheduled = waiting.length > 0
  if (scheduled) {
    setImmediate(() => {
      void turn()
    })
  }
}

async function commit(jobs: readonly (WriterJob & { task: 'write' })[]): Promise<WriterAnswer[]> {
  if (jobs.length === 0) return []
  const answers: WriterAnswer[] = []
  try {
    database.exec('begin immediate')
    for (const job of jobs) answers.push(await within(job))
    database.exec('commit')
    return answers
  } catch (error) {
    if (database.isTransaction) database.exec('rollback')
    return jobs.map(job => ({ job: job.id, failure: describe(error) }))
  }
}

async function within(job: WriterJob & { task: 'write' }): Promise<WriterAnswer> {
  const procedure = Object.hasOwn(writes, job.name) ? writes[job.name] : undefined
  if (procedure === undefined) return { job: job.id, failure: `there is no procedure ${job.name}` }
  database.exec('savepoint job')
  try {
    const output = await procedure(tx, job.input)
    database.exec('release job')
    return { job: job.id, output }
  } catch (error) {
    // A full disk ends the transaction by itself; the savepoint is gone with it and the others must not be answered either.
    if (!database.isTransaction) throw error
    database.exec('rollback to job; release job')
    return { job: job.id, failure: describe(error) }
  }
}

function other(job: WriterJob & { task: 'check' | 'close' }): WriterAnswer {
  try {
    switch (job.task) {
      case 'check':
        return { job: job.id, output: faultsOf(database) }
      case 'close':
        database.exec('pragma wal_checkpoint(truncate)')
        database.close()
        port?.removeAllListeners()
        return { job: job.id, output: undefined }
    }
  } catch (error) {
    return { job: job.id, failure: describe(error) }
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
