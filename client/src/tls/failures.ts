import { nodeError, type NodeError } from '../node/errors.ts'
import type { Engine } from './engine.ts'
import { verdictCode } from './verdicts.ts'

/** What the engine refused, under Node's code of it: `ERR_SSL_` and OpenSSL's reason. */
export function engineError(engine: Engine, what: string): NodeError {
  const { reason, message } = engine.failure() ?? { reason: '', message: what }
  const code = reason === '' ? 'ERR_SSL_PROTOCOL_ERROR' : `ERR_SSL_${reason.toUpperCase().replaceAll(' ', '_')}`
  return Object.assign(nodeError(code, message), { library: 'SSL routines', reason: reason || what })
}

/** A chain that does not hold, as Node tells it. */
export const verdictError = (engine: Engine, verdict: number): NodeError => nodeError(verdictCode(verdict), engine.text(engine.call.verdict_text(verdict)))
