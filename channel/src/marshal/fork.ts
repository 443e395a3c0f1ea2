import { call, callback, object, port } from '@deputy/contract/shape'
import { unavailable } from '../errors.ts'
import { compileCall } from './call.ts'
import { compile } from './compile.ts'

/** One more port to the same peer under the same identity. */
export interface Fork {
  readonly port: MessagePort
  /** Ends the link on that port. */
  readonly end: () => Promise<void>
}

/** A link, as far as forking needs it. */
export interface Forkable {
  ask(member: string, codec: typeof forkCall): Promise<unknown>
}

/** Member path of the call a link may serve beside its tree; no contract member can have it. */
export const FORK = '@fork'
/** The shape of that call. */
export const forkCall = compileCall(call([], object({ port, end: callback([]) })), compile)

/** Asks the peer of a link for one more port; rejects `unavailable` when the peer gives none. */
export const forkLink = (link: Forkable): Promise<Fork> =>
  link.ask(FORK, forkCall).catch((error: unknown) => {
    // A peer that does not serve it says so as of any member.
    throw error instanceof TypeError ? unavailable() : error
  }) as Promise<Fork>
