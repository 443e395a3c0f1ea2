export { joiner, type Carrier, type CarrierEars, type Message } from './carrier.ts'
export { machineClock, type Clock } from './clock.ts'
export { dialTunnel, type Dial, type DialOptions, type SocketLike } from './dial.ts'
export { readDatagram, writeDatagram, type Datagram } from './datagram.ts'
export {
  FRAME,
  fromCount,
  toCount,
  fromJson,
  MESSAGE_BYTES,
  ownMessage,
  ProtocolError,
  readFrames,
  toJson,
  writeHeader,
  type Frame,
  type FrameType,
} from './frames.ts'
export type { OpenLane } from './lane.ts'
export { LENGTH_BYTES } from './lane-reader.ts'
export { laneWords, wordsOfLane } from './lane-words.ts'
export { openSession, type Session, type SessionOptions } from './session.ts'
export type { Stream, StreamEars, StreamEnd } from './stream.ts'
