import { createHash, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { RouteAnswer, RouteBody } from '@deputy/contract/api'
import { appFilesPath, beginFile, commitFile, fileContentPath, fileHeaders, type written } from '@deputy/contract/api-files'
import { enrolKeys, type unlocker } from '@deputy/contract/api-keys'
import type { Received } from '@deputy/contract/shape'
import { namesBelow } from './names-below.ts'
import { type Answer, fetchFrom, startTestServer, type TestServer } from './start-test-server.ts'
import { type Called, ok } from './test-accounts.ts'

/** Where a server listens and what it calls itself. */
export type Reached = Pick<TestServer, 'port' | 'origins'>
/** An unlocker as the server is told it. */
export type TestUnlocker = RouteBody<typeof enrolKeys>['unlockers'][number]
/** What a write of a file is answered. */
export type Written = Received<typeof written>

/** A server with small limits for files and a clock of the test, its sweep at the start behind it. */
export async function startFilesServer(now: () => number): Promise<TestServer> {
  const server = await startTestServer(
    {
      limits: { signIn: 10_000, write: 100_000, read: 100_000, files: 100_000, address: 1_000_000 },
      sessions: { sliding: '180d' },
      files: { part: '64KiB', largest: '20MiB', bytes: '64MiB', bytesPremium: '64MiB', count: 3000, uploads: 3 },
    },
    { clock: { now } },
  )
  await server.sweep()
  return server
}

/** The name a path has: any 32 bytes do, as far as the server is concerned. */
export const nameOf = (path: string): string => createHash('sha256').update(path).digest('base64url')
/** What stands for a sealed path, type and size. */
export const metaOf = (path: string): string => Buffer.from(`meta of ${path}`).toString('base64url')

/** An unlocker with made-up contents: the server can open none anyway. */
export const testUnlocker = (id: string, kind: Received<typeof unlocker>['kind'] = 'passkey'): TestUnlocker => ({
  id,
  kind,
  name: `The ${kind} ${id}`,
  created: 1_700_000_000_000,
  credential: kind === 'passkey' ? `credential-${id}` : null,
  publicKey: 'cHVibGlj',
  wrappedKey: 'd3JhcHBlZA',
  stretch: kind === 'passphrase' ? { salt: 'c2FsdA', memory: 65_536, passes: 3, lanes: 1 } : null,
  sealedRoot: 'c2VhbGVk',
  mac: randomBytes(32).toString('base64url'),
})

/** What stands for a link of the chain. */
export const testLink = (epoch: number) => ({ epoch, wrapped: Buffer.from(`root ${epoch}`).toString('base64url') })

/** Gives an account keys, at epoch 1 unless another is due. */
export const enrol = async (server: Called, token: string, epoch = 1): Promise<void> => {
  const chain = Array.from({ length: epoch - 1 }, (_, at) => testLink(at + 1))
  ok(await server.call(enrolKeys, { epoch, unlockers: [testUnlocker('first')], chain, recovery: null }, token))
}

/** How a file is put. */
export interface PutOptions {
  readonly base?: number | 'none' | 'any'
  readonly epoch?: number
  readonly meta?: string
  readonly headers?: Readonly<Record<string, string>>
  /** The app, where the account's own session calls. */
  readonly of?: string
}

const contentOf = (of: string | undefined): string => (of === undefined ? fileContentPath : appFilesPath(of))

/** Puts a file by one request. */
export const putFile = (server: Reached, token: string, name: string, bytes: Uint8Array, options: PutOptions = {}): Promise<Answer> =>
  fetchFrom(server.port, server.origins.api + contentOf(options.of), {
    method: 'PUT',
    headers: {
      origin: server.origins.broker,
      authorization: `Bearer ${token}`,
      'content-length': String(bytes.byteLength),
      [fileHeaders.name]: name,
      [fileHeaders.meta]: options.meta ?? metaOf(name),
      [fileHeaders.epoch]: String(options.epoch ?? 1),
      [fileHeaders.base]: String(options.base ?? 'any'),
      ...options.headers,
    },
    body: bytes,
  })

/** Puts a file that must be taken. @throws with the refusal. */
export async function put(server: Reached, token: string, name: string, bytes: Uint8Array, options: PutOptions = {}): Promise<Written> {
  const answer = await putFile(server, token, name, bytes, options)
  if (answer.status !== 200) throw new Error(`the file was refused: ${answer.status} ${answer.text}`)
  return JSON.parse(answer.text) as Written
}

/** What a refused put says: status, code and message. */
export async function refusedPut(
  server: Reached,
  token: string,
  name: string,
  bytes: Uint8Array,
  options: PutOptions = {},
): Promise<[status: number, error: string, message: string]> {
  const { status, text } = await putFile(server, token, name, bytes, options)
  const { error, message } = JSON.parse(text) as { error: string; message: string }
  return [status, error, message]
}

/** Gets a file's sealed bytes: of the app `of`, where the account's own session calls. */
export const getFile = (
  server: Reached,
  token: string,
  name: string,
  headers: Readonly<Record<string, string>> = {},
  of?: string,
  method = 'GET',
): Promise<Answer> =>
  fetchFrom(server.port, server.origins.api + contentOf(of), {
    method,
    headers: { origin: server.origins.broker, authorization: `Bearer ${token}`, [fileHeaders.name]: name, ...headers },
  })

/** Sends one part of an upload. */
export const putFilePart = (server: Reached, token: string, upload: string, part: number | string, body: Uint8Array, of?: string): Promise<Answer> =>
  fetchFrom(server.port, `${server.origins.api}${of === undefined ? '/v1/files' : appFilesPath(of)}/uploads/${upload}/${part}`, {
    method: 'PUT',
    headers: { origin: server.origins.broker, authorization: `Bearer ${token}`, 'content-length': String(body.byteLength) },
    body,
  })

/** Begins a file that comes by parts and sends them all. */
export async function uploadFile(server: Called & Reached, token: string, bytes: Buffer, epoch = 1): Promise<RouteAnswer<typeof beginFile>> {
  const plan = ok(await server.call(beginFile, { size: bytes.byteLength, epoch }, token))
  for (let part = 0; part < plan.parts; part += 1) {
    const answer = await putFilePart(server, token, plan.upload, part, bytes.subarray(part * plan.partBytes, (part + 1) * plan.partBytes))
    if (answer.status !== 200) throw new Error(`part ${part} was refused: ${answer.status} ${answer.text}`)
  }
  return plan
}

/** Puts a file by parts. */
export async function putByParts(server: Called & Reached, token: string, name: string, bytes: Buffer): Promise<Written> {
  const { upload } = await uploadFile(server, token, bytes)
  return ok(await server.call(commitFile, { upload, name, meta: metaOf(name), epoch: 1 }, token))
}

/** The names of everything in the folder that holds the bytes of larger files. */
export const blobsOf = (folder: string): Promise<string[]> => namesBelow(join(folder, 'files'))

/** What the rows in a server's folder say of files, counted anew and as the server keeps count: per account, and per app. */
export function recountFiles(folder: string): { counted: unknown[]; kept: unknown[] } {
  const database = new DatabaseSync(join(folder, 'rows.sqlite'), { readOnly: true })
  try {
    const all = (sql: string): unknown[] => database.prepare(sql).all()
    const live = 'files join file_spaces on file_spaces.id = files.space where removed = 0'
    return {
      counted: [
        ...all(`select account, count(*) as files, sum(files.size) as bytes from ${live} group by account order by account`),
        ...all(`select account, app, count(*) as files, sum(files.size) as bytes from ${live} group by account, app order by account, app`),
        ...all("select account, sum(size) as reserved from file_blobs where status = 'uploading' group by account order by account"),
        ...all(`select name from ${live} and blob is null order by name`),
        ...all(`select blob as id from ${live} and blob is not null order by blob`),
      ],
      kept: [
        ...all('select account, files, bytes from file_usage where files > 0 order by account'),
        ...all('select account, app, files, bytes from file_spaces where files > 0 order by account, app'),
        ...all('select account, reserved from file_usage where reserved > 0 order by account'),
        ...all('select name from file_contents order by name'),
        ...all("select id from file_blobs where status = 'ready' order by id"),
      ],
    }
  } finally {
    database.close()
  }
}
