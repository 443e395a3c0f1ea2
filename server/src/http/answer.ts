import type { ServerResponse } from 'node:http'
import { statusOf } from '@deputy/contract/api'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Refusal } from './handler.ts'

const always = { 'content-type': 'application/json', 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' } as const

/** A JSON answer. */
export const answer = (value: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Response =>
  new Response(JSON.stringify(value), { status, headers: { ...always, ...headers } })

/**
 * Writes a JSON answer of 200 straight to the socket, and answers the response that stands for it: at this rate the streams of a
 * `Response` with a body cost as much as all the rest.
 */
export function sendAnswer(outgoing: ServerResponse, value: unknown, headers: Readonly<Record<string, string>>): Response {
  const body = JSON.stringify(value)
  outgoing.writeHead(200, { ...always, ...headers, 'content-length': Buffer.byteLength(body) }).end(body)
  return RESPONSE_ALREADY_SENT
}

/** The answer of a refusal, with the status of its code. */
export const refusalAnswer = (refusal: Refusal, headers: Readonly<Record<string, string>> = {}): Response =>
  answer({ error: refusal.error, message: refusal.message }, statusOf[refusal.error], headers)

/** Whether what a handler answered is a refusal. No answer shape has a member `error`. */
export const isRefusal = (output: unknown): output is Refusal =>
  typeof output === 'object' && output !== null && 'error' in output && typeof output.error === 'string' && Object.hasOwn(statusOf, output.error)
