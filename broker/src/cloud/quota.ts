import { RemoteError } from '@deputy/channel'
import { readTunnelQuota } from '@deputy/contract/api-tunnel'
import type { quota } from '@deputy/contract/cloud'
import { tunnelRefusals } from '@deputy/contract/cloud'
import type { Served } from '@deputy/contract/shape'
import type { Sessions } from '../sessions/sessions.ts'

/** What the account may use of the tunnel and has used (NET-11); `found` hears whether that is all. The contract has no refusal here: without an account it throws one of the tunnel's. */
export const quotaService =
  (sessions: Pick<Sessions, 'call'>, found: (overQuota: boolean) => void): Served<{ quota: typeof quota }>['quota'] =>
  async () => {
    const outcome = await sessions.call(readTunnelQuota, {})
    if (outcome.kind === 'answer') {
      found(outcome.value.overQuota)
      return outcome.value
    }
    const { code, message } = tunnelRefusals[outcome.kind === 'unauthorized' ? 'needsAccount' : 'unavailable']
    throw new RemoteError('Error', message, code)
  }
