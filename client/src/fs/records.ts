import type { Entry } from './volume.ts'

/** A file as this browser keeps it. `version` is this browser's own name for the state. */
export interface FileRecord extends Entry {
  /** Key of its bytes; `null` where only the cloud has them. */
  readonly content: string | null
  /** The version in the cloud that this state was made from; `null` when it was made from none. */
  readonly base: string | null
  /** Place in the queue of what the cloud has still to hear; `null` when it knows. */
  readonly owed: number | null
  /** Removed here, and the cloud has still to hear of it. */
  readonly gone: boolean
}

/** One step of a commit: what becomes of the record that is there. Answers the next one, `null` to drop it, `undefined` to leave it; what it throws undoes the whole commit. */
export interface Edit {
  readonly path: string
  make(stored: FileRecord | undefined): FileRecord | null | undefined
  /** Bytes to keep under a key, for the record that names it. */
  readonly content?: { readonly key: string; readonly bytes: Uint8Array<ArrayBuffer> } | undefined
}

/**
 * Records and the bytes they name, in spaces of their own, shared by all tabs of the origin. A commit is all or nothing, alone at its moment, and durable once it resolves; bytes that
 * no record names any more are dropped with it.
 */
export interface Records {
  load(space: string): Promise<readonly FileRecord[]>
  get(space: string, path: string): Promise<FileRecord | undefined>
  /** Answers the records as they stand behind each edit. */
  commit(space: string, edits: readonly Edit[], values?: readonly (readonly [key: string, value: unknown])[]): Promise<readonly (FileRecord | undefined)[]>
  /** The bytes of a key from `start` to `end` exclusive; `undefined` when they were dropped. */
  content(key: string, start?: number, end?: number): Promise<Uint8Array<ArrayBuffer> | undefined>
  /** Drops bytes that were kept for a commit which never came. */
  sweep(): Promise<void>
  value(key: string): Promise<unknown>
  setValue(key: string, value: unknown): Promise<void>
}
