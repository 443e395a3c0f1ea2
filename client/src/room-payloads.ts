export { receivePayloads, type IncomingPayload } from './room-payload-receive.ts'
export { sendPayload, type PayloadRoom, type SendPayloadOptions } from './room-payload-send.ts'
export { PAYLOAD_MAX_BYTES, PayloadError, type PayloadErrorCode, type PayloadProgress } from './room-payload-wire.ts'
