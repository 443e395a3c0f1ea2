/** A plain 404. */
export const notFound = (headers: Readonly<Record<string, string>>): Response =>
  new Response('not found\n', { status: 404, headers: { ...headers, 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' } })

/** A plain 405 of a site that is only read. */
export const methodNotAllowed = (headers: Readonly<Record<string, string>>): Response =>
  new Response('only GET and HEAD\n', { status: 405, headers: { ...headers, allow: 'GET, HEAD', 'content-type': 'text/plain; charset=utf-8' } })
