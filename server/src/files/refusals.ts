import { refuse } from '../http/handler.ts'

/** One answer for a file never written, removed, or another app's. */
export const noFile = refuse('not-found', 'there is no such file')
/** One answer for an upload never begun, given up, out of time, or another app's. */
export const noUpload = refuse('not-found', 'there is no such upload')
/** The account went while it called. */
export const noAccount = refuse('unauthorized', 'the session is unknown or over')

/** What the procedures refuse. */
export const refusals = {
  'no-keys': refuse('denied', 'the account has no keys'),
  'other-epoch': refuse('conflict', 'the key epoch is not the current one'),
  'other-version': refuse('conflict', 'the file has another version'),
  'not-again': refuse('invalid', 'only a file of an older key epoch is sealed again, and keeps its size'),
  'no-upload': noUpload,
  'no-file': noFile,
  quota: refuse('quota', 'the account has no room for a file of this size'),
  'too-many': refuse('too-many', 'the account has as many files as it may'),
  'too-many-uploads': refuse('too-many', 'the account has as many unfinished uploads as it may'),
} as const
