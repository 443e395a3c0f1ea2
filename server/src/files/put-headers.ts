import type { IncomingHttpHeaders } from 'node:http'
import { fileHeaders, fileMeta, fileName } from '@deputy/contract/api-files'
import { fits } from '@deputy/contract/validate'
import { type Refusal, refuse } from '../http/handler.ts'
import type { Base } from './writes.ts'

/** What a put says beside its bytes. */
export interface PutHeaders {
  readonly meta: string
  readonly epoch: number
  readonly base: Base
  readonly size: number
}

const whole = /^[1-9]\d{0,14}$/

/** The name of the file a request is about; null where its header names none. */
export function nameSaid({ [fileHeaders.name]: name }: IncomingHttpHeaders): string | null {
  return typeof name === 'string' && fits(fileName, name) ? name : null
}

/** Reads the headers of a put, or says which of them is not what it must be. */
export function readPutHeaders(headers: IncomingHttpHeaders): PutHeaders | Refusal {
  const { [fileHeaders.meta]: meta, [fileHeaders.epoch]: epoch, [fileHeaders.base]: base, 'content-length': length } = headers
  if (typeof meta !== 'string' || !fits(fileMeta, meta)) return refuse('invalid', `the header ${fileHeaders.meta} is not sealed metadata`)
  if (typeof epoch !== 'string' || !whole.test(epoch)) return refuse('invalid', `the header ${fileHeaders.epoch} is no key epoch`)
  if (typeof base !== 'string' || (base !== 'any' && base !== 'none' && !whole.test(base)))
    return refuse('invalid', `the header ${fileHeaders.base} is neither a version nor none nor any`)
  if (length === undefined || !whole.test(length)) return refuse('invalid', 'a file has at least one sealed byte, and says how many')
  return { meta, epoch: Number(epoch), base: base === 'any' || base === 'none' ? base : Number(base), size: Number(length) }
}
