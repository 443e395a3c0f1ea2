import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A certificate with its key, as texts of PEM. */
export interface Issued {
  readonly cert: string
  readonly key: string
  readonly name: string
}
/** How a certificate is made; by itself where nobody issues it. Times as `YYYYMMDDHHMMSSZ`. */
export interface Wanted {
  readonly name: string
  readonly by?: Issued
  /** Lines of extensions as OpenSSL's configuration has them. */
  readonly extensions?: readonly string[]
  readonly from?: string
  readonly to?: string
  readonly digest?: string
  /** `ec` or bits of RSA. */
  readonly key?: 'ec' | number
}

/** An authority's extensions. */
export const authority = ['basicConstraints=critical,CA:TRUE', 'keyUsage=critical,keyCertSign,cRLSign', 'subjectKeyIdentifier=hash']
/** A server's extensions. */
export const server = (...names: readonly string[]): string[] => [
  'basicConstraints=critical,CA:FALSE',
  'extendedKeyUsage=serverAuth',
  ...(names.length > 0 ? [`subjectAltName=${names.join(',')}`] : []),
]

/** Makes certificates by the `openssl` of the machine, in a folder of its own. */
export interface Press {
  issue(wanted: Wanted): Issued
  /** A list by the authority that revokes certificates. */
  revoke(by: Issued, certificates: readonly Issued[]): string
  remove(): void
}

const config = `
[ca]
default_ca=own
[own]
dir=.
database=index
new_certs_dir=.
rand_serial=yes
crlnumber=crlnumber
default_md=sha256
policy=any
unique_subject=no
email_in_dn=no
default_crl_days=30
[any]
commonName=supplied
[req]
distinguished_name=none
[none]
`

export function openPress(): Press {
  const folder = mkdtempSync(join(tmpdir(), 'deputy-certificates-'))
  const put = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text)
    return name
  }
  const get = (name: string): string => readFileSync(join(folder, name), 'utf8')
  const run = (...words: string[]): void => void execFileSync('openssl', words, { cwd: folder, stdio: 'pipe' })
  put('config', config)
  put('index', '')
  put('crlnumber', '01\n')
  const keys = new Map<string, string>()
  let count = 0
  const keyOf = (kind: string): string => {
    let key = keys.get(kind)
    if (key === undefined) {
      const how = /^\d+$/.test(kind)
        ? ['-algorithm', 'RSA', '-pkeyopt', `rsa_keygen_bits:${kind}`]
        : ['-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256']
      run('genpkey', ...how, '-out', 'made')
      keys.set(kind, (key = get('made')))
    }
    return key
  }
  return {
    issue: ({ name, by, extensions = [], from, to, digest = 'sha256', key: kind = 'ec' }) => {
      // Keys are made once for servers, and once for each authority, which a chain may not share.
      const key = keyOf(
        extensions === authority || extensions.includes(authority[0] ?? '') ? (typeof kind === 'number' ? String(kind) : `ec ${name} ${count}`) : String(kind),
      )
      const at = String(++count)
      put('key', key)
      put('issuer-key', by?.key ?? key)
      run('req', '-new', '-config', 'config', '-key', 'key', '-subj', `/CN=${name}`, '-out', 'request')
      put('extensions', ['[own]', ...extensions].join('\n'))
      const issuer = by === undefined ? ['-selfsign'] : ['-cert', put('issuer', by.cert)]
      const times = ['-startdate', from ?? '20200101000000Z', '-enddate', to ?? '20490101000000Z']
      const what = ['-in', 'request', '-keyfile', 'issuer-key', '-md', digest, '-extfile', 'extensions', '-extensions', 'own', '-notext', '-out', at]
      run('ca', '-batch', '-config', 'config', '-preserveDN', ...issuer, ...times, ...what)
      return { cert: get(at), key, name }
    },
    revoke: (by, certificates) => {
      const issuer = ['-config', 'config', '-cert', put('issuer', by.cert), '-keyfile', put('issuer-key', by.key)]
      for (const { cert } of certificates) run('ca', ...issuer, '-revoke', put('revoked', cert))
      run('ca', ...issuer, '-gencrl', '-out', 'list')
      return get('list')
    },
    remove: () => rmSync(folder, { recursive: true }),
  }
}
