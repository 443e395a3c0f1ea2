import { statusOf } from '@deputy/contract/api'
import type { Refusal } from './handler.ts'

const always = { 'content-type': 'application/json', 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' } as const

/** A JSON answer. */
export const answer = (value: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Response =>
  new Response(JSON.stringify(value), { status, headers: { ...always, ...headers } })

/** The answer of a refusal, with the status of its code. */
export const refusalAnswer = (refusal: Refusal, headers: Readonly<Record<string, string>> = {}): Response =>
  answer({ error: refusal.error, message: refusal.message }, statusOf[refusal.error], headers)

/** Whether what a handler answered is a refusal. No answer shape has a member `error`. */
export const isRefusal = (output: unknown): output is Refusal =>
  typeof output === 'object' && output !== null && 'error' in output && typeof output.error === 'string' && Object.hasOwn(statusOf, output.error)
