import { disconnectApp, listApps } from '@deputy/contract/api-apps'
import { listSessions, revokeSession } from '@deputy/contract/api-sessions'
import { useAccount, useRoute, useTelling } from './account-context.ts'
import { Icon } from './icons.tsx'
import { useSpeech } from './speech-context.ts'
import { SureButton } from './sure-button.tsx'

/** An app's id as the person knows it: its host. */
export const hostOf = (app: string): string => {
  const origin = app.replace(/^web:/, '')
  return URL.canParse(origin) ? new URL(origin).host : origin
}

/** Everything that is signed in to the account. */
export const SignedInPlaces = () => {
  const { text, formats } = useSpeech()
  const { call } = useAccount()
  const tell = useTelling()
  const { value } = useRoute(listSessions, {})
  const end = async (id: string): Promise<void> => {
    tell(await call(revokeSession, { id }), text.account.done.sessionEnded)
  }
  return (
    <section class="panel" aria-labelledby="sessions">
      <h2 id="sessions">{text.account.sections.sessions}</h2>
      <p class="soft">{text.account.sessionsText}</p>
      <ul class="entries">
        {value?.sessions.map(({ id, app, device, lastUsed, current }) => {
          const where = app === null ? text.account.ownPages : hostOf(app)
          return (
            <li key={id} class="entry">
              <Icon name="window" />
              <div class="entry-text">
                <bdi class="entry-title">{where}</bdi>
                <span class="soft">
                  <bdi>{device}</bdi> · {current ? text.account.thisDevice : text.account.lastUsed(formats.ago(lastUsed))}
                </span>
              </div>
              {!current && (
                <button type="button" class="button danger-quiet" aria-label={text.account.endSessionOf(device, where)} onClick={() => void end(id)}>
                  {text.account.endSession}
                </button>
              )}
            </li>
          )
        })}
      </ul>
    </section>
  )
}

/** The apps that work with the account. */
export const Apps = () => {
  const { text, formats } = useSpeech()
  const { call } = useAccount()
  const tell = useTelling()
  const { value } = useRoute(listApps, {})
  const disconnect = async (app: string): Promise<void> => {
    tell(await call(disconnectApp, { app }), text.account.done.disconnected)
  }
  return (
    <section class="panel" aria-labelledby="apps">
      <h2 id="apps">{text.account.sections.apps}</h2>
      <p class="soft">{text.account.appsText}</p>
      {value?.apps.length === 0 && <p>{text.account.noApps}</p>}
      <ul class="entries">
        {value?.apps.map(({ app, lastUsed, objects, bytes }) => {
          const host = hostOf(app)
          return (
            <li key={app} class="entry">
              <Icon name="network" />
              <div class="entry-text">
                <bdi class="entry-title">{host}</bdi>
                <span class="soft">
                  {text.account.appHolds(objects, bytes, formats)} · {text.account.lastUsed(formats.ago(lastUsed))}
                </span>
              </div>
              <SureButton
                label={text.account.disconnectApp(host)}
                question={text.account.disconnectSure(host)}
                sure={text.account.disconnect}
                run={() => disconnect(app)}
              >
                {text.account.disconnect}
              </SureButton>
            </li>
          )
        })}
      </ul>
    </section>
  )
}
