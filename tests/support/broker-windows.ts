import { join } from 'node:path'
import { bundleWithStyle, serveOrigins } from './web-origins.ts'

/**
 * The broker's windows with everything behind them left out: each state of the sign-in window, and the account page over answers that stand fixed. For what is about
 * looks and access alone; the ways between the states are tested with the real service.
 */
export interface BrokerWindows extends AsyncDisposable {
  /** The url of a state, with `lang`, `dir` or `theme` where wanted. */
  url(state: WindowState, query?: Readonly<Record<string, string>>): string
}

/** Every state that looks different. */
export const windowStates = [
  'choose',
  'choose-app',
  'choose-problem',
  'email-code',
  'email-code-problem',
  'recovery',
  'show-recovery',
  'show-recovery-again',
  'unlock',
  'unlock-passphrase',
  'unlock-forged',
  'unlock-old',
  'unlock-code',
  'enrol',
  'enrol-passphrase',
  'lost',
  'add-passkey',
  'allow',
  'allow-again',
  'done',
  'done-app',
  'done-refused',
  'unreachable',
  'cut-off',
  'starting',
  'account',
  'account-empty',
  'account-locked',
  'account-unlock',
  'account-files',
  'account-files-locked',
  'account-rooms-limit',
  'account-rooms-sure',
  'account-signed-out',
  'button',
  'button-connected',
] as const
export type WindowState = (typeof windowStates)[number]

