import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Who signs in at the provider, and in which ways it is wrong. */
export interface OidcPerson {
  readonly sub: string
  readonly name?: string
  readonly email?: string
  readonly email_verified?: boolean
}

/** An OpenID provider in software: authorization code flow with PKCE, ID tokens signed with RS256. */
export interface OidcProvider extends AsyncDisposable {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  /** What the person's window does there: signs in and is sent back; answers the url it is sent to. */
  signIn(url: string, person: OidcPerson, flaws?: { readonly nonce?: string; readonly audience?: string; readonly forged?: boolean }): string
}

/** Starts a provider on a loopback port. */
export async function startOidcProvider(): Promise<OidcProvider> {
  const clientId = 'deputy'
  const clientSecret = randomBytes(24).toString('base64url')
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const forger = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
  const codes = new Map<string, { readonly challenge: string; readonly redirect: string; readonly idToken: string }>()
  let issuer = ''

  const jwt = (claims: object, forged: boolean): string => {
    const head = Buffer.from(JSON.stringify({ alg: 'RS256', typ: 'JWT', kid: 'one' })).toString('base64url')
    const body = Buffer.from(JSON.stringify(claims)).toString('base64url')
    return `${head}.${body}.${sign('sha256', Buffer.from(`${head}.${body}`), forged ? forger : privateKey).toString('base64url')}`
  }
  const redeem = (form: URLSearchParams, authorization: string | undefined): { status: number; body: object } => {
    const code = codes.get(form.get('code') ?? '')
    codes.delete(form.get('code') ?? '')
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    const secret =
      form.get('client_secret') ??
      decodeURIComponent(
        Buffer.from((authorization ?? '').replace('Basic ', ''), 'base64')
          .toString('utf8')
          .split(':')[1] ?? '',
      )
    const right = code !== undefined && code.challenge === challenge && code.redirect === form.get('redirect_uri') && secret === clientSecret
    return right
      ? { status: 200, body: { access_token: randomBytes(16).toString('hex'), token_type: 'bearer', expires_in: 60, id_token: code.idToken } }
      : { status: 400, body: { error: 'invalid_grant' } }
  }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const answer = (body: object, status = 200): void => void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
      if (request.url === '/.well-known/openid-configuration')
        answer({
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          jwks_uri: `${issuer}/keys`,
          response_types_supported: ['code'],
          subject_types_supported: ['public'],
          id_token_signing_alg_values_supported: ['RS256'],
          code_challenge_methods_supported: ['S256'],
        })
      else if (request.url === '/keys') answer({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'one', use: 'sig', alg: 'RS256' }] })
      else if (request.url === '/token') {
        const { status, body } = redeem(new URLSearchParams(Buffer.concat(chunks).toString('utf8')), request.headers.authorization)
        answer(body, status)
      } else answer({}, 404)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    issuer,
    clientId,
    clientSecret,
    signIn: (url, person, { nonce, audience = clientId, forged = false } = {}) => {
      const asked = new URL(url).searchParams
      const code = randomBytes(16).toString('hex')
      const now = Math.floor(Date.now() / 1000)
      const idToken = jwt({ iss: issuer, aud: audience, iat: now, exp: now + 300, nonce: nonce ?? asked.get('nonce'), ...person }, forged)
      codes.set(code, { challenge: asked.get('code_challenge') ?? '', redirect: asked.get('redirect_uri') ?? '', idToken })
      const back = new URL(asked.get('redirect_uri') ?? '')
      back.searchParams.set('code', code)
      back.searchParams.set('state', asked.get('state') ?? '')
      return back.href
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
