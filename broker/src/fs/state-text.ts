import { refusal } from './refused.ts'

/**
 * Which state of a file is meant: the service's version of it, the epoch it was sealed under and the time it was written at. Sealed again
 * under newer keys it has another version, a later epoch and the same time.
 */
export interface FileState {
  readonly version: number
  readonly epoch: number
  /** Epoch ms. */
  readonly sealedAt: number
}

/** The text an app is told a state by. */
export const stateText = ({ version, epoch, sealedAt }: FileState): string => `${version}.${epoch}.${sealedAt}`

/** The state a text names. @throws {RemoteError} `conflict` for one that no file can have, which is another state */
export function stateIn(text: string): FileState {
  const [, version, epoch, sealedAt] = /^([1-9]\d{0,14})\.([1-9]\d{0,9})\.(\d{1,16})$/.exec(text) ?? []
  if (version === undefined) throw refusal('changed')
  return { version: Number(version), epoch: Number(epoch), sealedAt: Number(sealedAt) }
}

/** Whether `now` is the state that was meant, sealed again since. */
export const sealedAgain = (meant: FileState, now: FileState): boolean =>
  now.version > meant.version && now.epoch > meant.epoch && now.sealedAt === meant.sealedAt
