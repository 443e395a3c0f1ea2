import type { Bytes } from './bytes.ts'

// Longer argument lists than this overflow the stack of some engines.
const RUN = 8192

/** Bytes as base64url without padding. */
export function encode(bytes: Uint8Array): string {
  let binary = ''
  for (let at = 0; at < bytes.length; at += RUN) binary += String.fromCharCode(...bytes.subarray(at, at + RUN))
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

// Several times as quick, where there is one.
const native = (Uint8Array as { fromBase64?: (text: string, options: { alphabet: 'base64url' }) => Bytes }).fromBase64?.bind(Uint8Array)

function decoded(text: string): Bytes {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  const bytes = new Uint8Array(binary.length)
  for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at)
  return bytes
}

// The characters a text of each length beyond whole fours may end with: those whose bits that no byte takes are zero.
const ends = [undefined, '', 'AQgw', 'AEIMQUYcgkosw048'] as const

/** The bytes of canonical, unpadded base64url; undefined for any other text, so that one value has one spelling. */
export function decode(text: unknown): Bytes | undefined {
  if (typeof text !== 'string' || !/^[A-Za-z0-9_-]*$/.test(text)) return undefined
  const last = ends[text.length % 4]
  if (last !== undefined && !last.includes(text.charAt(text.length - 1))) return undefined
  return native?.(text, { alphabet: 'base64url' }) ?? decoded(text)
}
