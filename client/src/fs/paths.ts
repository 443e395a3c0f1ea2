import { FsError } from './errors.ts'

/** Most bytes of a path. */
const MOST = 1024

/** What stands for a path in a call: text, or a `file:` url. */
export type PathLike = string | URL

/**
 * The one spelling of a path: segments joined by `/`, none at either end, `.` and `..` resolved as below a root; the root itself is `''`.
 * @throws {FsError} `EINVAL` for what cannot name a file: control characters, or more than 1,024 bytes.
 */
export function pathOf(given: PathLike): string {
  const text = given instanceof URL ? decodeURIComponent(given.pathname) : given
  if (typeof text !== 'string') throw new TypeError('fs: a path is text or a URL')
  const segments: string[] = []
  for (const segment of text.normalize('NFC').split('/')) {
    if (segment === '..') segments.pop()
    else if (segment !== '' && segment !== '.') segments.push(segment)
  }
  const path = segments.join('/')
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  if (/[\u0000-\u001f\u007f]/.test(path) || new TextEncoder().encode(path).length > MOST || !path.isWellFormed()) throw new FsError('EINVAL', { path: text })
  return path
}

/** The directory a path stands in; `''` for the root's own. */
export const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')))
/** The last segment. */
export const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)
/** A path below a directory. */
export const joined = (directory: string, name: string): string => (directory === '' ? name : `${directory}/${name}`)
/** Whether a path stands somewhere below a directory. */
export const isBelow = (path: string, directory: string): boolean => path !== directory && (directory === '' || path.startsWith(`${directory}/`))
