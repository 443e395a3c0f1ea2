/** What a page of the file tests runs: the library's file subpaths, and the cases of `fs-cases.ts` on them. Bundled by tests. */
import { account, configure } from '@deputy/client'
import * as cloud from '@deputy/client/cloud'
import * as cloudFiles from '@deputy/client/cloud/fs'
import * as files from '@deputy/client/fs'
import * as opfs from '@deputy/client/opfs'
import { store } from '@deputy/client/store'
import { type FsUnderTest, transcripts } from './fs-cases.ts'

export interface FilesRealm {
  readonly files: typeof files
  readonly opfs: typeof opfs
  readonly cloud: typeof cloud
  readonly cloudFiles: typeof cloudFiles
  readonly store: typeof store
  login(): Promise<boolean>
  /** The transcripts of all cases on one of them. */
  transcripts(of: 'files' | 'opfs' | 'indexeddb' | 'cloud'): Promise<Record<string, unknown>>
  /** How a rejected promise ended, as data. */
  failure(promise: Promise<unknown>): Promise<{ readonly name: string; readonly code: unknown; readonly message: string } | null>
}

const broker = new URLSearchParams(location.search).get('broker')
if (broker !== null) configure({ broker })
// The tests say themselves when files are adopted.
files.configureFiles({ asksToAdopt: false })
const modules = {
  files: files.promises,
  cloud: cloudFiles.promises,
  opfs: opfs.promises,
  indexeddb: opfs.openLocal('fallback', { backing: 'indexeddb' }),
}
const realm: FilesRealm = {
  ...{ files, opfs, cloud, cloudFiles, store },
  login: account.login,
  transcripts: of => transcripts(modules[of] as unknown as FsUnderTest),
  failure: promise =>
    promise.then(
      () => null,
      (error: Error & { code?: unknown }) => ({ name: error.name, code: error.code, message: error.message }),
    ),
}
Object.assign(globalThis, { realm })
