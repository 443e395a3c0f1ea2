import { nodeError } from './errors.ts'
import type { MessageFields } from './http-fields.ts'

/** What a head says so far, and its text. */
export interface HeadState {
  connection: boolean
  length: boolean
  coding: boolean
  date: boolean
  expect: boolean
  trailer: boolean
  text: string
}

/** Completes a head: the date, whether the connection stays, and how the end of the body is found. */
export function headFields(message: MessageFields, state: HeadState): string {
  let { text } = state
  const { statusCode, agent } = message as { statusCode?: number; agent?: unknown }
  if (message.sendDate && !state.date) text += `Date: ${new Date().toUTCString()}\r\n`
  // Neither status has a body: chunks would be read as the next message.
  if (message.chunkedEncoding && (statusCode === 204 || statusCode === 304)) message.chunkedEncoding = message.shouldKeepAlive = false
  if (message._removedConnection) message._last = !message.shouldKeepAlive
  else if (!state.connection) {
    const isKept = message.shouldKeepAlive && (state.length || message.useChunkedEncodingByDefault || Boolean(agent))
    if (isKept && !message.maxRequestsOnConnectionReached) text += `Connection: keep-alive\r\n${keptFor(message)}`
    else {
      message._last ||= !isKept
      text += 'Connection: close\r\n'
    }
  }
  if (!state.length && !state.coding) {
    if (!message._hasBody) message.chunkedEncoding = false
    else if (!message.useChunkedEncodingByDefault) message._last = true
    else if (!state.trailer && !message._removedContLen && message._contentLength !== null) text += `Content-Length: ${message._contentLength}\r\n`
    else if (message._removedTE) message._last = true
    else {
      text += 'Transfer-Encoding: chunked\r\n'
      message.chunkedEncoding = true
    }
  }
  if (!message.chunkedEncoding && state.trailer) throw nodeError('ERR_HTTP_TRAILER_INVALID', 'Trailers are invalid with this transfer encoding')
  return `${text}\r\n`
}

function keptFor({ _keepAliveTimeout: milliseconds, _defaultKeepAlive: isDefault, _maxRequestsPerSocket: most }: MessageFields): string {
  if (milliseconds <= 0 || !isDefault) return ''
  const limit = Math.trunc(most ?? 0)
  return `Keep-Alive: timeout=${Math.floor(milliseconds / 1000)}${limit > 0 ? `, max=${limit}` : ''}\r\n`
}
