import { equal, signerFor, type Signer } from '../signer.ts'
import type { Grant } from './grants.ts'

/** Whom a tunnel token stands for, and at which node. */
export interface Holder {
  readonly account: string
  readonly app: string
  readonly node: string
  /** The session of the API it was issued to: its end ends the tunnel. */
  readonly session: string
  readonly premium: boolean
  /** What the account may use there until the node hears of it; a node that keeps the books itself needs none. */
  readonly grant?: Pick<Grant, 'rate' | 'lease'> | undefined
}

/** Issues and reads tunnel tokens: signed, short-lived, good at one node. */
export interface Tokens {
  issue(holder: Holder, expiresAt: number): string
  /** Whom it stands for, or null when it is forged, out of time or another node's. */
  read(token: string, node: string, now: number): Holder | null
}

/** The signer of a node's tokens, by the key it was given. */
export const tokenSigner = (key: string): Signer => signerFor(key, 'tunnel tokens')

/** Tokens signed by a signer that the API shares with one node. */
export const tokensBy = (signer: Signer): Tokens => ({
  issue: ({ account, app, node, session, premium, grant }, expiresAt) => {
    const said = Buffer.from(JSON.stringify([account, app, node, session, premium, expiresAt, grant])).toString('base64url')
    return `${said}.${signer.sign(said)}`
  },
  read: (token, node, now) => {
    const [said = '', signature = '', ...more] = token.split('.')
    if (more.length > 0 || !signer.verify(said, signature)) return null
    const [account, app, at, session, premium, expiresAt, grant] = JSON.parse(Buffer.from(said, 'base64url').toString()) as [
      string,
      string,
      string,
      string,
      boolean,
      number,
      Holder['grant'] | null,
    ]
    return equal(at, node) && expiresAt > now ? { account, app, node: at, session, premium, grant: grant ?? undefined } : null
  },
})
