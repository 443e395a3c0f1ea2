import { beginOidc, finishOidc } from '@deputy/contract/api-accounts'
import * as oidc from 'openid-client'
import type { Config } from '../config/schema.ts'
import { handler, refuse } from '../http/handler.ts'
import { placeOf } from '../operations/log.ts'
import type { Services } from '../services.ts'
import { begin, take } from './ceremonies.ts'
import { makeAccount } from './make-account.ts'
import { personName } from './person-name.ts'
import { signedIn } from './signed-in.ts'

type Provider = Config['accounts']['providers'][number]
const discovered = new WeakMap<Provider, Promise<oidc.Configuration>>()

/** The provider's endpoints, read once; a failed reading is tried again at the next sign-in. */
function discover(provider: Provider, insecure: boolean): Promise<oidc.Configuration> {
  const known = discovered.get(provider)
  if (known !== undefined) return known
  // Signatures are checked although the token comes straight from the provider, so that not all rests on its certificate.
  // oxlint-disable-next-line typescript/no-deprecated -- it is marked so only to be noticed; a local provider has no certificate
  const execute = insecure ? [oidc.enableNonRepudiationChecks, oidc.allowInsecureRequests] : [oidc.enableNonRepudiationChecks]
  const reading = oidc.discovery(new URL(provider.issuer), provider.clientId, provider.clientSecret, undefined, { execute, timeout: 10 })
  discovered.set(provider, reading)
  reading.catch(() => discovered.delete(provider))
  return reading
}

const insecureAllowed = ({ config }: Pick<Services, 'config'>): boolean => config.server.mode === 'development'
const redirectOf = ({ origins }: Pick<Services, 'origins'>): string => `${origins.broker}/sign-in`

/** Begins a sign-in with an outside provider. */
export const oidcBegin = handler(beginOidc, async ({ provider: id }, services) => {
  const provider = services.config.accounts.providers.find(item => item.id === id)
  if (provider === undefined) return refuse('not-found', 'there is no such provider')
  let client: oidc.Configuration
  try {
    client = await discover(provider, insecureAllowed(services))
  } catch (error) {
    services.log.warn('provider-unreachable', { provider: id, ...placeOf(error) })
    return refuse('unavailable', 'the provider cannot be reached')
  }
  const data = { provider: id, verifier: oidc.randomPKCECodeVerifier(), state: oidc.randomState(), nonce: oidc.randomNonce() }
  const url = oidc.buildAuthorizationUrl(client, {
    redirect_uri: redirectOf(services),
    scope: 'openid email profile',
    code_challenge: await oidc.calculatePKCECodeChallenge(data.verifier),
    code_challenge_method: 'S256',
    state: data.state,
    nonce: data.nonce,
  })
  return { ceremony: await begin('oidc', null, data, services), url: url.href }
})

/** Finishes it with the url the provider sent the window back to. */
export const oidcFinish = handler(finishOidc, async ({ ceremony, url, device }, services) => {
  const { config, log } = services
  const begun = await take('oidc', null, ceremony, services)
  const provider = config.accounts.providers.find(item => item.id === begun?.provider)
  if (begun === null || provider === undefined) return refuse('denied', 'the ceremony is unknown, used or out of time')
  if (!URL.canParse(url)) return refuse('invalid', 'the url is none')
  let claims: oidc.IDToken | undefined
  try {
    const back = new URL(redirectOf(services))
    back.search = new URL(url).search
    const tokens = await oidc.authorizationCodeGrant(await discover(provider, insecureAllowed(services)), back, {
      pkceCodeVerifier: begun.verifier,
      expectedState: begun.state,
      expectedNonce: begun.nonce,
      idTokenExpected: true,
    })
    claims = tokens.claims()
  } catch (error) {
    log.warn('provider-refused', { provider: provider.id, ...placeOf(error) })
    return refuse('denied', 'the provider did not sign the person in')
  }
  if (claims === undefined) return refuse('denied', 'the provider did not sign the person in')
  const found = await accountOf(claims, services)
  if (typeof found === 'string') return refuse('denied', found)
  return signedIn(found.account, device, services)
})

/**
 * The account tied to the provider's; else the one that has proven the same address, which is then tied; else a new one. An
 * address counts only when the provider says that it has verified it.
 */
async function accountOf(claims: oidc.IDToken, services: Services): Promise<{ account: string } | string> {
  const { rows, ids, clock, config } = services
  const link = { issuer: claims.iss, subject: claims.sub }
  const linked = await rows.read
    .selectFrom('oidc_links')
    .select('account')
    .where('issuer', '=', link.issuer)
    .where('subject', '=', link.subject)
    .executeTakeFirst()
  if (linked !== undefined) return { account: linked.account }
  const email = claims['email_verified'] === true && typeof claims['email'] === 'string' ? claims['email'].normalize('NFC').trim().toLowerCase() : null
  const same = email === null ? undefined : await rows.read.selectFrom('accounts').select('id').where('email', '=', email).executeTakeFirst()
  if (same !== undefined) {
    await rows.write('linkOidc', { ...link, account: same.id, now: clock.now() })
    return { account: same.id }
  }
  if (!config.accounts.signUp) return 'this server takes no new accounts'
  const account = ids.id()
  const said = typeof claims['name'] === 'string' ? personName(claims['name'].slice(0, 100)) : null
  const made = await makeAccount({ id: account, name: said ?? email?.split('@')[0] ?? 'Somebody', email, oidc: link }, services)
  return made ? { account } : 'the account was just made elsewhere'
}
