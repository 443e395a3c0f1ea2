import { type Data, decode, type Encoding, gather } from './encoding.ts'
import { FsError } from './errors.ts'
import { Stats } from './stats.ts'
import type { Volume } from './volume.ts'

/** An opened file. What is written is kept in memory until `sync`, `datasync` or `close` puts the whole file in place. */
export interface FileHandle extends AsyncDisposable {
  read<B extends ArrayBufferView<ArrayBuffer>>(
    buffer: B,
    offset?: number,
    length?: number,
    position?: number | null,
  ): Promise<{ readonly bytesRead: number; readonly buffer: B }>
  write(data: string | ArrayBufferView, position?: number | null): Promise<{ readonly bytesWritten: number }>
  readFile(encoding: Encoding): Promise<string>
  readFile(): Promise<Uint8Array<ArrayBuffer>>
  writeFile(data: Data): Promise<void>
  appendFile(data: Data): Promise<void>
  truncate(length?: number): Promise<void>
  stat(): Promise<Stats>
  sync(): Promise<void>
  datasync(): Promise<void>
  close(): Promise<void>
}

const known = ['r', 'r+', 'w', 'wx', 'w+', 'wx+', 'a', 'ax', 'a+', 'ax+']

/** Opens a file as Node's flags say. @throws {FsError} */
export async function openFile(volume: Volume, path: string, flags: string): Promise<FileHandle> {
  if (!known.includes(flags)) throw new FsError('EINVAL')
  const entry = await volume.stat(path)
  if (entry === null && flags.startsWith('r')) throw new FsError('ENOENT')
  if (entry !== null && flags.includes('x')) throw new FsError('EEXIST')
  const canWrite = flags !== 'r'
  const canRead = flags.startsWith('r') || flags.endsWith('+')
  if (entry?.directory === true && canWrite) throw new FsError('EISDIR')
  let opened = true
  let at = 0
  let base = entry?.version ?? null
  let isDirty = canWrite && (entry === null || flags.startsWith('w'))
  let content = entry === null || flags.startsWith('w') || entry.directory ? new Uint8Array() : await volume.read(path)

  const use = (allowed: boolean): void => {
    if (!opened || !allowed) throw new FsError('EBADF')
  }
  const resize = (length: number): void => {
    const next = new Uint8Array(length)
    next.set(content.subarray(0, length))
    content = next
  }
  const sync = async (): Promise<void> => {
    use(true)
    if (!isDirty) return
    isDirty = false
    try {
      ;({ version: base } = await volume.exclusive(() => volume.write(path, content.slice(), { contentType: entry?.contentType, base })))
    } catch (error) {
      isDirty = true
      throw error
    }
  }
  const put = (bytes: Uint8Array, position: number): void => {
    use(canWrite)
    const start = flags.startsWith('a') ? content.length : position
    if (start + bytes.length > content.length) resize(start + bytes.length)
    content.set(bytes, start)
    isDirty = true
  }
  const close = async (): Promise<void> => {
    await sync()
    opened = false
  }
  // A new or emptied file is there from the moment it is opened.
  if (isDirty) await sync()

  return {
    read: async (buffer, offset = 0, length = buffer.byteLength - offset, position = null) => {
      use(canRead)
      const start = position ?? at
      const part = content.subarray(start, start + length)
      new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength).set(part, offset)
      if (position === null) at += part.length
      return { bytesRead: part.length, buffer }
    },
    write: async (data, position = null) => {
      const bytes = await gather(data)
      put(bytes, position ?? at)
      if (position === null) at += bytes.length
      return { bytesWritten: bytes.length }
    },
    readFile: (async (encoding?: Encoding) => {
      use(canRead)
      const rest = content.slice(at)
      at = content.length
      return encoding === undefined ? rest : decode(rest, encoding)
    }) as FileHandle['readFile'],
    writeFile: async data => {
      put(await gather(data), at)
      at = content.length
    },
    appendFile: async data => put(await gather(data), content.length),
    truncate: async (length = 0) => {
      use(canWrite)
      resize(length)
      isDirty = true
    },
    stat: async () => {
      use(true)
      const now = await volume.stat(path)
      if (now === null) throw new FsError('ENOENT')
      return new Stats({ ...now, size: content.length })
    },
    sync,
    datasync: sync,
    close,
    [Symbol.asyncDispose]: async () => {
      if (opened) await close()
    },
  }
}
