import type { IncomingHttpHeaders } from 'node:http'

/** What the conditions of a request come to: send it, say that it is unchanged, or refuse. */
export type Verdict = 'send' | 'unchanged' | 'failed'

/** Weighs If-Match and If-None-Match against a strong entity tag, in the standard's order. */
export function weigh({ 'if-match': match, 'if-none-match': noneMatch }: IncomingHttpHeaders, tag: string): Verdict {
  if (match !== undefined && !tagsOf(match).some(one => one === '*' || one === tag)) return 'failed'
  if (noneMatch !== undefined && tagsOf(noneMatch).some(one => one === '*' || one.replace(/^W\//, '') === tag)) return 'unchanged'
  return 'send'
}

/** Whether a Range header counts: If-Range is absent or names the tag. Dates never do, as none is sent. */
export const rangeCounts = ({ 'if-range': ifRange }: IncomingHttpHeaders, tag: string): boolean => ifRange === undefined || ifRange === tag

const tagsOf = (header: string): string[] => header.split(',').map(one => one.trim())
