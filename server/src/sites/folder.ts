import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'

const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  json: 'application/json; charset=utf-8',
  map: 'application/json; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  jpg: 'image/jpeg',
  webp: 'image/webp',
  ico: 'image/x-icon',
  woff2: 'font/woff2',
  txt: 'text/plain; charset=utf-8',
  webmanifest: 'application/manifest+json',
  wasm: 'application/wasm',
}

/** A file of a site, read whole. */
export interface SiteFile {
  readonly body: Uint8Array<ArrayBuffer>
  readonly type: string
  readonly etag: string
  /** Its name carries a hash of its text, so it never changes. */
  readonly hashed: boolean
}

/** The files of a folder, kept in memory while they do not change on disk. */
export interface SiteFolder {
  /** The file at a path such as `assets/frame-3F2A.js`; null when there is none that may be served. */
  read(path: string): Promise<SiteFile | null>
}

/** Plain names only: nothing hidden, nothing that climbs. */
const servable = /^(?:[A-Za-z0-9_-][A-Za-z0-9._-]*\/){0,4}[A-Za-z0-9_-][A-Za-z0-9._-]*\.([a-z0-9]+)$/
const hashedName = /-[A-Za-z0-9]{8,}\.[a-z0-9]+(?:\.map)?$/

/** Reads files of known types below a folder. */
export function siteFolder(root: string): SiteFolder {
  const known = new Map<string, { readonly changed: number; readonly file: SiteFile }>()
  return {
    read: async path => {
      const type = types[servable.exec(path)?.[1] ?? '']
      if (root === '' || type === undefined) return null
      try {
        const place = join(root, path)
        const found = await stat(place)
        if (!found.isFile()) return null
        const kept = known.get(path)
        if (kept?.changed === found.mtimeMs) return kept.file
        const body = new Uint8Array(await readFile(place))
        const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`
        const file = { body, type, etag, hashed: hashedName.test(path) }
        known.set(path, { changed: found.mtimeMs, file })
        return file
      } catch (error) {
        if (isMissing(error)) return null
        throw error
      }
    },
  }
}

/** Answers a file, or that the caller's copy is still good. */
export function fileAnswer(file: SiteFile, request: Request, headers: Readonly<Record<string, string>>): Response {
  const all = { ...headers, etag: file.etag, 'cache-control': file.hashed ? 'public, max-age=31536000, immutable' : 'no-cache' }
  if (request.headers.get('if-none-match') === file.etag) return new Response(null, { status: 304, headers: all })
  return new Response(request.method === 'HEAD' ? null : file.body, {
    headers: { ...all, 'content-type': file.type, 'content-length': String(file.body.byteLength) },
  })
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR' || error.code === 'EISDIR')
