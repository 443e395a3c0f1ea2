import { incomingFrame } from '@deputy/contract/tunnel-wire'
import { parse } from '@deputy/contract/validate'
import { fromJson } from '@deputy/tunnel'

/** The stream of the listener an `incoming` frame names; undefined for one that is malformed. */
export function listenerOf(payload: Uint8Array<ArrayBuffer>): number | undefined {
  try {
    return parse(incomingFrame, fromJson(payload)).listener
  } catch {
    return undefined
  }
}
