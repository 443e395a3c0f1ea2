import { unsupported } from './errors.ts'

const absent = (name: string) => (): never => {
  throw unsupported(name)
}

// Clients of several protocols import these whether they come to use them or not.
/** @throws ENOTSUP, as everything here: no page has it. */
export const connect = absent('connect')
/** @throws ENOTSUP */
export const createConnection = absent('connect')
/** @throws ENOTSUP */
export const createSecureContext = absent('createSecureContext')
/** @throws ENOTSUP */
export const createServer = absent('listen')
/** @throws ENOTSUP */
export const get = absent('request')
/** @throws ENOTSUP */
export const request = absent('request')
/** @throws ENOTSUP */
export const readFile = absent('open')
/** @throws ENOTSUP */
export const readFileSync = absent('open')
/** @throws ENOTSUP */
export const createReadStream = absent('open')
/** @throws ENOTSUP */
export const createWriteStream = absent('open')
/** @throws ENOTSUP */
export const unlink = absent('unlink')
/** @throws ENOTSUP */
export const spawn = absent('spawn')
/** @throws ENOTSUP */
export const createGunzip = absent('inflate')
/** @throws ENOTSUP */
export const createInflate = absent('inflate')

export * as default from './absent.ts'
