import type { AddressLookupResult, DnsLookupOptions } from '@deputy/contract/cloud'
import { resolvedFrame, resolveFrame } from '@deputy/contract/tunnel-wire'
import { parse } from '@deputy/contract/validate'
import { FRAME, fromJson, toJson } from '@deputy/tunnel'
import { answered } from '../tunnel/answered.ts'
import type { TunnelLink } from '../tunnel/link.ts'
import { refusedEnd, refusedOpening, type TunnelFail } from '../tunnel/refused.ts'

/** Resolves a name at the node (NET-4): a list with `all`, else one address; none is an empty list, or nothing. */
export async function lookupName(
  link: TunnelLink,
  host: string,
  { all = false, family = 0 }: DnsLookupOptions = {},
): Promise<AddressLookupResult[] | AddressLookupResult | undefined | TunnelFail> {
  try {
    const { stream } = await link.open(FRAME.resolve, toJson(parse(resolveFrame, { host, family })))
    stream.end()
    const answer = await answered(stream, FRAME.resolved)
    if ('end' in answer) return answer.end.code === 'ENOTFOUND' ? (all ? [] : undefined) : refusedEnd(answer.end)
    const { addresses } = parse(resolvedFrame, fromJson(answer.payload))
    return all ? addresses : addresses[0]
  } catch (error) {
    return refusedOpening(error)
  }
}
