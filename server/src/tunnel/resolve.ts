import { resolveFrame, type resolvedFrame } from '@deputy/contract/tunnel-wire'
import type { Received } from '@deputy/contract/shape'
import { parse } from '@deputy/contract/validate'
import { FRAME, fromJson, toJson, type Stream } from '@deputy/tunnel'
import type { Policy } from './policy.ts'

/** Answers the addresses of a name, as the policy lets them be reached. */
export async function resolveName(stream: Stream, payload: Uint8Array<ArrayBuffer>, { policy }: { readonly policy: Policy }): Promise<void> {
  const { host, family } = parse(resolveFrame, fromJson(payload))
  const targets = await policy.targets(host, family, 'any')
  if ('code' in targets) return stream.reset({ code: targets.code })
  stream.send(FRAME.resolved, toJson({ addresses: [...targets] } satisfies Received<typeof resolvedFrame>))
  stream.end()
}
