import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BrowserContext } from 'playwright-core'

/** Every secret that pages of the context hand to WebCrypto as bytes from now on: root keys, what a passkey answers, what keys are derived from. */
export async function secretsOf(context: BrowserContext): Promise<Set<string>> {
  const secrets = new Set<string>()
  await context.exposeBinding('tellSecret', (_source, hex: string) => void secrets.add(hex))
  await context.addInitScript(() => {
    const told = globalThis as unknown as { tellSecret?: (hex: string) => Promise<void> }
    const native = crypto.subtle.importKey.bind(crypto.subtle)
    const hex = (bytes: Uint8Array): string => [...bytes].map(byte => byte.toString(16).padStart(2, '0')).join('')
    const watched = (format: string, data: unknown, algorithm: unknown, ...rest: unknown[]): unknown => {
      if (format === 'raw' && algorithm === 'HKDF' && data instanceof Uint8Array) void told.tellSecret?.(hex(data))
      const { d } = (format === 'jwk' ? data : {}) as { d?: string }
      if (d !== undefined) void told.tellSecret?.(hex(Uint8Array.from(atob(d.replaceAll('-', '+').replaceAll('_', '/')), letter => letter.charCodeAt(0))))
      return (native as unknown as (...all: unknown[]) => unknown)(format, data, algorithm, ...rest)
    }
    crypto.subtle.importKey = watched as typeof crypto.subtle.importKey
  })
  return secrets
}

/** The forms in which bytes could lie somewhere: as they are, in hex and in base64 of either alphabet. */
export function formsOf(bytes: Buffer): string[] {
  // The ends of base64 depend on what stands around them, at each of three places.
  const inner = [0, 1, 2].flatMap(shift => {
    const text = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replace(/=+$/, '')
      .slice(shift === 0 ? 0 : shift + 1, -2)
    return [text, text.replaceAll('+', '-').replaceAll('/', '_')]
  })
  return [bytes.toString('latin1'), bytes.toString('hex'), ...inner]
}

/** Everything that lies in the folder's files, as text of single bytes. */
export async function contentsOf(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter(entry => entry.isFile()).map(entry => readFile(join(entry.parentPath, entry.name), 'latin1'))
  return (await Promise.all(files)).join('\n')
}
