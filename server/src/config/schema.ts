import { list, object, string } from '@deputy/contract/shape'
import { duration, flag, json, type Key, origin, secret, share, size, text, whole, word, words } from './keys.ts'

const provider = object({
  id: string({ min: 1, max: 64, pattern: /^[a-z0-9-]+$/ }),
  title: string({ min: 1, max: 100 }),
  issuer: string({ max: 500, pattern: /^https?:\/\// }),
  clientId: string({ min: 1, max: 300 }),
  clientSecret: string({ max: 500 }),
})
const node = object({
  id: string({ min: 1, max: 64, pattern: /^[a-z0-9-]+$/ }),
  origin: string({ max: 300, pattern: /^https?:\/\/[^/?#@\s;,]+$/ }),
  hash: string({ min: 43, max: 43, pattern: /^[A-Za-z0-9_-]+$/ }),
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
    files: whole(3000, 1, 10_000_000, 'Files put and got a minute by one account'),
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
    sweep: duration('10m', 'Time between two sweeps, of files too'),
  },
  files: {
    bytes: size('5GiB', 'File storage of an account'),
    bytesPremium: size('100GiB', 'File storage of a premium account'),
    count: whole(100_000, 1, 100_000_000, 'Files of an account'),
    largest: size('1GiB', 'Largest file'),
    inline: size('64KiB', 'Sealed bytes up to which a file is kept in the database'),
    part: size('8MiB', 'Sealed bytes of an upload part'),
    uploads: whole(64, 1, 10_000, 'Unfinished uploads of an account'),
    unfinished: duration('24h', 'Life of an unfinished upload without a new part'),
    traces: duration('90d', 'How long it is known which files were removed'),
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
  tunnel: {
    node: text('local', 'Id of the tunnel node within the server; apps read it in the svc-node header'),
    title: text('This server', 'What the person reads of it where nodes are chosen'),
    embedded: flag(true, 'Whether the server itself is handed out as a node'),
    nodes: json(list(node, { max: 1000 }), [], 'Other nodes: a list of { id, origin, hash }, as "deputy node secret" prints them', value => value),
    beat: duration('5s', 'Time between two beats of a node'),
    silence: duration('15s', 'Silence after which a node is no longer handed out'),
    lease: duration('30s', 'How long a node may let an account pass at its full rate without a word from here'),
    allow: words([], 'Networks such as 10.0.0.0/8, and places such as 10.0.0.7:5432, that may be reached although they are not public'),
    deny: words([], 'Networks that may not be reached although they are public'),
    ports: words(['25', '465', '587'], 'Ports that may not be connected to'),
    listen: words([], 'Addresses apps may bind listeners and UDP sockets to; none when empty, in development those of this machine'),
    hold: duration('30s', 'How long a session is kept after its connection dropped'),
    token: duration('2m', 'Life of a token that opens or resumes a session'),
    connect: duration('30s', 'Longest time a TCP connection may take to come about'),
    idle: duration('15m', 'Longest silence of a TCP connection'),
    sockets: whole(512, 1, 1_000_000, 'TCP sockets of an account'),
    listeners: whole(32, 0, 100_000, 'Listeners of an account'),
    udp: whole(128, 0, 100_000, 'UDP sockets of an account'),
    sessions: whole(64, 1, 1_000_000, 'Tunnel sessions of an account'),
    rate: size('10MiB', 'Bytes a second of an account; 0B is unlimited, and in development so is what is not changed'),
    ratePremium: size('100MiB', 'Bytes a second of a premium account; 0B is unlimited'),
    day: size('10GiB', 'Bytes a day (UTC) of an account; 0B is unlimited, and in development so is what is not changed'),
    dayPremium: size('1TiB', 'Bytes a day (UTC) of a premium account; 0B is unlimited'),
  },
  node: {
    id: text('', 'Id of the node that "deputy node" runs, as the server knows it'),
    title: text('', 'What the person reads where nodes are chosen; the id when empty'),
    origin: origin('Origin at which the node is reached, as the server knows it'),
    api: origin('Origin of the HTTP API of the server'),
    secret: secret('Secret of the node, as "deputy node secret" prints it'),
    contact: text('', 'What the page of the node says about whom to write to, e.g. an address for abuse'),
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
