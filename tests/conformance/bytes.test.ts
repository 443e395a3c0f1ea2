import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openLocalBytes } from '@deputy/server'
import { bytesSuite } from './bytes.ts'

bytesSuite('local files', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'deputy-bytes-'))
  return {
    bytes: await openLocalBytes(folder),
    reopen: () => openLocalBytes(folder),
    close: () => rm(folder, { recursive: true, force: true }),
  }
})
