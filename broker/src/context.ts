import { readTunnelQuota } from '@deputy/contract/api-tunnel'
import { withAliases, type Broker } from '@deputy/contract/broker'
import type { Served } from '@deputy/contract/shape'
import { accountService } from './account/service.ts'
import { apiAt, type Api } from './api/api.ts'
import type { AppIdentity } from './app-identity.ts'
import { quotaService } from './cloud/quota.ts'
import { cloudService } from './cloud/service.ts'
import { connectService } from './connect/service.ts'
import { connectingOf } from './connecting/connecting.ts'
import { keptKeys } from './fs/file-keys.ts'
import { pinsOf } from './fs/pins.ts'
import { availabilityOf, fsService } from './fs/service.ts'
import type { FrameUi, MakeFrameUi } from './prompts.ts'
import { relayService } from './relay/service.ts'
import { roomsService } from './rooms/service.ts'
import { keepSession } from './sessions/sessions.ts'
import { tabNews } from './sessions/tab-news.ts'
import { shellService } from './shell/service.ts'
import { watchUpdates } from './shell/update-watch.ts'
import { keptSite, readSite } from './site.ts'
import { storageService } from './storage/service.ts'
import { uploaderWith } from './transfer/uploader.ts'
import type { Store } from './store/store.ts'
import { nodeChoice } from './tunnel/choice.ts'
import { tunnelLink } from './tunnel/link.ts'
import { listenerOf } from './tunnel/listener-of.ts'
import { allowanceOf } from './webvpn/allowance.ts'
import { liveSockets } from './webvpn/live-sockets.ts'
import { webvpnService } from './webvpn/service.ts'

/** What one frame document stands on. */
export interface FrameNeeds {
  readonly app: AppIdentity
  readonly store: Store
  readonly realm: Window
  readonly build: string
  readonly makeUi: MakeFrameUi
  readonly makeWorker: () => Worker
}

/** What the frame serves to its app: the namespaces it has, and their flat members. A worker of the app gets the same. */
export type FrameServed = Partial<Served<Broker>>

/** Composes the services of one frame for its one app. */
export function openContext({ app, store, realm, build, makeUi, makeWorker }: FrameNeeds): FrameServed {
  const site = keptSite(readSite)
  const api = async (): Promise<Api | null> => {
    const config = await site()
    return config === null ? null : apiAt(config.api)
  }
  const sessions = keepSession({ api, store, key: `session:${app.id}`, news: tabNews() })
  const sockets = liveSockets({
    askSpent: async () => {
      const outcome = await sessions.call(readTunnelQuota, {})
      return outcome.kind === 'answer' ? outcome.value.overQuota : undefined
    },
  })
  // What was spent is the account's own.
  sessions.onChange(({ switched }) => switched && sockets.noteSpent(false))
  const ui: FrameUi = makeUi({
    app,
    store,
    sockets,
    accountId: async () => (await sessions.current())?.account.id ?? null,
    onSwitch: listener => sessions.onChange(({ switched }) => switched && listener()),
  })
  const keys = keptKeys({ app, sessions, store, news: tabNews() })
  const connecting = connectingOf({ app, api, sessions, store, keys, prompts: ui.prompts, realm })
  const uploader = uploaderWith(makeWorker)
  const pins = pinsOf({ app, sessions, store })
  const link = tunnelLink({ sessions, listenerOf, choice: nodeChoice(app, store), page: realm })
  const watch = watchUpdates({ build, read: readSite, realm })
  watch.onReady(() => ui.prompts.updateReady(() => void watch.apply()))

  return withAliases({
    account: accountService({ app, sessions, connecting, store }),
    connect: connectService({ app, connecting }),
    cloud: {
      fs: fsService({ app, site, sessions, pins, store, prompts: ui.prompts, uploader, keys: { ...keys, unlock: connecting.unlock } }),
      ...cloudService({ link, tally: sockets.tally, spent: () => sockets.noteSpent(true) }),
    },
    quota: quotaService(sessions, sockets.noteSpent),
    webvpn: webvpnService({ link, allowance: allowanceOf({ sessions, consent: ui.consent, sockets }), spent: () => sockets.noteSpent(true) }),
    relay: relayService({ app, sessions, link, prompts: ui.prompts }),
    storage: storageService({
      site,
      sessions,
      check: pins.check,
      connected: async () => (await availabilityOf(sessions)) === 'connected',
      uploader,
    }),
    rooms: roomsService({
      app,
      site,
      sessions,
      store,
      tab: tabStorage(realm),
      page: realm,
      prompts: ui.prompts,
      openSettings: () => realm.open('/account#rooms', '', 'popup,width=800,height=720'),
    }),
    shell: shellService(watch),
    overlay: ui.overlay,
    frameConsent: ui.frameConsent,
  })
}

/** The tab's storage, or undefined where the browser denies it. */
function tabStorage(realm: Window): Storage | undefined {
  try {
    return realm.sessionStorage
  } catch {
    return undefined
  }
}
