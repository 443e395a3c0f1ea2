import { equal, type Signer } from '../signer.ts'

/** Whom a tunnel token stands for, and at which node. */
export interface Holder {
  readonly account: string
  readonly app: string
  readonly node: string
  /** The session of the API it was issued to: its end ends the tunnel. */
  readonly session: string
  readonly premium: boolean
}

/** Issues and reads tunnel tokens: signed, short-lived, good at one node. */
export interface Tokens {
  issue(holder: Holder, expiresAt: number): string
  /** Whom it stands for, or null when it is forged, out of time or another node's. */
  read(token: string, node: string, now: number): Holder | null
}

/** Tokens signed by a signer that all nodes share. */
export const tokensBy = (signer: Signer): Tokens => ({
  issue: (holder, expiresAt) => {
    const said = Buffer.from(JSON.stringify([holder.account, holder.app, holder.node, holder.session, holder.premium, expiresAt])).toString('base64url')
    return `${said}.${signer.sign(said)}`
  },
  read: (token, node, now) => {
    const [said = '', signature = '', ...more] = token.split('.')
    if (more.length > 0 || !signer.verify(said, signature)) return null
    const [account, app, at, session, premium, expiresAt] = JSON.parse(Buffer.from(said, 'base64url').toString()) as [
      string,
      string,
      string,
      string,
      boolean,
      number,
    ]
    return equal(at, node) && expiresAt > now ? { account, app, node: at, session, premium } : null
  },
})
