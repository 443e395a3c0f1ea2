import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqlite } from '@deputy/server'
import type { writes } from '../support/rows-procedures.ts'
import { rowsSuite } from './rows.ts'

const procedures = new URL('../support/rows-procedures.ts', import.meta.url)

rowsSuite('SQLite', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'deputy-rows-'))
  const start = (name: string) => openSqlite<typeof writes>(join(folder, name), procedures)
  let rows = await start('live')
  return {
    rows,
    reopen: async () => {
      await rows.close()
      rows = await start('live')
      return rows
    },
    backupPath: join(folder, 'backup.sqlite'),
    restore: async () => {
      await mkdir(join(folder, 'restored'))
      await rename(join(folder, 'backup.sqlite'), join(folder, 'restored', 'rows.sqlite'))
      return start('restored')
    },
    close: async () => {
      await rows.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
})
