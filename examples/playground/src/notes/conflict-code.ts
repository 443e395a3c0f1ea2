import { promises as account } from '@deputy/client/cloud/fs'
import { promises as here } from '@deputy/client/fs'

/**
 * What happens when two devices change one note and cannot see each other:
 * the account gets the one change, this browser makes the other on top of
 * what it had. The broker then asks which of them is kept.
 */
export async function differ(path: string) {
  const before = await here.stat(path)
  const text = await here.readFile(path, 'utf8')
  const contentType = 'text/markdown'
  await account.writeFile(path, `${text}\n\nWritten on another device.`, { contentType })
  await here.writeFile(path, `${text}\n\nWritten on this device.`, { contentType, base: before.version })
}
