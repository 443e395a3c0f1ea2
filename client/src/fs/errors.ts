import { ChannelError } from '@deputy/channel'
import type { FsErrorCode } from '@deputy/contract/fs'

/** Codes of Node's own that file calls end with. */
export type NodeCode = 'ENOENT' | 'EEXIST' | 'EISDIR' | 'ENOTDIR' | 'ENOTEMPTY' | 'EINVAL' | 'EPERM' | 'EFBIG' | 'ENOSPC' | 'EBADF'
/** Codes of Deputy's own, for what Node has no word for. */
export type DeputyCode =
  | 'STORAGE_LOCKED'
  | 'ACCOUNT_CHANGED'
  | 'INTEGRITY'
  | 'STALE_EPOCH'
  | 'PIN_UNSUPPORTED'
  | 'UNAVAILABLE'
  | 'CONFLICT'
  | 'QUOTA'
  | 'TOO_LARGE'
  | 'TOO_MANY'
  | 'DENIED'
export type FsCode = NodeCode | DeputyCode

const words: Readonly<Record<FsCode, string>> = {
  ENOENT: 'no such file or directory',
  EEXIST: 'file already exists',
  EISDIR: 'illegal operation on a directory',
  ENOTDIR: 'not a directory',
  ENOTEMPTY: 'directory not empty',
  EINVAL: 'invalid argument',
  EPERM: 'operation not permitted',
  EFBIG: 'file too large',
  ENOSPC: 'no space left',
  EBADF: 'bad file descriptor',
  STORAGE_LOCKED: 'the storage is locked; call unlock from a click and try again',
  ACCOUNT_CHANGED: 'the signed-in account changed meanwhile; try again under the account that is signed in now',
  INTEGRITY: 'the file does not open under this account; it was altered or belongs to other keys',
  STALE_EPOCH: 'the keys were replaced; call unlock from a click and try again',
  PIN_UNSUPPORTED: 'this broker cannot pin an account, so nothing was sent to it; it has to be updated',
  UNAVAILABLE: 'the file storage cannot be reached; try again when the device is online',
  CONFLICT: 'the file was changed meanwhile; read it again and write on top of that',
  QUOTA: 'the storage of the account is full; remove files to go on',
  TOO_LARGE: 'the file is too large to store',
  TOO_MANY: 'the account has too many files; remove some to go on',
  DENIED: 'storing needs an account; call login or connect from a click',
}

/** How a refusal of `cloud.fs` reads in Node's terms, where it has any, and in Deputy's. */
const refusals: Readonly<Record<FsErrorCode, readonly [FsCode, DeputyCode?]>> = {
  invalid: ['EINVAL'],
  'not-found': ['ENOENT'],
  denied: ['EPERM', 'DENIED'],
  locked: ['STORAGE_LOCKED', 'STORAGE_LOCKED'],
  integrity: ['INTEGRITY', 'INTEGRITY'],
  'account-changed': ['ACCOUNT_CHANGED', 'ACCOUNT_CHANGED'],
  conflict: ['CONFLICT', 'CONFLICT'],
  'stale-epoch': ['STALE_EPOCH', 'STALE_EPOCH'],
  quota: ['ENOSPC', 'QUOTA'],
  'too-many': ['ENOSPC', 'TOO_MANY'],
  'too-large': ['EFBIG', 'TOO_LARGE'],
  unavailable: ['UNAVAILABLE', 'UNAVAILABLE'],
}

/** Where a call failed. */
export interface Place {
  readonly syscall?: string | undefined
  readonly path?: string | undefined
  readonly dest?: string | undefined
}

/**
 * A failed file call. `code` is Node's where Node has one for it and Deputy's otherwise; `deputyCode` says in Deputy's terms
 * what Node's code leaves open (`ENOSPC`: `QUOTA` or `TOO_MANY`). Branch on these, never on the message, which names the way out.
 */
export class FsError extends Error {
  override readonly name = 'FsError'
  readonly code: FsCode
  readonly deputyCode: DeputyCode | undefined
  readonly syscall: string | undefined
  readonly path: string | undefined
  readonly dest: string | undefined
  constructor(code: FsCode, { syscall, path, dest }: Place = {}, { deputyCode, ...options }: ErrorOptions & { deputyCode?: DeputyCode | undefined } = {}) {
    const place = [syscall, path !== undefined && `'${path}'`, dest !== undefined && `-> '${dest}'`].filter(Boolean).join(' ')
    super(`${code}: ${words[deputyCode ?? code]}${place && `, ${place}`}`, options)
    this.code = code
    this.deputyCode = deputyCode ?? (code.startsWith('E') ? undefined : (code as DeputyCode))
    this.syscall = syscall
    this.path = path
    this.dest = dest
  }
}

/** The error of a refusal that `cloud.fs` answered. */
export function refused(code: FsErrorCode, place: Place = {}): FsError {
  const [named, deputyCode] = refusals[code]
  return new FsError(named, place, { deputyCode })
}

/** Whether an error is a file error of one of these codes. */
export const isCode = (error: unknown, ...codes: readonly FsCode[]): error is FsError =>
  error instanceof FsError && (codes.includes(error.code) || (error.deputyCode !== undefined && codes.includes(error.deputyCode)))

/** The error as it leaves a call at this place: a broker out of reach is `UNAVAILABLE`, and a file error is told where it happened. */
export function placed(error: unknown, place: Place): unknown {
  if (error instanceof ChannelError) return new FsError('UNAVAILABLE', place, { cause: error })
  if (error instanceof FsError && error.syscall === undefined) return new FsError(error.code, place, { deputyCode: error.deputyCode, cause: error.cause })
  return error
}
