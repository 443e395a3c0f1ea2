import { apiAt } from '../api/api.ts'
import { identify, IdentityError, type AppIdentity } from '../app-identity.ts'
import { connectingOf } from '../connecting/connecting.ts'
import { keptKeys } from '../fs/file-keys.ts'
import { keepSession } from '../sessions/sessions.ts'
import { tabNews } from '../sessions/tab-news.ts'
import { keptSite, readSite } from '../site.ts'
import { openStore } from '../store/open-store.ts'
import { buttonPrompts } from './button-prompts.ts'
import { ConnectButton } from './connect-button.tsx'
import { drawPage } from './page.tsx'
import './connect-button.css'

/** The page that frames this one, as the browser names it; the referrer where it has no other name for it. */
function framingApp(): AppIdentity | null {
  const origin = location.ancestorOrigins?.[0] ?? (URL.canParse(document.referrer) ? new URL(document.referrer).origin : '')
  try {
    return identify(origin)
  } catch (error) {
    if (error instanceof IdentityError) return null
    throw error
  }
}

const theme = new URLSearchParams(location.search).get('theme')
if (theme === 'light' || theme === 'dark') document.documentElement.classList.add(theme)

const app = framingApp()
if (app !== null) {
  const site = keptSite(readSite)
  const api = async () => {
    const config = await site()
    return config === null ? null : apiAt(config.api)
  }
  const store = await openStore()
  const sessions = keepSession({ api, store, key: `session:${app.id}`, news: tabNews() })
  const prompts = buttonPrompts()
  const keys = keptKeys({ app, sessions, store, news: tabNews() })
  const connecting = connectingOf({ app, api, sessions, store, keys, prompts, realm: window })
  drawPage(({ text }) => text.button.connect, <ConnectButton sessions={sessions} connecting={connecting} prompts={prompts} />)
}
