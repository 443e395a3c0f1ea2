import { Buffer } from 'buffer'

/** A name as a certificate has it: what stands more than once is a list. */
export type CertificateName = Record<string, string | string[]> & { readonly CN?: string | string[] }

/** A certificate in the shape of Node's `getPeerCertificate()`. */
export interface PeerCertificate {
  readonly subject?: CertificateName
  readonly issuer?: CertificateName
  /** `DNS:…, IP Address:…`; what could be misread stands in quotes. */
  readonly subjectaltname?: string
  /** Where more is told about it, such as `OCSP - URI`. */
  readonly infoAccess?: Record<string, string[]>
  readonly ca?: boolean
  /** Of RSA: its numbers. */
  readonly modulus?: string
  readonly exponent?: string
  /** The public key: whole of RSA, the point of a curve. */
  readonly pubkey?: Buffer
  /** The curve, in OpenSSL's name and in NIST's. */
  readonly asn1Curve?: string
  readonly nistCurve?: string
  readonly bits?: number
  readonly valid_from?: string
  readonly valid_to?: string
  readonly fingerprint?: string
  readonly fingerprint256?: string
  readonly fingerprint512?: string
  readonly ext_key_usage?: string[]
  readonly serialNumber?: string
  /** The certificate itself, in DER. */
  readonly raw?: Buffer
  /** The one that signed it; a root's is the root. Only where details were asked for. */
  issuerCertificate?: PeerCertificate
}

const isPlain = /^[\x20-\x7e]*$/
// As Node writes them: names in which a reader could see more than one are quoted.
const safe = (text: string): string => (isPlain.test(text) && !/["\\,']/.test(text) ? text : JSON.stringify(text).replaceAll(/[^\x20-\x7e]/g, escaped))
const escaped = (letter: string): string => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`
const latin = (bytes: Uint8Array): string => String.fromCharCode(...bytes)

function address(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join('.')
  if (bytes.length !== 16) return '<invalid>'
  return Array.from({ length: 8 }, (_, index) => (((bytes[2 * index] ?? 0) << 8) | (bytes[2 * index + 1] ?? 0)).toString(16).toUpperCase()).join(':')
}
const hex = (bytes: Uint8Array): string => [...bytes].map(byte => byte.toString(16).padStart(2, '0').toUpperCase()).join(':')

/** Reads the fields the engine tells of a certificate. */
export function certificateOf(fields: Uint8Array): PeerCertificate {
  const view = new DataView(fields.buffer, fields.byteOffset, fields.byteLength)
  const names: { readonly S: CertificateName; readonly I: CertificateName } = { S: named(), I: named() }
  const alternatives: string[] = []
  const uses: string[] = []
  const accesses = Object.create(null) as Record<string, string[]>
  let way = ''
  const found: { -readonly [K in keyof PeerCertificate]: PeerCertificate[K] } = {}
  let type: { readonly of: CertificateName; readonly name: string } | undefined
  found.ca = false
  for (let at = 0; at + 5 <= fields.byteLength;) {
    const key = String.fromCharCode(fields[at] ?? 0)
    const length = view.getUint32(at + 1, true)
    const value = fields.subarray(at + 5, at + 5 + length)
    at += 5 + length
    const text = (): string => Buffer.from(value).toString('utf8')
    if (key === 'S' || key === 'I') type = { of: names[key], name: text() }
    else if (key === '=' && type !== undefined) {
      const before = type.of[type.name]
      type.of[type.name] = before === undefined ? text() : [...(Array.isArray(before) ? before : [before]), text()]
    } else if (key === 'D') alternatives.push(`DNS:${safe(latin(value))}`)
    else if (key === 'A') alternatives.push(`IP Address:${address(value)}`)
    else if (key === 'E') alternatives.push(`email:${safe(latin(value))}`)
    else if (key === 'U') alternatives.push(`URI:${safe(latin(value))}`)
    else if (key === 'X') uses.push(text())
    else if (key === 'W') way = `${text()} - URI`
    else if (key === '@') accesses[way] = [...(accesses[way] ?? []), text()]
    else if (key === 'M') found.modulus = text()
    else if (key === 'P')
      found.exponent = `0x${text()
        .toLowerCase()
        .replace(/^0+(?=.)/, '')}`
    else if (key === 'G') found.asn1Curve = text()
    else if (key === 'H') found.nistCurve = text()
    else if (key === 'K') found.pubkey = Buffer.from(value)
    else if (key === 'R') found.raw = Buffer.from(value)
    else if (key === 'F') found.valid_from = text()
    else if (key === 'T') found.valid_to = text()
    else if (key === 'N') found.serialNumber = text()
    else if (key === 'B') found.bits = Number(text())
    else if (key === 'C') found.ca = true
    else if (key === '1') found.fingerprint = hex(value)
    else if (key === '2') found.fingerprint256 = hex(value)
    else if (key === '3') found.fingerprint512 = hex(value)
  }
  if (alternatives.length > 0) found.subjectaltname = alternatives.join(', ')
  if (way !== '') found.infoAccess = accesses
  if (uses.length > 0) found.ext_key_usage = uses
  return { subject: names.S, issuer: names.I, ...found }
}

// Without a prototype, as Node's: the names are the certificate's choice.
const named = (): CertificateName => Object.create(null) as CertificateName
