import { randomBytes } from 'node:crypto'
import { TUNNEL_VERSION, helloFrame, type Welcome } from '@deputy/contract/tunnel-wire'
import { parse, ShapeError } from '@deputy/contract/validate'
import { FRAME, fromJson, openSession, ownMessage, ProtocolError, readFrames, toJson, type Carrier, type CarrierEars, type Session } from '@deputy/tunnel'
import { equal } from '../signer.ts'
import { faultCode } from './refusing.ts'
import type { Streams } from './streams.ts'
import type { Holder, Tokens } from './token.ts'

/** What the sessions of a node stand on. */
export interface SessionsNeeds {
  readonly node: string
  readonly tokens: Tokens
  /** Epoch milliseconds. */
  readonly now: () => number
  readonly hold: number
  /** Sessions one account may have. */
  readonly most: number
  /** Whether the session of the API a token was issued to is still there. */
  readonly lives: (session: string) => Promise<boolean>
  /** What serves the streams of one holder's session. */
  readonly streamsFor: (holder: Holder, session: () => Session) => Promise<Streams>
}

/** The sessions of one node, and how a carrier comes to one. */
export interface Sessions {
  readonly size: number
  /** Takes a carrier whose first message is still to come. */
  take(carrier: Carrier): CarrierEars
  /** Ends those that were issued to these sessions of the API. */
  revoke(ids: readonly string[]): void
  /** Tells every client that the node goes away. */
  leave(): void
  close(): void
}

interface Held {
  readonly name: string
  readonly holder: Holder
  readonly session: Session
  secret: string
  drop: NodeJS.Timeout | undefined
}

/** Ends a session so that its client does not try to resume it. */
const finish = (session: Session, message: string): void => {
  const why = { code: 'ETUNNEL', message }
  session.tell(FRAME.refused, toJson(why))
  session.end(why)
}
const mint = (): string => randomBytes(24).toString('base64url')
const allocate = (bytes: number): Uint8Array<ArrayBuffer> => Buffer.allocUnsafeSlow(bytes)

/** Opens the sessions of a node. */
export function tunnelSessions({ node, tokens, now, hold, most, lives, streamsFor }: SessionsNeeds): Sessions {
  const held = new Map<string, Held>()
  let leaving = false

  const begin = async (holder: Holder): Promise<Held> => {
    const name = mint()
    const streams = await streamsFor(holder, () => fresh.session)
    const fresh: Held = {
      name,
      holder,
      secret: mint(),
      drop: undefined,
      session: openSession({
        role: 'node',
        allocate,
        soon: setImmediate,
        streams: streams.most,
        fault: faultCode,
        told: type => {
          if (type === FRAME.goaway) fresh.session.end({ code: 'ETUNNEL', message: 'the client left' })
        },
        opened: streams.open,
        detached: () => {
          fresh.drop = setTimeout(() => fresh.session.end({ code: 'ETUNNEL', message: 'the connection did not come back' }), hold)
        },
        over: () => {
          clearTimeout(fresh.drop)
          held.delete(name)
          streams.close()
        },
      }),
    }
    held.set(name, fresh)
    return fresh
  }

  /** The session a hello asks for, or why it gets none. */
  const find = async (
    parts: readonly Uint8Array<ArrayBuffer>[],
  ): Promise<{ found: Held; resumed: boolean; theirReceived: number } | { code: string; message: string }> => {
    const frames = [...readFrames(...parts)]
    const [first] = frames
    if (frames.length !== 1 || first?.type !== FRAME.hello) throw new ProtocolError('a session begins with hello')
    const hello = parse(helloFrame, fromJson(first.payload))
    if (hello.version !== TUNNEL_VERSION) return { code: 'EPROTO', message: `the node speaks version ${TUNNEL_VERSION}` }
    const holder = tokens.read(hello.token, node, now())
    if (holder === null || !(await lives(holder.session))) return { code: 'EACCES', message: 'the token is not good here' }
    const { resume } = hello
    const old = resume === undefined ? undefined : held.get(resume.session)
    if (resume !== undefined && old !== undefined && old.holder.account === holder.account && old.holder.app === holder.app && equal(resume.secret, old.secret))
      return { found: old, resumed: true, theirReceived: resume.received }
    if (leaving) return { code: 'ETUNNEL', message: 'the node goes away' }
    if ([...held.values()].filter(one => one.holder.account === holder.account).length >= most) return { code: 'EMFILE', message: 'too many sessions' }
    return { found: await begin(holder), resumed: false, theirReceived: 0 }
  }

  return {
    get size() {
      return held.size
    },
    take: carrier => {
      let ears: CarrierEars | undefined
      let lost = false
      let asked = false
      const refuse = (code: string, message: string): void => {
        carrier.send(ownMessage(FRAME.refused, toJson({ code, message })))
        carrier.close()
      }
      const begun = async (parts: readonly Uint8Array<ArrayBuffer>[]): Promise<void> => {
        const answer = await find(parts)
        if (lost) return
        if ('code' in answer) return refuse(answer.code, answer.message)
        const { found, resumed, theirReceived } = answer
        clearTimeout(found.drop)
        found.secret = mint()
        const welcome: Welcome = { session: found.name, secret: found.secret, resumed, received: found.session.received, node, hold, lanes: true }
        carrier.send(ownMessage(FRAME.welcome, toJson(welcome)))
        ears = found.session.attach(carrier, theirReceived)
      }
      return {
        message: (...parts) => {
          if (ears !== undefined) return ears.message(...parts)
          // A client waits for welcome: whatever comes before it is no client of this protocol.
          if (asked) return refuse('EPROTO', 'a session begins with hello')
          asked = true
          begun(parts).catch((error: unknown) => {
            if (!(error instanceof ProtocolError) && !(error instanceof ShapeError)) throw error
            refuse('EPROTO', 'the hello is malformed')
          })
        },
        lost: () => {
          lost = true
          ears?.lost()
        },
      }
    },
    revoke: ids => {
      for (const { holder, session } of [...held.values()]) if (ids.includes(holder.session)) finish(session, 'signed out')
    },
    leave: () => {
      leaving = true
      for (const { session } of held.values()) session.tell(FRAME.goaway, toJson({ reason: 'the node goes away' }))
    },
    close: () => {
      leaving = true
      for (const { session } of [...held.values()]) finish(session, 'the node went away')
    },
  }
}
