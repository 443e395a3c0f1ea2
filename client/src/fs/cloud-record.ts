import type { VersionedEntry } from '@deputy/contract/fs'
import { entryOf } from './cloud-volume.ts'
import type { FileRecord } from './records.ts'
import { cloudName } from './records-volume.ts'

/** The record of a file as the cloud has it, its bytes still to be brought. */
export const cloudRecord = (entry: VersionedEntry): FileRecord => ({
  ...entryOf(entry),
  ...{ version: cloudName(entry.version), base: entry.version, content: null, owed: null, gone: false },
})
