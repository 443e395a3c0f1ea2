import type { NodeError } from './errors.ts'
import type { ClientRequest } from './http-client.ts'
import { connectionReset, type IncomingMessage } from './http-incoming.ts'
import { MessageParser } from './http-message-parser.ts'
import type { MessageSocket } from './http-outgoing.ts'
import type { Socket } from './socket.ts'
import { nextTick } from './ticks.ts'

type RequestSocket = MessageSocket & { _hadError?: boolean; parser?: MessageParser | null }
type Ears = Readonly<Record<'data' | 'end' | 'error' | 'close' | 'drain', (...of: never[]) => void>>

const isInformation = (status: number | null): boolean => status !== null && status >= 100 && status < 200 && status !== 101

/** The answer to a request: what is heard on its connection, from the head to the end. */
export class Answer {
  readonly #request: ClientRequest
  readonly #socket: RequestSocket
  readonly #parser: MessageParser
  readonly #ears: Ears

  constructor(request: ClientRequest, socket: RequestSocket) {
    this.#request = request
    this.#socket = socket
    const { maxHeaderSize, insecureHTTPParser: isLenient, joinDuplicateHeaders, maxHeadersCount } = request
    this.#parser = new MessageParser('response', socket, { maxHeaderSize, isLenient, joinDuplicateHeaders })
    if (typeof maxHeadersCount === 'number') this.#parser.maxHeaderPairs = maxHeadersCount * 2
    this.#parser.onIncoming = (response, isKept) => this.#begin(response, isKept)
    this.#ears = {
      data: (bytes: Uint8Array) => this.#read(bytes),
      end: () => this.#ended(),
      error: (error: Error) => this.#broken(error),
      close: () => this.#closed(),
      drain: () => request._drain(),
    }
  }

  /** Sends the request on its connection and hears what comes back. */
  hear(): void {
    const [request, socket] = [this.#request, this.#socket]
    request.socket = socket
    socket.parser = this.#parser
    socket._httpMessage = request
    for (const [name, ear] of Object.entries(this.#ears)) socket.on(name, ear as (...of: unknown[]) => void)
    if (request.timeout !== undefined || request.agent?.options?.timeout) request._hearTimeout()
    request.emit('socket', socket)
  }

  #deafen(...names: (keyof Ears)[]): void {
    for (const name of names) this.#socket.off(name, this.#ears[name] as (...of: unknown[]) => void)
  }

  #fail(error: Error): void {
    this.#socket._hadError = true
    this.#request.emit('error', error)
  }

  /** The parser tells nobody any more. */
  #free(): void {
    this.#parser.free()
    if (this.#socket.parser === this.#parser) this.#socket.parser = null
  }

  #finish(): void {
    if (this.#socket.parser !== this.#parser) return
    // That it ended early is told by the end of the connection.
    this.#parser.finish()
    this.#free()
  }

  #read(bytes: Uint8Array): void {
    const read = this.#parser.execute(bytes)
    const { incoming } = this.#parser
    if (typeof read !== 'number') this.#malformed(read)
    else if (incoming?.upgrade === true) this.#handOver(incoming, bytes.subarray(read))
    else if (incoming?.complete === true && !isInformation(incoming.statusCode)) {
      this.#deafen('data', 'end', 'drain')
      this.#free()
    }
  }

  #malformed(error: NodeError): void {
    this.#free()
    this.#deafen('data', 'end')
    this.#socket.destroy()
    this.#fail(error)
  }

  #handOver(response: IncomingMessage, rest: Uint8Array): void {
    const [request, socket] = [this.#request, this.#socket]
    request.res = response
    this.#deafen('data', 'end', 'drain')
    if (request.timeoutCb !== null) socket.off('timeout', request.timeoutCb)
    this.#free()
    const name = request.method === 'CONNECT' ? 'connect' : 'upgrade'
    if (request.listenerCount(name) === 0) return void socket.destroy()
    request.upgradeOrConnect = true
    socket.emit('agentRemove')
    this.#deafen('close', 'error')
    socket._httpMessage = null
    // As one nobody has read from: the next listener of `data` sets it flowing.
    Object.assign(socket, { readableFlowing: null })
    request.emit(name, response, socket, rest)
    request.destroyed = true
    request._closed = true
    request.emit('close')
    return undefined
  }

  #ended(): void {
    if (this.#request.res === null && this.#socket._hadError !== true) this.#fail(connectionReset('socket hang up'))
    this.#finish()
    this.#socket.end()
  }

  #broken(error: Error): void {
    this.#fail(error)
    this.#finish()
    this.#deafen('data', 'end')
    this.#socket.destroy()
  }

  #closed(): void {
    const [request, socket] = [this.#request, this.#socket]
    // What has arrived and was not told yet comes first.
    socket.read()
    request.destroyed = true
    const { res } = request
    if (res === null) {
      if (socket._hadError !== true) this.#fail(connectionReset('socket hang up'))
    } else if (!res.complete) res.destroy(connectionReset('aborted'))
    request._closed = true
    request.emit('close')
    if (res !== null && !res.aborted && res.readable) res.push(null)
    request.outputData.length = 0
    this.#finish()
  }

  #begin(response: IncomingMessage, isKept: boolean): 0 | 1 | 2 {
    const request = this.#request
    // An answer nobody asked for.
    if (request.res !== null) {
      this.#socket.destroy()
      return 0
    }
    request.res = response
    if (response.upgrade === true || request.method === 'CONNECT') {
      response.upgrade = true
      return 2
    }
    const { statusCode, statusMessage, httpVersion, httpVersionMajor, httpVersionMinor, headers, rawHeaders } = response
    if (isInformation(statusCode)) {
      request.res = null
      if (statusCode === 100) request.emit('continue')
      request.emit('information', { statusCode, statusMessage, httpVersion, httpVersionMajor, httpVersionMinor, headers, rawHeaders })
      return 1
    }
    if (!isKept && !request.upgradeOrConnect) request.shouldKeepAlive = false
    Object.assign(response, { req: request })
    const silent = (): void => void response.emit('timeout')
    this.#socket.on('timeout', silent)
    response.on('end', () => {
      this.#socket.off('timeout', silent)
      this.#over(response)
    })
    request.on('finish', () => {
      if (request.shouldKeepAlive && request._ended) this.#release()
    })
    if (request.aborted || !request.emit('response', response)) response._dump()
    if (request.method === 'HEAD') return 1
    if (statusCode !== 304) return 0
    response.complete = true
    return 1
  }

  /** All of the answer was read. */
  #over(response: IncomingMessage): void {
    const [request, socket] = [this.#request, this.#socket]
    if (request.timeoutCb !== null) socket.off('timeout', request.timeoutCb)
    request._ended = true
    if (!request.shouldKeepAlive) {
      if (!socket.writable) return
      if (typeof socket.destroySoon === 'function') socket.destroySoon()
      else (socket as Socket).end()
    } else if (request.writableFinished && !response.aborted) this.#release()
  }

  /** Leaves the connection to the next request. */
  #release(): void {
    const [request, socket] = [this.#request, this.#socket]
    if (request.timeoutCb !== null) {
      socket.setTimeout(0, request.timeoutCb)
      request.timeoutCb = null
    }
    this.#deafen('close', 'error')
    // Those who listen to the end of the answer come first.
    nextTick(() => {
      request._closed = true
      request.emit('close')
      request.socket?.emit('free')
    })
    request.destroyed = true
    // An answer that is destroyed later leaves the connection to whoever has it then.
    if (request.res !== null) request.res.socket = null as never
  }
}
