import { ShapeError } from '@deputy/contract/validate'
import { ProtocolError, type Stream } from '@deputy/tunnel'
import { resetCode } from './reset-code.ts'

/** Code a stream is reset with for what its handler threw: a malformed frame, or an error of Node; undefined for what is a fault of ours. */
export function faultCode(error: unknown): string | undefined {
  if (error instanceof ShapeError || error instanceof ProtocolError) return 'EINVAL'
  return error instanceof Error && 'code' in error ? resetCode(error) : undefined
}

/** Resets the stream for what its handler rejected with; what is a fault of ours is thrown on. */
export const refusing =
  (stream: Stream) =>
  (error: unknown): void => {
    const code = faultCode(error)
    stream.reset({ code: code ?? 'ECONNRESET' })
    if (code === undefined) throw error
  }
