import bufferUtil from 'bufferutil'

/** Who hears what a client sends on its WebSocket. */
export interface WebSocketEars {
  /** A whole binary message, in the pieces it arrived in. */
  message(parts: readonly Uint8Array<ArrayBuffer>[]): void
  ping(payload: Uint8Array<ArrayBuffer>): void
  pong(): void
  /** The client closes. */
  close(): void
  /** The client broke the protocol (RFC 6455); `code` is what to close with. Nothing is read after it. */
  broken(code: 1002 | 1003 | 1009): void
}

const opcode = { more: 0x0, text: 0x1, binary: 0x2, close: 0x8, ping: 0x9, pong: 0xa } as const
const longestControl = 125

/**
 * Reads the client's side of a WebSocket: masked frames into messages of at most `most` bytes. The pieces of a message stay where they were
 * received, and are unmasked there: a library that answers each message in one piece has to copy it.
 */
export function webSocketReader(most: number, ears: WebSocketEars): (chunk: Buffer<ArrayBuffer>) => void {
  const header = Buffer.alloc(14)
  let have = 0
  let need = 2
  let over = false
  let inPayload = false
  let kind: number = opcode.more
  let final = false
  let left = 0
  let passed = 0
  let mask = Buffer.alloc(4)
  let parts: Uint8Array<ArrayBuffer>[] = []
  let bytes = 0
  let inMessage = false
  let control = Buffer.alloc(0)

  const broken = (code: 1002 | 1003 | 1009): void => {
    over = true
    parts = []
    ears.broken(code)
  }
  /** Reads a whole header; answers whether it may go on. */
  const begin = (): boolean => {
    const [first = 0, second = 0] = header
    kind = first & 0x0f
    final = (first & 0x80) !== 0
    const short = second & 0x7f
    if ((first & 0x70) !== 0 || (second & 0x80) === 0) return (broken(1002), false)
    if (kind >= opcode.close) {
      if (!final || short > longestControl || kind > opcode.pong) return (broken(1002), false)
    } else if (kind === opcode.text) return (broken(1003), false)
    else if (kind > opcode.binary || inMessage !== (kind === opcode.more)) return (broken(1002), false)
    left = short === 126 ? header.readUInt16BE(2) : short === 127 ? Number(header.readBigUInt64BE(2)) : short
    if (kind < opcode.close && bytes + left > most) return (broken(1009), false)
    mask = Buffer.from(header.subarray(need - 4, need))
    if (kind < opcode.close) inMessage = true
    else control = Buffer.alloc(0)
    passed = 0
    inPayload = true
    return true
  }
  const finish = (): void => {
    inPayload = false
    have = 0
    need = 2
    if (kind === opcode.ping) return ears.ping(control)
    if (kind === opcode.pong) return ears.pong()
    if (kind === opcode.close) {
      over = true
      return ears.close()
    }
    if (!final) return
    const message = parts
    parts = []
    bytes = 0
    inMessage = false
    ears.message(message)
  }

  return chunk => {
    let at = 0
    while (!over && at < chunk.length) {
      if (!inPayload) {
        while (have < need && at < chunk.length) header[have++] = chunk[at++] ?? 0
        if (have < need) return
        if (need === 2) {
          const short = (header[1] ?? 0) & 0x7f
          need = 6 + (short === 126 ? 2 : short === 127 ? 8 : 0)
          if (have < need) continue
        }
        if (!begin()) return
      }
      const piece = chunk.subarray(at, at + left)
      if (piece.length > 0) {
        const turned = passed % 4
        bufferUtil.unmask(piece, turned === 0 ? mask : Buffer.from([0, 1, 2, 3].map(index => mask[(index + turned) % 4] ?? 0)))
        if (kind < opcode.close) {
          parts.push(piece)
          bytes += piece.length
        } else control = Buffer.concat([control, piece])
        at += piece.length
        left -= piece.length
        passed += piece.length
      }
      if (left === 0) finish()
    }
  }
}
