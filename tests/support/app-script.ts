/** What a test page of an app runs: a link to the broker frame, held as `window.app`. Bundled for the browser by `deputy.ts`. */
import { fetchValues, frameLink, learn, type StandingLink } from '@deputy/channel'
import { broker, type Broker } from '@deputy/contract/broker'
import type { Fail, Remote } from '@deputy/contract/shape'

type Files = { readonly [K in keyof Remote<Broker>['cloud']['fs']]-?: NonNullable<Remote<Broker>['cloud']['fs'][K]> }

export interface App {
  /** Typed as if everything were served: what is not is undefined. */
  readonly broker: Remote<Broker>
  readonly link: StandingLink<Broker>
  readonly frame: HTMLIFrameElement
  /** Changes `account.onChange` told of. */
  readonly changes: { readonly switched: boolean }[]
  /** Resolves once so many changes were told. */
  changed(count: number): Promise<readonly { readonly switched: boolean }[]>
  /** Removes the frame; resolves once the link to its successor lives. */
  remount(): Promise<void>
  /** A fresh pin. */
  pin(): Promise<string>
  /** The stream's bytes, or its error as data. */
  drain(stream: ReadableStream<Uint8Array>): Promise<Uint8Array<ArrayBuffer> | { readonly name: string; readonly message: string; readonly code: unknown }>
  sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string>
  /** The file storage, typed as if every member were served. */
  readonly files: Files
  /** The answer of a call. @throws an Error of its code for a refusal */
  value<T>(answer: Promise<T>): Promise<Exclude<T, Fail>>
  /** `done`, or the code of the refusal. */
  code(answer: Promise<unknown>): Promise<string>
  /** The same bytes for the same seed. */
  bytes(length: number, seed?: number): Uint8Array<ArrayBuffer>
}

const origin = new URLSearchParams(location.search).get('broker') ?? ''
const listening = new Set<() => void>()
let frame: HTMLIFrameElement

learn(fetchValues)
const link = frameLink({
  origin,
  want: 'broker',
  wants: broker,
  limits: { window: 4 * 2 ** 20 },
  mount: dead => {
    dead?.remove()
    frame = document.createElement('iframe')
    frame.src = `${origin}/frame`
    frame.title = 'Deputy'
    frame.style.cssText = 'position:fixed;inset:0;width:100%;height:100%;border:0'
    document.body.append(frame)
    return frame
  },
})

const isFail = (answer: unknown): answer is Fail => typeof answer === 'object' && answer !== null && 'error' in answer

const app: App = {
  broker: await link.remote,
  link,
  get frame() {
    return frame
  },
  changes: [],
  changed: count =>
    new Promise(resolve => {
      const look = (): void => {
        if (app.changes.length < count) return
        listening.delete(look)
        resolve(app.changes)
      }
      listening.add(look)
      look()
    }),
  remount: () =>
    new Promise(resolve => {
      const before = link.current()
      const stop = link.onLink(now => {
        if (now === before) return
        queueMicrotask(() => stop())
        resolve()
      })
      frame.remove()
    }),
  pin: async () => (await app.broker.cloud.fs.accountPin?.()) ?? '',
  drain: async stream => {
    const chunks: Uint8Array<ArrayBuffer>[] = []
    try {
      for await (const chunk of stream) chunks.push(chunk as Uint8Array<ArrayBuffer>)
      return new Uint8Array(await new Blob(chunks).arrayBuffer())
    } catch (error) {
      const { name, message, code } = error as Error & { code?: unknown }
      return { name, message, code }
    }
  },
  get files() {
    return app.broker.cloud.fs as App['files']
  },
  value: async answer => {
    const found = await answer
    if (isFail(found)) throw new Error(found.error)
    return found as Exclude<typeof found, Fail>
  },
  code: async answer => {
    const found = await answer
    return isFail(found) ? found.error : 'done'
  },
  sha256: async bytes => [...new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))].map(byte => byte.toString(16).padStart(2, '0')).join(''),
  bytes: (length, seed = 1) => {
    const words = new Uint32Array(Math.ceil(length / 4))
    let state = seed
    for (let index = 0; index < words.length; index += 1) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      words[index] = state
    }
    return new Uint8Array(words.buffer).slice(0, length)
  },
}
// What the broker shows needs a host that places it: here the frame always fills the page.
if (new URLSearchParams(location.search).get('overlay') !== 'none') link.onLink(live => void live.remote.then(tree => tree.overlay.setHost(() => {})))
await app.broker.account.onChange(change => {
  app.changes.push(change ?? { switched: true })
  for (const look of [...listening]) look()
})
Object.assign(globalThis, { app })
