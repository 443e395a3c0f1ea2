import type { FileHandle } from '@deputy/seal'
import { makeZip } from 'client-zip'
import type { AppFile } from './files.ts'

/** What goes into an archive, and who is told how far it is. */
export interface Archive {
  readonly files: readonly AppFile[]
  readonly open: (file: AppFile) => Promise<FileHandle>
  /** Called with the bytes and the files that are in so far. */
  readonly progress: (bytes: number, files: number) => void
  readonly signal: AbortSignal
}

/**
 * The files as one zip archive, opened and packed as it is read: never more than a record of one file is held. It fails as soon as
 * one of the files does not open, so that what is saved is whole.
 */
export function zipOf({ files, open, progress, signal }: Archive): ReadableStream<Uint8Array<ArrayBuffer>> {
  let bytes = 0
  let done = 0
  async function* contentOf(file: AppFile): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    const handle = await open(file)
    for await (const chunk of handle.read(0, handle.size)) {
      signal.throwIfAborted()
      bytes += chunk.length
      progress(bytes, done)
      // The reader uses its memory again.
      yield chunk.slice()
    }
    done += 1
    progress(bytes, done)
  }
  async function* entries() {
    for (const file of files) {
      signal.throwIfAborted()
      if (file.entry === null) continue
      yield { name: zipPath(file.entry.path), lastModified: new Date(file.entry.sealedAt), size: file.entry.size, input: contentOf(file) }
    }
  }
  return makeZip(entries()) as ReadableStream<Uint8Array<ArrayBuffer>>
}

/** A path as it may stand in an archive that anybody unpacks: below the folder it is unpacked in, and free of what file systems read as more than a name. */
export const zipPath = (path: string): string =>
  path
    .split(/[/\\]/)
    .filter(segment => segment !== '' && segment !== '.')
    .map(segment => (segment === '..' ? '__' : segment.replaceAll(/[\p{Cc}:*?"<>|]/gu, '_')))
    .join('/')
