const here = '127.0.0.1'
const at = (port: number | undefined, elsewhere: string): string => (port === undefined ? elsewhere : `${here}:${port}`)
const base = `http://${at(DEMO_PEER?.http, 'example.com')}`

/** What each tool names until somebody types something else: the peer of this machine, where there is one. */
export const places = {
  url: DEMO_PEER === null ? `${base}/` : `${base}/said`,
  name: DEMO_PEER === null ? 'example.com' : 'localhost',
  tcp: DEMO_PEER === null ? { host: 'irc.libera.chat', port: 6667 } : { host: here, port: DEMO_PEER.store },
  udp: { host: DEMO_PEER === null ? '' : here, port: DEMO_PEER?.echo ?? 7 },
  'down-url': DEMO_PEER === null ? base : `${base}/bytes?n=20000000000`,
  'up-url': DEMO_PEER === null ? base : `${base}/sink`,
  'down-tcp': at(DEMO_PEER?.chargen, 'host:port'),
  'up-tcp': at(DEMO_PEER?.discard, 'host:port'),
}

/** Pages worth a look, by what they show. */
export const pages: readonly (readonly [title: string, url: string])[] =
  DEMO_PEER === null
    ? [['A page without CORS', base]]
    : [
        ['What I said', `${base}/said`],
        ['A redirect', `${base}/redirect`],
        ['Compressed', `${base}/gzip`],
        ['Line by line', `${base}/slow`],
        ['1 MB', `${base}/bytes?n=1000000`],
        ['A port that is closed to us', `http://${here}:1/`],
        ['A name that is none', 'http://nowhere.invalid/'],
      ]
