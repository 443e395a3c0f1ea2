import { openLink, portTransport, welcomeParent, type Link } from '@deputy/channel'
import { broker } from '@deputy/contract/broker'
import { identify, IdentityError, type AppIdentity } from './app-identity.ts'
import { openContext, type FrameServed } from './context.ts'
import { ownPage } from './site.ts'
import { openStore } from './store/open-store.ts'
import { frameUi } from './ui/frame-ui.tsx'
import { ownScript } from './own-script.ts'

/** The framed broker: serves the page that frames it, and that page's workers, as the one app the browser names. */
const store = await openStore()
const { build, sealWorker } = ownPage()
const makeWorker = (): Worker => new Worker(ownScript(sealWorker), { type: 'module' })

// The page that frames this document stays the same for the document's whole life.
let serving: { readonly app: AppIdentity; readonly value: FrameServed } | undefined

const valueFor = (origin: string): FrameServed => {
  const app = identify(origin)
  serving ??= { app, value: openContext({ app, store, realm: window, build, makeUi: frameUi, makeWorker }) }
  if (serving.app.id !== app.id) throw new IdentityError('deputy: this frame serves another app')
  return serving.value
}

const serve = (value: FrameServed, port: MessagePort): Link =>
  openLink({ transport: portTransport(port), offers: { members: broker, value }, fork: further => serve(value, further) })

welcomeParent({
  accept: ({ origin }, port) => {
    try {
      return serve(valueFor(origin), port)
    } catch (error) {
      if (!(error instanceof IdentityError)) throw error
      console.warn(error.message)
      return undefined
    }
  },
})
