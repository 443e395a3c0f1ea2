import { list, object, string } from '@deputy/contract/shape'
import { duration, flag, json, type Key, origin, secret, share, size, text, whole, word, words } from './keys.ts'

const provider = object({
  id: string({ min: 1, max: 64, pattern: /^[a-z0-9-]+$/ }),
  title: string({ min: 1, max: 100 }),
  issuer: string({ max: 500, pattern: /^https?:\/\// }),
  clientId: string({ min: 1, max: 300 }),
  clientSecret: string({ max: 500 }),
})

/** Every configuration key of the server. The variable of `limits.read` is `DEPUTY_LIMITS_READ`. */
export const schema = {
  server: {
    mode: word(['development', 'production'], 'development', 'In production nothing may be left to local defaults: origins, mail and sites must be said'),
    folder: text('.deputy', 'Folder of the database, the objects and the server secret; one process at a time'),
    port: whole(4400, 0, 65_535, 'Port of all origins; 0 takes a free one'),
    hosts: words(['127.0.0.1', '::1'], 'Addresses to listen on'),
    proxies: whole(0, 0, 10, 'Trusted reverse proxies in front, counted from the right of X-Forwarded-For'),
    secret: secret('Key of codes and cursors, at least 32 characters; made and kept in the folder when empty'),
    shutdown: duration('25s', 'Longest time a shutdown may take'),
    drain: duration('0s', 'Time between "not ready" and closing the port, for a load balancer to notice'),
  },
  origins: {
    broker: origin('Origin of the broker pages; http://broker.localhost:<port> when empty'),
    api: origin('Origin of the HTTP API; http://api.localhost:<port> when empty'),
    cdn: origin('Origin of sealed objects; http://cdn.localhost:<port> when empty'),
    playground: origin('Origin of the demo app; http://playground.localhost:<port> when empty'),
  },
  sites: {
    broker: text('', 'Folder of the built broker pages'),
    playground: text('', 'Folder of the built playground; none is served when empty'),
  },
  accounts: {
    premium: word(['granted', 'everyone'], 'granted', 'Whether premium is granted account by account or belongs to everyone'),
    signUp: flag(true, 'Whether strangers may make accounts'),
    providers: json(list(provider, { max: 20 }), [], 'Outside OIDC providers: a list of { id, title, issuer, clientId, clientSecret }', value =>
      value.map(item => ({ ...item, clientSecret: '(set)' })),
    ),
    ceremony: duration('5m', 'Life of a begun passkey or provider sign-in'),
    emailCode: duration('10m', 'Life of an e-mail code'),
    emailTries: whole(5, 1, 20, 'Wrong tries that use up an e-mail code'),
    emailsPerHour: whole(6, 1, 1000, 'E-mail codes sent to one address in an hour'),
  },
  sessions: {
    renew: duration('15m', 'Use after which a session is renewed'),
    grace: duration('60s', 'How much longer the old token of a renewed session works'),
    sliding: duration('30d', 'Life of a session without use'),
    absolute: duration('180d', 'Longest life of a session'),
  },
  apps: {
    code: duration('60s', 'Life of the one-time code that connects an app'),
  },
  limits: {
    read: whole(1200, 1, 1_000_000, 'Reading calls a minute for one account'),
    write: whole(600, 1, 1_000_000, 'Writing calls a minute for one account'),
    signIn: whole(60, 1, 1_000_000, 'Sign-in calls a minute from one address'),
    address: whole(3000, 1, 10_000_000, 'Calls a minute from one address (IPv6: one /64), whoever makes them'),
    body: size('256KiB', 'Largest JSON body'),
    bodyTime: duration('15s', 'Longest time a JSON body may take to arrive'),
    idle: duration('30s', 'Longest silence within an upload'),
  },
  objects: {
    bytes: size('5GiB', 'Storage of an account'),
    bytesPremium: size('100GiB', 'Storage of a premium account'),
    count: whole(10_000, 1, 100_000_000, 'Objects of an account'),
    countPremium: whole(100_000, 1, 100_000_000, 'Objects of a premium account'),
    perHour: whole(600, 1, 1_000_000, 'New objects an hour of an account'),
    largest: size('5GiB', 'Largest object'),
    part: size('8MiB', 'Plain bytes of an upload part'),
    unfinished: duration('24h', 'Life of an unfinished upload without a new part'),
    sweep: duration('10m', 'Time between two sweeps'),
  },
  rooms: {
    members: whole(256, 1, 1024, 'Members of a room that asks for no other number'),
    membersLargest: whole(1024, 1, 10_000, 'Most members a room may ask for'),
    message: size('64KiB', 'Size of a sealed message unless the room or its owner says otherwise'),
    messageLargest: size('256KiB', 'Largest size of a sealed message an owner may allow'),
    sendRate: whole(20, 1, 1_000_000, 'Messages a second of a member'),
    sendBurst: whole(40, 1, 1_000_000, 'Messages a member may send at once'),
    requestRate: whole(200, 1, 1_000_000, 'Requests a second of a room socket'),
    seats: whole(200, 1, 100_000, 'Rooms one socket may be in'),
    sockets: whole(500, 1, 10_000_000, 'Room sockets from one address'),
    waiting: size('1MiB', 'Bytes that may wait for a member that does not read before it is cut off'),
    hold: duration('30s', 'How long a seat is kept for a member whose connection dropped'),
    lease: duration('10s', 'How long a process holds a room without renewing'),
    claims: whole(100, 0, 1_000_000, 'Rooms an account may claim'),
    mailbox: size('500000000B', 'Size of a mailbox unless the account sets another'),
    archive: duration('30d', 'How long a mailbox is kept read-only after premium lapsed'),
    sweep: duration('1m', 'Time between two looks at claims, leases and premium'),
  },
  mail: {
    server: secret('SMTP server as a url, e.g. smtps://user:password@mail.example; codes are printed to the console when empty'),
    from: text('Deputy <no-reply@localhost>', 'Sender of the mails'),
  },
  operations: {
    metricsPort: whole(0, 0, 65_535, 'Port of /metrics on the loopback address; none when 0'),
    log: word(['error', 'warn', 'info', 'silent'], 'info', 'What is logged'),
    slow: duration('250ms', 'Requests slower than this are logged'),
    sample: share(0, 'Share of all requests that is logged'),
  },
} as const satisfies Record<string, Record<string, Key>>

type Values<S> = { readonly [G in keyof S]: { readonly [K in keyof S[G]]: S[G][K] extends Key<infer T> ? T : never } }
/** The validated configuration. */
export type Config = Values<typeof schema>

/** The environment variable of a key, e.g. `DEPUTY_LIMITS_SIGN_IN`. */
export const variableOf = (group: string, name: string): string => `DEPUTY_${group}_${name.replace(/[A-Z]/g, letter => `_${letter}`)}`.toUpperCase()
