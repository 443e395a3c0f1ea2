import { nodeError } from './errors.ts'

/** Kinds of records by their numbers. */
export const kinds = { A: 1, NS: 2, CNAME: 5, SOA: 6, PTR: 12, MX: 15, TXT: 16, AAAA: 28, SRV: 33, NAPTR: 35, TLSA: 52, ANY: 255, CAA: 257 } as const
/** A kind of records. */
export type Kind = keyof typeof kinds

/** Letters of one label at most. */
export const labelMost = 63
/** Letters of a whole name at most. */
export const nameMost = 255
const badName = (): Error => nodeError('EBADNAME', 'EBADNAME')

/** A name in the letters of the wire; a name in others becomes its form of ASCII. @throws EBADNAME */
export function wireName(name: string): string {
  const plain = /^[\x21-\x7e]*$/.test(name) ? name : punycode(name)
  const labels = plain.replace(/\.$/, '').split('.')
  const isRoot = labels.length === 1 && labels[0] === ''
  if (plain.length >= nameMost || (!isRoot && labels.some(label => label === '' || label.length > labelMost))) throw badName()
  return isRoot ? '' : labels.join('.').toLowerCase()
}

function punycode(name: string): string {
  // Of a url that is more than a host, the host would be another name.
  if (/[\s%/?#@:\\[\]]/.test(name)) throw badName()
  try {
    return new URL(`http://${name}`).hostname
  } catch {
    throw badName()
  }
}
