/** Header names and values, in order, repeated ones apart. */
export type Pairs = readonly (readonly [name: string, value: string])[]

/** Said by one connection to the next, or by the node itself. */
const ofTheWay = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])
const ofTheAnswer = new Set(['connection', 'keep-alive', 'proxy-authenticate', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'alt-svc'])
/** Go to nobody but the site they were meant for. */
const ofOneSite = new Set(['authorization', 'cookie'])
const ofBody = new Set(['content-encoding', 'content-language', 'content-location', 'content-type'])

/** Encodings the node undoes. */
export const accepted = 'gzip, deflate, br, zstd'

/** What is sent to the site: the app's headers without those of the way, and the encodings the node undoes. */
export const toSite = (pairs: Pairs): [string, string][] => [
  ...pairs.filter(([name]) => !ofTheWay.has(name.toLowerCase())).map(([name, value]): [string, string] => [name, value]),
  ['accept-encoding', accepted],
]

/** What is left of a request's headers for another site, and for a request whose body was dropped. */
export const afterRedirect = (pairs: Pairs, { crossed, bodyless }: { readonly crossed: boolean; readonly bodyless: boolean }): Pairs =>
  pairs.filter(([name]) => !(crossed && ofOneSite.has(name.toLowerCase())) && !(bodyless && ofBody.has(name.toLowerCase())))

/** The answer's headers as pairs, without those of the way. */
export function fromSite(raw: readonly Buffer[]): [string, string][] {
  const pairs: [string, string][] = []
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = (raw[at] as Buffer).toString('latin1').toLowerCase()
    if (!ofTheAnswer.has(name)) pairs.push([name, (raw[at + 1] as Buffer).toString('latin1')])
  }
  return pairs
}

/** The headers of an answer whose encoding the node undid: they say neither that nor its length. */
export const undone = (pairs: [string, string][]): [string, string][] => pairs.filter(([name]) => name !== 'content-encoding' && name !== 'content-length')

/** The value of the first header of that name. */
export const valueOf = (pairs: Pairs, name: string): string | undefined => pairs.find(([one]) => one === name)?.[1]
