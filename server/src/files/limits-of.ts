import type { Config } from '../config/schema.ts'
import type { FileLimits } from './writes.ts'

const recordBytes = 2 ** 20
const recordOverhead = 28
const headOverhead = 64

/** What an account's files may come to, by configuration. */
export const limitsOf = ({ files }: Config, premium: boolean): FileLimits => ({
  bytes: premium ? files.bytesPremium : files.bytes,
  files: files.count,
  uploads: files.uploads,
})

/** Sealed bytes a file of the largest allowed size may have: its head, and what every record of 1 MiB adds. */
export const largestSealed = ({ files: { largest } }: Config): number => largest + recordOverhead * Math.max(1, Math.ceil(largest / recordBytes)) + headOverhead
