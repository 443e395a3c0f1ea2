import { randomBytes, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { completeObject, reserveObject } from '@deputy/contract/api-objects'
import { namesBelow } from './names-below.ts'
import { type Answer, fetchFrom, type TestServer } from './start-test-server.ts'
import { ok } from './test-accounts.ts'

/** Where a server listens and what it calls itself. */
export type Reached = Pick<TestServer, 'port' | 'origins'>

/** Bytes of one record as the server counts them: 1 MiB and 28. */
export const sealedRecord = 2 ** 20 + 28

/** As many bytes as an object of `size` has when sealed; the server cannot tell them from sealed ones. */
export const sealedBytes = (size: number): Buffer => randomBytes(size + 28 * Math.max(1, Math.ceil(size / 2 ** 20)))

/** Puts one part. */
export const putPart = (
  server: Reached,
  token: string,
  id: string,
  part: number | string,
  body: Uint8Array,
  headers: Record<string, string> = {},
): Promise<Answer> =>
  fetchFrom(server.port, `${server.origins.api}/v1/objects/${id}/parts/${part}`, {
    method: 'PUT',
    headers: { origin: server.origins.broker, authorization: `Bearer ${token}`, 'content-length': String(body.byteLength), ...headers },
    body,
  })

/** Reserves room for an object of `size` under a fresh id and puts all its parts, but does not complete it. */
export async function upload(server: TestServer, token: string, size: number): Promise<{ id: string; bytes: Buffer; parts: Buffer[] }> {
  const id = randomUUID()
  const { partBytes } = ok(await server.call(reserveObject, { id, size }, token))
  const bytes = sealedBytes(size)
  const parts: Buffer[] = []
  for (let at = 0; at < bytes.length; at += partBytes) parts.push(bytes.subarray(at, at + partBytes))
  for (const [index, part] of parts.entries()) {
    const answer = await putPart(server, token, id, index, part)
    if (answer.status !== 200) throw new Error(`part ${index} was refused: ${answer.status} ${answer.text}`)
  }
  return { id, bytes, parts }
}

/** Stores an object of `size` plain bytes. */
export async function store(server: TestServer, token: string, size: number): Promise<{ id: string; url: string; bytes: Buffer }> {
  const { id, bytes } = await upload(server, token, size)
  const { url } = ok(await server.call(completeObject, { id }, token))
  return { id, url, bytes }
}

/** Downloads from the cdn origin. */
export const download = (server: Reached, url: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> =>
  fetchFrom(server.port, url, { method, headers })

/** What the rows in a server's folder say of each account, counted anew and as the server keeps count. */
export function recount(folder: string): { counted: unknown[]; kept: unknown[] } {
  const database = new DatabaseSync(join(folder, 'rows.sqlite'), { readOnly: true })
  try {
    const counted = database.prepare(
      "select account, count(*) as objects, sum(sealed_size) as bytes from objects where status <> 'deleted' group by account order by account",
    )
    const kept = database.prepare('select account, objects, bytes from object_usage where objects > 0 order by account')
    return { counted: counted.all(), kept: kept.all() }
  } finally {
    database.close()
  }
}

/** The names of all files below the objects folder of a server's folder. */
export const filesOf = (folder: string): Promise<string[]> => namesBelow(join(folder, 'objects'))