const source = `
import './ui/account.css'
import './ui/connect-button.css'
import { drawPage } from './ui/page.tsx'
import { SignInWindow } from './ui/sign-in-window.tsx'
import { AccountWindow } from './ui/account-window.tsx'
import { ConnectButton } from './ui/connect-button.tsx'
import { buttonPrompts } from './ui/button-prompts.ts'

const query = new URLSearchParams(location.search)
const state = query.get('state')
const now = Date.now()
const day = 86400000
const app = { origin: 'https://photos.example', host: 'photos.example' }
const account = { id: 'a', name: 'Ada Lovelace', image: null, email: 'ada@example.org', admin: false, premium: true, premiumUntil: null, created: now - 400 * day }
const providers = [{ id: 'one', title: 'Example ID' }]
const calm = { busy: false, problem: null }
const states = {
  choose: { step: 'choose', providers: [], ...calm, app: null },
  'choose-app': { step: 'choose', providers, ...calm, app },
  'choose-problem': { step: 'choose', providers, busy: false, problem: 'cancelled', app },
  'email-code': { step: 'email-code', email: 'ada@example.org', ...calm, app },
  'email-code-problem': { step: 'email-code', email: 'ada@example.org', busy: false, problem: 'wrong-code', app },
  recovery: { step: 'recovery', ...calm, app },
  'show-recovery': { step: 'show-recovery', code: 'K7QF-2MZX-9T4B-VC8N-6HJP-3RWD-0EGA-5Y1S-BX2Q', again: false, replaces: false, ...calm, app },
  'show-recovery-again': { step: 'show-recovery', code: 'K7QF-2MZX-9T4B-VC8N-6HJP-3RWD-0EGA-5Y1S-BX2Q', again: true, replaces: true, busy: false, problem: 'cancelled', app },
  unlock: { step: 'unlock', why: 'app', ways: { passkey: true, passphrase: true }, ...calm, app },
  'unlock-passphrase': { step: 'unlock', why: 'app', ways: { passkey: false, passphrase: true }, busy: false, problem: 'wrong-passphrase', app },
  'unlock-forged': { step: 'unlock', why: 'app', ways: { passkey: true, passphrase: false }, busy: false, problem: 'keys-forged', app },
  'unlock-old': { step: 'unlock', why: 'app', ways: { passkey: true, passphrase: false }, busy: false, problem: 'keys-old', app },
  'unlock-code': { step: 'unlock', why: 'code', ways: { passkey: true, passphrase: false }, ...calm, app: null },
  enrol: { step: 'enrol', passkey: true, ...calm, app },
  'enrol-passphrase': { step: 'enrol', passkey: false, ...calm, app },
  lost: { step: 'lost', name: 'Ada Lovelace', ...calm, app },
  'add-passkey': { step: 'add-passkey', ...calm, app: null },
  allow: { step: 'allow', account, connected: false, ...calm, app },
  'allow-again': { step: 'allow', account, connected: true, ...calm, app },
  done: { step: 'done', account, app: null },
  'done-app': { step: 'done', account, app },
  'done-refused': { step: 'done', account: null, app },
  unreachable: { step: 'unreachable', app },
  'cut-off': { step: 'cut-off', app: null },
  starting: { step: 'starting', app: null },
}
const empty = state === 'account-empty'
const row = (id, kind, credential) => ({ id, kind, name: '', created: now - 300 * day, credential, publicKey: 'x', wrappedKey: 'x', stretch: null, sealedRoot: 'x', mac: 'x' })
const keyState = { epoch: 2, unlockers: [row('u1', 'passkey', 'p1'), row('u2', 'passphrase', null), row('u3', 'recovery', null)], chain: [] }
const object = (n, of, size, age) => ({ id: 'o' + n, app: of, created: now - age, size, status: n === 3 ? 'uploading' : 'ready', url: 'https://cdn.example/o' + n })
const claimed = (n, more) => ({ room: 'photos.example/room-' + n, app: 'web:https://photos.example', description: null, claimedAt: now - n * 30 * day, expiresAt: null, mailbox: true, bytes: 0, messages: 0, cap: 500000000, archived: false, members: 0, ...more })
const rooms = [
  claimed(1, { description: 'Holiday pictures of the whole family', bytes: 48211002, messages: 1204, members: 3 }),
  claimed(2, { room: 'global/' + 'k7qF2mZX9tB4vC8n6HJp3w', expiresAt: now + 6 * day, bytes: 812, messages: 1, cap: 1500000, members: 1 }),
  claimed(3, { room: 'photos.example/standup', mailbox: false }),
  claimed(4, { room: 'photos.example/old-club', description: 'The old club', archived: true, bytes: 499000000, messages: 98311 }),
]
// A locked account has used up its day as well, so that this is seen without a state of its own.
const spent = state === 'account-locked'
const use = (n, of, factor) => ({ day: new Date(now - (29 - n) * day).toISOString().slice(0, 10), app: of, sent: n * n * 12011 * factor, received: n * 1048576 * ((n * 7) % 11) * factor })
const uses = Array.from({ length: 30 }, (_, n) => n).flatMap(n => (n % 6 === 0 ? [] : [use(n, 'web:https://photos.example', 1), use(n, 'web:http://playground.localhost:4400', 3)]))
const answers = {
  'tunnel/quota': { bytesPerSecond: 10485760, limitBytes: 10737418240, overQuota: spent, premium: false, remaining: spent ? 0 : 3145728000, usedBytes: empty ? 0 : spent ? 10738000000 : 7591690240 },
  'tunnel/use': { days: empty ? [] : uses },
  'rooms/claimed': { rooms: empty ? [] : rooms, limit: empty ? 100 : 4 },
  'accounts/list-passkeys': { passkeys: [{ id: 'p1', name: 'Chromium on Linux', created: now - 300 * day, lastUsed: now - 3600000 }, { id: 'p2', name: 'Phone', created: now - 20 * day, lastUsed: null }] },
  'sessions/list': { sessions: [
    { id: 's1', kind: 'account', app: null, device: 'Chromium on Linux', created: now, lastUsed: now, current: true },
    { id: 's2', kind: 'app', app: 'web:https://photos.example', device: 'Firefox on Windows', created: now, lastUsed: now - 2 * day, current: false } ] },
  'apps/list': { apps: empty ? [] : [{ app: 'web:https://photos.example', connectedAt: now - 90 * day, lastUsed: now - day, objects: 12, bytes: 734003200 }, { app: 'web:http://playground.localhost:4400', connectedAt: now, lastUsed: now, objects: 1, bytes: 2048 }] },
  'objects/list-account': { objects: empty ? [] : [object(1, 'web:https://photos.example', 5242880, 600000), object(2, 'web:https://photos.example', 734003200, 3 * day), object(3, 'web:http://playground.localhost:4400', 2048, 5000)], ...(empty ? {} : { cursor: 'next' }) },
  'usage/read': { usedBytes: empty ? 0 : 734003200, limitBytes: 5368709120, objects: empty ? 0 : 13, maxObjects: 10000, storedThisHour: 2, maxPerHour: 600 },
  'files/usage': { usedBytes: empty ? 0 : 48211002, limitBytes: 5368709120, files: empty ? 0 : 1312, maxFiles: 100000 },
  'files/apps': {
    apps: empty ? [] : [{ app: 'web:https://photos.example', files: 1204, bytes: 48200000, oldEpoch: 0 }, { app: 'web:http://playground.localhost:4400', files: 108, bytes: 11002, oldEpoch: 3 }],
    days: Array.from({ length: 30 }, (_, index) => ({ day: new Date(now - (29 - index) * day).toISOString().slice(0, 10), bytes: empty || index < 4 ? 0 : Math.round(48211002 * Math.min(1, (index * index) / 700)) })),
  },
  'keys/read': { state: empty ? null : keyState },
}
const session = { token: 'x'.repeat(43), id: 's', kind: 'account', app: null, renewAt: now + day, expiresAt: now + day, account }
const signedOut = state === 'account-signed-out' || state === 'button'
const sessions = {
  current: async () => (signedOut ? null : session),
  call: async ({ area, name }) => ({ kind: 'answer', value: answers[area + '/' + name] ?? {} }),
  adopt: async () => {}, end: async () => {}, onChange: () => () => {}, lastWork: () => {},
}
const keys = {
  current: async () => {
    if (state !== 'account' && state !== 'account-files') return null
    const key = await crypto.subtle.importKey('raw', new Uint8Array(32), 'HKDF', false, ['deriveBits', 'deriveKey'])
    return { account: 'a', epoch: 2, roots: [{ epoch: 1, key }, { epoch: 2, key }] }
  },
  read: async () => ({ value: keyState, problem: null }),
  codeDue: async () => false,
}
const file = (path, size, age, broken) => ({ row: { name: path, meta: 'm', version: 1, epoch: 2, size, updatedAt: now - age, changed: 1 }, entry: broken ? null : { path, contentType: null, size, sealedAt: now - age } })
const files = { list: async () => [file('albums/2026/summer at the lake, the whole family.jpg', 5242880, day), file('notes/shopping.md', 812, 600000), file('x', 2048, 3 * day, true)], open: async () => { throw new Error('nothing is behind this') } }
const theme = query.get('theme')
if (theme) document.documentElement.classList.add(theme)
if (state in states) {
  const done = async () => {}
  const actions = new Proxy({}, { get: () => done })
  drawPage(({ text }) => text.signIn.windowTitle, <SignInWindow flow={{ state: states[state], actions, subscribe: () => () => {} }} />)
} else if (state.startsWith('button')) {
  const prompts = buttonPrompts()
  const connecting = { connect: () => prompts.connect({ open: () => null, signal: new AbortController().signal }).then(() => false) }
  drawPage(({ text }) => text.button.connect, <ConnectButton sessions={sessions} connecting={connecting} prompts={prompts} />)
} else {
  drawPage(({ text }) => text.account.windowTitle, <AccountWindow sessions={sessions} keys={keys} files={files} />)
  const press = { 'account-files': '#files ~ .entries .entry .quiet', 'account-files-locked': '#files ~ .entries .entry .quiet', 'account-rooms-limit': '.room-limit button', 'account-rooms-sure': '#rooms ~ .entries .sure button' }[state]
  const look = () => (document.querySelector(press) ? document.querySelector(press).click() : requestAnimationFrame(look))
  if (press !== undefined) look()
}
if (state === 'account-unlock') {
  const press = () => {
    const button = document.querySelector('[aria-labelledby=encryption] .entry .button')
    if (button === null) requestAnimationFrame(press)
    else button.click()
  }
  press()
}
const dir = query.get('dir')
if (dir) document.documentElement.dir = dir
`

/** Serves the windows on `http://broker.localhost`, with the content policy of the real ones. */
export async function serveBrokerWindows(): Promise<BrokerWindows> {
  const origins = await serveOrigins()
  const { script, style } = await bundleWithStyle({ source, folder: join(import.meta.dirname, '../../broker/src') })
  origins.serve('broker', '/windows.js', script)
  origins.serve('broker', '/windows.css', style)
  const policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'"
  const html =
    '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><title>Deputy</title><link rel="stylesheet" href="/windows.css"><script type="module" src="/windows.js"></script><body></body></html>'
  const base = origins.serve('broker', '/windows', html, { 'content-security-policy': policy })
  return {
    url: (state, query = {}) => `${base}?${new URLSearchParams({ state, ...query })}`,
    [Symbol.asyncDispose]: () => origins.close(),
  }
}
