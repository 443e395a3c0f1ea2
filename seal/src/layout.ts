import { SealError } from './error.ts'

/** Plaintext bytes of every record but the last. */
export const RECORD_BYTES = 1_048_576
/** Bytes of the nonce stored before a record's ciphertext. */
export const NONCE_BYTES = 12
/** Bytes a record is longer than its plaintext: nonce and tag. */
export const OVERHEAD = 28
/** Bytes of every sealed record but the last. */
export const SEALED_RECORD_BYTES = RECORD_BYTES + OVERHEAD

const MAX_RECORDS = 2 ** 32

/**
 * How many records hold `size` plaintext bytes; an empty plaintext is one record.
 * @throws {SealError} `invalid-size` unless a whole number up to 2^32 records (4 PiB)
 */
export function recordCount(size: number): number {
  if (!Number.isSafeInteger(size) || size < 0 || size > MAX_RECORDS * RECORD_BYTES) throw new SealError('invalid-size')
  return Math.max(1, Math.ceil(size / RECORD_BYTES))
}

/**
 * Sealed bytes of `size` plaintext bytes: 28 more per record.
 * @throws {SealError} `invalid-size`
 */
export function sealedLength(size: number): number {
  return size + OVERHEAD * recordCount(size)
}

/**
 * Plaintext bytes of `sealed` sealed bytes; the inverse of `sealedLength`.
 * @throws {SealError} `integrity` for a length no plaintext has
 */
export function plainLength(sealed: number): number {
  const possible = Number.isSafeInteger(sealed) && sealed >= OVERHEAD && sealed <= MAX_RECORDS * SEALED_RECORD_BYTES
  if (!possible) throw new SealError('integrity')
  const count = Math.ceil(sealed / SEALED_RECORD_BYTES)
  const size = sealed - OVERHEAD * count
  if (size < 0 || recordCount(size) !== count) throw new SealError('integrity')
  return size
}

/** Plaintext bytes of record `index` when `size` bytes are sealed. */
export function recordLength(size: number, index: number): number {
  return Math.min(RECORD_BYTES, size - index * RECORD_BYTES)
}

/** The records a plaintext range needs: `first` up to but not including `end`, and the sealed bytes they fill. */
export interface RecordRange {
  readonly first: number
  readonly end: number
  readonly sealedStart: number
  readonly sealedEnd: number
}

/**
 * The whole records that plaintext bytes `start` to `end` (exclusive) lie in, of an object of `size` bytes. An empty range needs none.
 * @throws {SealError} `invalid-range` unless 0 <= start <= end <= size, all whole numbers
 */
export function recordRange(size: number, start: number, end: number): RecordRange {
  const fits = Number.isSafeInteger(start) && Number.isSafeInteger(end) && start >= 0 && start <= end && end <= size
  if (!fits) throw new SealError('invalid-range')
  const first = Math.floor(start / RECORD_BYTES)
  return sealedRange(size, first, start === end ? first : Math.floor((end - 1) / RECORD_BYTES) + 1)
}

/** Records `first` up to but not including `end`, with the sealed bytes they fill. */
export function sealedRange(size: number, first: number, end: number): RecordRange {
  const length = sealedLength(size)
  return { first, end, sealedStart: Math.min(first * SEALED_RECORD_BYTES, length), sealedEnd: Math.min(end * SEALED_RECORD_BYTES, length) }
}

/** Records in one upload part: 8 (8 MiB), or more for a huge object so that it has at most 9,000 parts. */
export function recordsPerPart(size: number): number {
  return Math.max(8, Math.ceil(recordCount(size) / 9_000))
}
