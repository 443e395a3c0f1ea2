import { fs } from '@deputy/client/cloud'

const record = 2 ** 20

/** Bytes a file has once it is sealed: a header, and a nonce and a tag for each record. */
export const sealedSize = (size: number) => size + 29 + 28 * Math.max(1, Math.ceil(size / record))

/** What the server counts for the account, all its apps together. */
export async function counted() {
  const { objects, usedBytes, limitBytes } = await fs.quota()
  return { files: objects, usedBytes, limitBytes }
}
