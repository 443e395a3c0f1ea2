import type { IncomingMessage } from 'node:http'
import { type Refusal, refuse } from './handler.ts'

/** Limits on a body that is held in memory. */
export interface BodyLimits {
  /** Bytes. */
  readonly body: number
  /** Milliseconds it may take to arrive. */
  readonly bodyTime: number
}

/** Reads a JSON body within its limits: `{ value }`, or why not. Nothing is parsed before the whole body is known to fit. */
export async function readJson(request: IncomingMessage, limits: BodyLimits): Promise<{ readonly value: unknown } | Refusal> {
  const type = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase()
  if (type !== 'application/json') return refuse('invalid', 'the content type must be application/json')
  if (Number(request.headers['content-length'] ?? 0) > limits.body) return refuse('too-large', `the body is larger than ${limits.body} bytes`)
  const body = await readBody(request, limits)
  if (!Buffer.isBuffer(body)) return body
  try {
    return { value: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) }
  } catch {
    return refuse('invalid', 'the body is no JSON')
  }
}

/** Reads a body within its limits, or says why not. */
export function readBody(request: IncomingMessage, limits: BodyLimits): Promise<Buffer | Refusal> {
  return new Promise(resolve => {
    const chunks: Buffer[] = []
    let size = 0
    const end = (result: Buffer | Refusal): void => {
      clearTimeout(timer)
      request.off('data', take).off('end', done).off('error', broken).off('close', broken)
      if (!Buffer.isBuffer(result)) request.pause()
      resolve(result)
    }
    const take = (chunk: Buffer): void => {
      size += chunk.length
      if (size > limits.body) end(refuse('too-large', `the body is larger than ${limits.body} bytes`))
      else chunks.push(chunk)
    }
    const done = (): void => end(Buffer.concat(chunks))
    const broken = (): void => end(refuse('invalid', 'the body broke off'))
    const timer = setTimeout(() => end(refuse('invalid', 'the body took too long')), limits.bodyTime)
    request.on('data', take).on('end', done).on('error', broken).on('close', broken)
  })
}
