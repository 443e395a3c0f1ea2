/** The far end of a socket, as the room service needs it. */
export interface Wire {
  /** Hands on whole WebSocket frames in one write. */
  write(frames: readonly Buffer[]): void
  /** Bytes handed on and not yet taken by the network. */
  waiting(): number
  /** Closes with a code, after what was written. */
  close(code: number): void
  /** Cuts the socket off at once. */
  cut(): void
}

/** One unmasked WebSocket text frame; `text` is ASCII, as all JSON of the rooms is. */
export function textFrame(text: string): Buffer {
  const { length } = text
  if (length < 126) {
    const frame = Buffer.allocUnsafe(2 + length)
    frame[0] = 0x81
    frame[1] = length
    frame.write(text, 2, 'latin1')
    return frame
  }
  if (length < 65_536) {
    const frame = Buffer.allocUnsafe(4 + length)
    frame[0] = 0x81
    frame[1] = 126
    frame.writeUInt16BE(length, 2)
    frame.write(text, 4, 'latin1')
    return frame
  }
  const frame = Buffer.allocUnsafe(10 + length)
  frame[0] = 0x81
  frame[1] = 127
  frame.writeUInt32BE(0, 2)
  frame.writeUInt32BE(length, 6)
  frame.write(text, 10, 'latin1')
  return frame
}
