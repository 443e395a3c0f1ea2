const known = new Set([
  'EACCES',
  'EADDRINUSE',
  'EADDRNOTAVAIL',
  'EAI_AGAIN',
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'EINVAL',
  'EMFILE',
  'EMSGSIZE',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
])

/** Code a stream is reset with for an error of Node; what has no code of the protocol is a connection that broke. */
export const resetCode = (error: unknown): string => {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'EADDRFAMILY' || code === 'EAFNOSUPPORT') return 'EADDRNOTAVAIL'
  if (code === 'EPERM') return 'EACCES'
  return code !== undefined && known.has(code) ? code : 'ECONNRESET'
}
