import { fileHeaders } from '@deputy/contract/api-files'

const { name, meta, epoch, base, version, updatedAt } = fileHeaders
const allowed = ['authorization', 'content-type', 'range', 'if-range', 'if-match', 'if-none-match', name, meta, epoch, base].join(', ')
const exposed = ['retry-after', 'etag', 'content-range', 'accept-ranges', meta, epoch, version, updatedAt].join(', ')

/** What an `Origin` header means for the api host, which only the broker's own pages may call from a browser. */
export type Caller = 'broker' | 'none' | 'foreign'

/** Tells the broker's pages, callers without an origin (no browser) and foreign pages apart. */
export const callerOf = (origin: string | undefined, broker: string): Caller => (origin === undefined ? 'none' : origin === broker ? 'broker' : 'foreign')

/** The headers of an answer to the broker's pages. */
export const corsHeaders = (broker: string): Record<string, string> => ({
  'access-control-allow-origin': broker,
  'access-control-expose-headers': exposed,
  vary: 'origin',
})

/** The headers of an answer that pages of every origin may read. */
export const openCors = { 'access-control-allow-origin': '*' } as const

/** The answer to the broker's preflight, kept by the browser for two hours. */
export const preflight = (broker: string): Response =>
  new Response(null, {
    status: 204,
    headers: {
      ...corsHeaders(broker),
      'access-control-allow-methods': 'GET, POST, PUT',
      'access-control-allow-headers': allowed,
      'access-control-max-age': '7200',
    },
  })
