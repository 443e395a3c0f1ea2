/** A part of an unfinished object: which one it is, where it lies in the whole, and how many bytes it has. */
export interface PartPlace {
  /** From 0. */
  readonly part: number
  readonly offset: number
  readonly size: number
}

/** Bytes found under an id: a whole object, or parts of one that was never assembled. */
export interface BytesEntry {
  readonly id: string
  readonly state: 'whole' | 'unfinished'
}

/** A range being read. */
export interface OpenedBytes {
  /** The range's bytes in order, at most 1 MiB at a time; a chunk is valid until the next one is asked for. Read once. */
  readonly chunks: AsyncIterable<Uint8Array<ArrayBuffer>>
  /** Gives the range back, read to its end or not. */
  close(): Promise<void>
}

/** A part's source ended early or late. Nothing of the part counts. */
export class WrongLength extends Error {
  override readonly name = 'WrongLength'
}

/** Parts are missing, or the object under this id has another size. */
export class NotAssembled extends Error {
  override readonly name = 'NotAssembled'
}

/**
 * The bytes of objects, by uuid. Rows say which objects there are and which parts have landed; this holds what they name. Every
 * method throws a TypeError for an id that is no lower-case uuid, so that no id can name anything else.
 *
 * Order of changes: a row before its bytes when they come, bytes before their row when they go. So bytes without a row are
 * always left-overs, but for those of one request, which its process knows to be on their way.
 */
export interface Bytes {
  /**
   * Keeps a part of an object that is not assembled yet; durable once this resolves. A part may be put again, with the same
   * bytes, but two puts of one part must not run at once. Holds at most 2 MiB of it in memory.
   * @throws {WrongLength} when the source does not deliver exactly the size.
   */
  putPart(id: string, place: PartPlace, source: AsyncIterable<Uint8Array>): Promise<void>
  /**
   * Keeps a whole object that comes at once; durable once this resolves. An id is put once. Holds at most 2 MiB of it in memory.
   * @throws {WrongLength} when the source does not deliver exactly the size; nothing of it is left then.
   */
  put(id: string, size: number, source: AsyncIterable<Uint8Array>): Promise<void>
  /**
   * Makes one object of parts that have all resolved; durable once this resolves. Repeating it is allowed.
   * @throws {NotAssembled} when the bytes there are not of this size.
   */
  assemble(id: string, sizes: readonly number[]): Promise<void>
  /** Opens the bytes from `start` to `end` (exclusive) of an assembled object; undefined when there are not that many. */
  open(id: string, start: number, end: number): Promise<OpenedBytes | undefined>
  /** Removes whatever there is under the id, unless it says only what is unfinished. A range already opened may be read on. */
  remove(id: string, what?: 'unfinished'): Promise<void>
  /** What there is under ids that start with these two hexadecimal digits. */
  list(prefix: string): Promise<readonly BytesEntry[]>
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** The id, when it is a lower-case uuid. @throws {TypeError} */
export const checkedId = (id: string): string => {
  if (!uuid.test(id)) throw new TypeError('an object id must be a lower-case uuid')
  return id
}

/** The prefix, when it is two lower-case hexadecimal digits. @throws {TypeError} */
export const checkedPrefix = (prefix: string): string => {
  if (!/^[0-9a-f]{2}$/.test(prefix)) throw new TypeError('a prefix must be two lower-case hexadecimal digits')
  return prefix
}
