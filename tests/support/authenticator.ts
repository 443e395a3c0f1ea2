import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { isoCBOR } from '@simplewebauthn/server/helpers'

interface Credential {
  readonly id: string
  readonly userHandle: string
  readonly party: string
  readonly key: KeyObject
  counter: number
}

/** Ways in which an authenticator can be wrong. */
export interface Flaws {
  readonly origin?: string
  readonly party?: string
  /** Says that the person was not verified. */
  readonly unverified?: boolean
  /** Signs with another key. */
  readonly forged?: boolean
  /** Claims another account. */
  readonly userHandle?: string
  /** Says a counter of its own. */
  readonly counter?: number
}

const sha256 = (data: string | Uint8Array): Buffer => createHash('sha256').update(data).digest()
const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value))

/** An authenticator in software: P-256 keys, discoverable credentials, no attestation. Its responses are what a browser sends. */
export class Authenticator {
  readonly #origin: string
  readonly #credentials: Credential[]
  constructor(origin: string, credentials: Credential[] = []) {
    this.#origin = origin
    this.#credentials = credentials
  }

  /** The same authenticator on a page of another origin. */
  at(origin: string): Authenticator {
    return new Authenticator(origin, this.#credentials)
  }

  /** Makes a credential for creation options. */
  create(options: unknown, flaws: Flaws = {}): unknown {
    const asked = options as { challenge: string; rp: { id: string }; user: { id: string } }
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const id = randomBytes(32)
    const credential = { id: id.toString('base64url'), userHandle: asked.user.id, party: asked.rp.id, key: privateKey, counter: 0 }
    this.#credentials.push(credential)
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
    const cose = new Map<number, number | Uint8Array>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, new Uint8Array(Buffer.from(x, 'base64url'))],
      [-3, new Uint8Array(Buffer.from(y, 'base64url'))],
    ])
    const length = Buffer.from([id.length >> 8, id.length & 255])
    const attested = Buffer.concat([Buffer.alloc(16), length, id, isoCBOR.encode(cose)])
    const authData = Buffer.concat([this.#authData(flaws.party ?? credential.party, flaws, 0, 0x40), attested])
    const attestationObject = isoCBOR.encode(
      new Map<string, unknown>([
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', new Uint8Array(authData)],
      ]) as never,
    )
    const clientDataJSON = this.#clientData('webauthn.create', asked.challenge, flaws).toString('base64url')
    return {
      id: credential.id,
      rawId: credential.id,
      type: 'public-key',
      clientExtensionResults: { prf: { enabled: true } },
      response: { clientDataJSON, attestationObject: Buffer.from(attestationObject).toString('base64url'), transports: ['internal'] },
    }
  }

  /** Signs request options with its newest credential. */
  get(options: unknown, flaws: Flaws = {}): unknown {
    const asked = options as { challenge: string; rpId: string }
    const credential = this.#credentials.filter(item => item.party === asked.rpId).at(-1)
    if (credential === undefined) throw new Error('the authenticator has no credential for this party')
    credential.counter += 1
    const clientData = this.#clientData('webauthn.get', asked.challenge, flaws)
    const authData = this.#authData(flaws.party ?? credential.party, flaws, flaws.counter ?? credential.counter, 0)
    const key = flaws.forged === true ? generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey : credential.key
    const signature = sign('sha256', Buffer.concat([authData, sha256(clientData)]), key)
    return {
      id: credential.id,
      rawId: credential.id,
      type: 'public-key',
      clientExtensionResults: {},
      response: {
        clientDataJSON: clientData.toString('base64url'),
        authenticatorData: authData.toString('base64url'),
        signature: signature.toString('base64url'),
        userHandle: flaws.userHandle ?? credential.userHandle,
      },
    }
  }

  #clientData(type: string, challenge: string, flaws: Flaws): Buffer {
    return json({ type, challenge, origin: flaws.origin ?? this.#origin, crossOrigin: false })
  }

  #authData(party: string, flaws: Flaws, counter: number, flags: number): Buffer {
    const count = Buffer.alloc(4)
    count.writeUInt32BE(counter)
    return Buffer.concat([sha256(party), Buffer.from([flags | 0x01 | (flaws.unverified === true ? 0 : 0x04)]), count])
  }
}
