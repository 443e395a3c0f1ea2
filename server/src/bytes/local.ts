import { constants } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Bytes, type BytesEntry, checkedId, checkedPrefix, NotAssembled, type OpenedBytes, type PartPlace, WrongLength } from './bytes.ts'

const chunk = 2 ** 20
const { O_CREAT, O_DIRECTORY, O_EXCL, O_RDONLY, O_WRONLY } = constants
const unfinished = '.parts'

/**
 * Bytes as files of a local folder: `<2 digits>/<uuid>`, and `<uuid>.parts` with each part at its offset until the object is
 * assembled by a rename; one that comes at once has its name from the start. A part is answered after fdatasync, an object after its folder is synced.
 */
export async function openLocalBytes(root: string): Promise<Bytes> {
  await mkdir(root, { recursive: true, mode: 0o700 })
  const folders = new Map<string, Promise<string>>()
  const find = (id: string): { folder: string; whole: string; parts: string } => {
    const folder = join(root, checkedId(id).slice(0, 2))
    return { folder, whole: join(folder, id), parts: join(folder, id + unfinished) }
  }
  const makeFolder = (folder: string): Promise<string> => {
    const made =
      folders.get(folder) ??
      (async () => {
        if ((await mkdir(folder, { recursive: true, mode: 0o700 })) !== undefined) await syncFolder(root)
        return folder
      })()
    folders.set(folder, made)
    // A failure is not kept: the disk may have room again.
    made.catch(() => folders.delete(folder))
    return made
  }

  return {
    async putPart(id, place, source) {
      const { folder, parts } = find(id)
      await makeFolder(folder)
      const file = await open(parts, O_WRONLY | O_CREAT, 0o600)
      try {
        await writeAt(file, place, source)
        await file.datasync()
      } finally {
        await file.close()
      }
    },
    async put(id, size, source) {
      const { folder, whole } = find(id)
      await makeFolder(folder)
      const file = await open(whole, O_WRONLY | O_CREAT | O_EXCL, 0o600)
      try {
        await writeAt(file, { part: 0, offset: 0, size }, source)
        // The name and what it names, side by side.
        await Promise.all([file.datasync(), syncFolder(folder)])
      } catch (error) {
        await rm(whole, { force: true })
        throw error
      } finally {
        await file.close()
      }
    },
    async assemble(id, sizes) {
      const { folder, whole, parts } = find(id)
      const size = sizes.reduce((sum, part) => sum + part, 0)
      const found = (await sizeOf(parts)) ?? (await sizeOf(whole))
      if (found !== size) throw new NotAssembled(`there are ${found ?? 'no'} bytes where ${size} are expected`)
      await rename(parts, whole).catch(unlessMissing)
      await syncFolder(folder)
    },
    async open(id, start, end) {
      const file = await open(find(id).whole, O_RDONLY).catch(unlessMissing)
      if (file === undefined) return undefined
      const { size } = await file.stat()
      if (start >= 0 && start <= end && end <= size) return reader(file, start, end)
      await file.close()
      return undefined
    },
    async remove(id, what) {
      const { whole, parts } = find(id)
      // Not synced: a removal lost with the power is found again by the sweep at start.
      await rm(parts, { force: true })
      if (what === undefined) await rm(whole, { force: true })
    },
    async list(prefix) {
      const names = (await readdir(join(root, checkedPrefix(prefix))).catch(unlessMissing)) ?? []
      return names.flatMap(entryOf)
    },
  }
}

/** Collects what arrives into writes of about 1 MiB; while one is under way the next is collected. */
async function writeAt(file: FileHandle, { offset, size }: PartPlace, source: AsyncIterable<Uint8Array>): Promise<void> {
  let collected: Uint8Array[] = []
  let held = 0
  let written = 0
  let writing: Promise<unknown> = Promise.resolve()
  const flush = async (): Promise<void> => {
    await writing
    writing = writeAll(file, collected, held, offset + written)
    // Awaited with the next flush; until then its failure must not count as unhandled.
    writing.catch(() => undefined)
    written += held
    collected = []
    held = 0
  }
  try {
    for await (const piece of source) {
      if (written + held + piece.byteLength > size) throw new WrongLength('the part is longer than it should be')
      collected.push(piece)
      held += piece.byteLength
      if (held >= chunk) await flush()
    }
    await flush()
  } finally {
    await writing
  }
  if (written !== size) throw new WrongLength('the part is shorter than it should be')
}

async function writeAll(file: FileHandle, pieces: readonly Uint8Array[], count: number, position: number): Promise<void> {
  if (count === 0) return
  const { bytesWritten } = await file.writev(pieces, position)
  if (bytesWritten === count) return
  const rest = Buffer.concat(pieces).subarray(bytesWritten)
  await writeAll(file, [rest], rest.byteLength, position + bytesWritten)
}

function reader(file: FileHandle, start: number, end: number): OpenedBytes {
  let closed: Promise<void> | undefined
  const close = (): Promise<void> => (closed ??= file.close())
  async function* chunks(): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
    try {
      const buffer = Buffer.allocUnsafeSlow(Math.min(chunk, end - start))
      for (let position = start; position < end;) {
        const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.byteLength, end - position), position)
        if (bytesRead === 0) throw new Error('an object became shorter while it was read')
        position += bytesRead
        yield buffer.subarray(0, bytesRead)
      }
    } finally {
      await close()
    }
  }
  return { chunks: chunks(), close }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, O_RDONLY | O_DIRECTORY)
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

async function sizeOf(path: string): Promise<number | undefined> {
  return (await stat(path).catch(unlessMissing))?.size
}

function unlessMissing(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
  throw error
}

function entryOf(name: string): BytesEntry[] {
  const state = name.endsWith(unfinished) ? 'unfinished' : 'whole'
  const id = state === 'unfinished' ? name.slice(0, -unfinished.length) : name
  try {
    return [{ id: checkedId(id), state }]
  } catch {
    // Not ours: whatever else an operator or a file system keeps in the folder.
    return []
  }
}
