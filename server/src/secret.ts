import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'

/** The server's secret: the configured one, or one made on the first start and kept in the folder, readable to its owner only. */
export function readSecret(configured: string, folder: string): string {
  if (configured !== '') return configured
  const file = join(folder, 'secret')
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
  }
  const secret = randomBytes(32).toString('base64url')
  const handle = openSync(file, 'wx', 0o600)
  writeSync(handle, `${secret}\n`)
  fsyncSync(handle)
  closeSync(handle)
  return secret
}
