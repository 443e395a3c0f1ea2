import { authority, server, type Issued, type Press } from './certificates.ts'

/** A server's chain that a client has to refuse, or, as a control, take. */
export interface Presented {
  readonly title: string
  /** The server's certificate with those above it. */
  readonly chain: readonly Issued[]
  /** The name or address the client asks for; `server.test` unless told. */
  readonly host?: string
  /** Revocations the client knows. */
  readonly crl?: string
  /** Where it is good, as a control. */
  readonly isFine?: boolean
  /** What the server presents in place of its certificate, where a byte of it was changed. */
  readonly cert?: string
}

/** A corpus of chains under one root, most of them bad in one way each. */
export function badCertificates(press: Press): { readonly root: Issued; readonly corpus: readonly Presented[] } {
  const root = press.issue({ name: 'Root', extensions: authority })
  const stranger = press.issue({ name: 'Stranger', extensions: authority })
  const above = press.issue({ name: 'Between', by: root, extensions: authority })
  const good = press.issue({ name: 'server', by: above, extensions: server('DNS:server.test') })
  const leaf = (names: readonly string[], by = root) => press.issue({ name: 'server', by, extensions: server(...names) })
  const under = (title: string, of: Parameters<Press['issue']>[0]): Presented => {
    const between = press.issue({ by: root, ...of })
    return { title, chain: [leaf(['DNS:server.test'], between), between] }
  }
  const own = (title: string, of: Partial<Parameters<Press['issue']>[0]>, host?: string): Presented => ({
    title,
    chain: [press.issue({ name: 'server', by: root, extensions: server('DNS:server.test'), ...of })],
    ...(host === undefined ? {} : { host }),
  })
  const named = (title: string, names: readonly string[], host?: string): Presented => own(title, { extensions: server(...names) }, host)
  const limited = (limit: string) =>
    press.issue({ name: `Limited ${limit.replaceAll('/', ' ')}`, by: root, extensions: [...authority, `nameConstraints=critical,${limit}`] })
  const within = (title: string, limit: string, names: readonly string[], host?: string): Presented => {
    const between = limited(limit)
    return { title, chain: [leaf(names, between), between], ...(host === undefined ? {} : { host }) }
  }
  const short = press.issue({ name: 'Short', by: root, extensions: ['basicConstraints=critical,CA:TRUE,pathlen:0', 'keyUsage=critical,keyCertSign'] })
  const longer = press.issue({ name: 'Longer', by: short, extensions: authority })
  const revoked = leaf(['DNS:server.test'])
  const fine = (one: Presented): Presented => ({ ...one, isFine: true })
  return {
    root,
    corpus: [
      fine({ title: 'a chain of three', chain: [good, above] }),
      fine(named('one of several names', ['DNS:other.test', 'DNS:server.test'])),
      fine(named('a wildcard', ['DNS:*.server.test'], 'a.server.test')),
      fine(named('an address', ['IP:127.0.0.9'], '127.0.0.9')),
      fine(named('an address of IPv6', ['IP:2001:db8::9'], '2001:db8::9')),
      fine(own('RSA of 2048 bits', { key: 2048 })),
      fine(within('a name within its limits', 'permitted;DNS:server.test', ['DNS:server.test'])),
      fine({ title: 'not among the revoked', chain: [leaf(['DNS:server.test'])], crl: press.revoke(root, []) }),
      own('expired', { to: '20210101000000Z' }),
      own('not yet valid', { from: '20480101000000Z' }),
      { title: 'issued by nobody that is trusted', chain: [leaf(['DNS:server.test'], stranger)] },
      { title: 'issued by nobody that is trusted, with its root', chain: [leaf(['DNS:server.test'], stranger), stranger] },
      { title: 'signed by itself', chain: [press.issue({ name: 'server', extensions: server('DNS:server.test') })] },
      { title: 'without the one between', chain: [good] },
      { title: 'with a changed signature', chain: [good, above], cert: changed(good.cert) },
      named('for another name', ['DNS:other.test']),
      named('for a longer name', ['DNS:a.server.test']),
      named('for a name that begins so', ['DNS:server.test.evil.test']),
      named('a wildcard of two labels’ depth', ['DNS:*.test'], 'a.server.test'),
      named('a wildcard of everything', ['DNS:*'], 'server.test'),
      named('a wildcard of a whole domain', ['DNS:*.test'], 'server.test'),
      named('another address', ['IP:127.0.0.8'], '127.0.0.9'),
      named('an address as a name', ['DNS:127.0.0.9'], '127.0.0.9'),
      own('a common name beside other names', { name: 'server.test', extensions: server('DNS:other.test') }),
      own('a common name that is an address', { name: '127.0.0.9', extensions: server() }, '127.0.0.9'),
      own('for clients alone', { extensions: ['extendedKeyUsage=clientAuth', 'subjectAltName=DNS:server.test'] }),
      own('for signing code', { extensions: ['extendedKeyUsage=codeSigning', 'subjectAltName=DNS:server.test'] }),
      own('RSA of 1024 bits', { key: 1024 }),
      own('signed with SHA-1', { digest: 'sha1' }),
      own('a critical extension nobody knows', { extensions: [...server('DNS:server.test'), '1.2.3.4.5=critical,ASN1:NULL'] }),
      under('under one that is no authority', { name: 'Leaf', extensions: server('DNS:leaf.test') }),
      under('under one that may not sign', { name: 'Mute', extensions: ['basicConstraints=critical,CA:TRUE', 'keyUsage=critical,digitalSignature'] }),
      under('under one that expired', { name: 'Old', extensions: authority, to: '20210101000000Z' }),
      under('under one signed with SHA-1', { name: 'Weak', extensions: authority, digest: 'sha1' }),
      under('under one of RSA of 1024 bits', { name: 'Small', extensions: authority, key: 1024 }),
      under('under one for clients alone', { name: 'Clients', extensions: [...authority, 'extendedKeyUsage=clientAuth'] }),
      { title: 'deeper than allowed', chain: [leaf(['DNS:server.test'], longer), longer, short] },
      within('a name outside its limits', 'permitted;DNS:other.test', ['DNS:server.test']),
      within('a name that is forbidden', 'excluded;DNS:server.test', ['DNS:server.test']),
      within('one name of two outside its limits', 'permitted;DNS:server.test', ['DNS:server.test', 'DNS:other.test']),
      within('an address that is forbidden', 'excluded;IP:127.0.0.0/255.0.0.0', ['IP:127.0.0.9'], '127.0.0.9'),
      { title: 'revoked', chain: [revoked], crl: press.revoke(root, [revoked]) },
    ],
  }
}

/** The same certificate with the last bit of its signature turned. */
function changed(pem: string): string {
  const der = Buffer.from(pem.replaceAll(/-----[^-]+-----|\s/g, ''), 'base64')
  der[der.length - 1] = (der.at(-1) ?? 0) ^ 1
  return `-----BEGIN CERTIFICATE-----\n${der.toString('base64').replaceAll(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`
}
