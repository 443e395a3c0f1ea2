import { useCallback, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { AccountFiles } from '../account-files/files.ts'
import type { AccountKeys } from '../keys/account-keys.ts'
import { ownKeysOf } from '../keys/own-keys.ts'
import type { Session, Sessions } from '../sessions/sessions.ts'
import { AccountProvider, type AccountTools } from './account-context.ts'
import { Data } from './account-data.tsx'
import { Files } from './account-files.tsx'
import { Encryption } from './account-keys.tsx'
import { Network } from './account-network.tsx'
import { Objects } from './account-objects.tsx'
import { Passkeys } from './account-passkeys.tsx'
import { Profile } from './account-profile.tsx'
import { Recovery } from './account-recovery.tsx'
import { Rooms } from './account-rooms.tsx'
import { Apps, SignedInPlaces } from './account-sessions.tsx'
import { Avatar } from './avatar.tsx'
import { Brand } from './brand.tsx'
import { Icon } from './icons.tsx'
import { Column } from './page.tsx'
import { useSpeech } from './speech-context.ts'
import { useUnlockDialog } from './unlock-dialog.tsx'

interface Said {
  readonly text: string
  readonly tone: 'calm' | 'warning'
}

/** The account page: everything the person can see and change of their account. */
export const AccountWindow = ({ sessions, keys, files }: { readonly sessions: Sessions; readonly keys: AccountKeys; readonly files: AccountFiles }) => {
  const { text } = useSpeech()
  const [session, setSession] = useState<Session | null>()
  const [deleted, setDeleted] = useState(false)
  useLayoutEffect(() => {
    const read = (): void => void sessions.current().then(setSession)
    read()
    return sessions.onChange(read)
  }, [sessions])

  if (session === undefined)
    return (
      <Column>
        <p class="soft" role="status">
          {text.signIn.starting}
        </p>
      </Column>
    )
  if (deleted || session === null)
    return (
      <Column>
        <h1>{deleted ? text.account.deleted.title : text.account.signedOut.title}</h1>
        <p>{deleted ? text.account.deleted.text : text.account.signedOut.text}</p>
        {!deleted && (
          <a class="button primary wide" href="/sign-in">
            {text.account.signIn}
          </a>
        )}
      </Column>
    )
  return <Account key={session.account.id} sessions={sessions} keys={keys} files={files} session={session} onDeleted={() => setDeleted(true)} />
}

const Account = ({
  sessions,
  keys,
  files,
  session,
  onDeleted,
}: {
  readonly sessions: Sessions
  readonly keys: AccountKeys
  readonly files: AccountFiles
  readonly session: Session
  readonly onDeleted: () => void
}) => {
  const { text, formats } = useSpeech()
  const [version, setVersion] = useState(0)
  const [said, setSaid] = useState<Said>()
  const [profile, setProfile] = useState(session.account)
  const silenceRef = useRef<ReturnType<typeof setTimeout>>(undefined)
  const say = useCallback((line: string, tone: Said['tone']) => {
    setSaid({ text: line, tone })
    clearTimeout(silenceRef.current)
    silenceRef.current = setTimeout(() => setSaid(undefined), 8000)
  }, [])
  const { ask: askOpened, dialog } = useUnlockDialog(keys)
  const tools = useMemo<AccountTools>(
    () => ({
      call: (route, body, options) => sessions.call(route, body, options),
      keys,
      ownKeys: ownKeysOf(keys, askOpened),
      files,
      askOpened,
      say,
      version,
      changed: () => setVersion(count => count + 1),
    }),
    [sessions, keys, files, askOpened, say, version],
  )
  return (
    <AccountProvider value={tools}>
      <header class="account-header">
        <Brand product={text.common.product} />
        <button type="button" class="button plain" onClick={() => void sessions.end()}>
          {text.account.signOut}
        </button>
      </header>
      <main class="account">
        <div class="who account-who">
          <Avatar name={profile.name} image={profile.image} large />
          <div class="stack tight">
            <h1>
              <bdi>{profile.name}</bdi>
            </h1>
            <p class="soft">
              {text.account.memberSince(formats.date(profile.created))}
              {profile.premium && <span class="badge">{text.account.premium}</span>}
            </p>
          </div>
        </div>
        <Profile profile={profile} onChange={setProfile} />
        <Passkeys />
        <Encryption profile={profile} />
        <Recovery />
        <Apps />
        <Files />
        <Objects />
        <Rooms />
        <Network />
        <SignedInPlaces />
        <section class="panel" aria-labelledby="grants">
          <h2 id="grants">{text.account.sections.grants}</h2>
          <p class="soft">{text.account.grantsText}</p>
        </section>
        <Data
          profile={profile}
          onDeleted={() => {
            onDeleted()
            void sessions.end()
          }}
        />
      </main>
      {dialog}
      <div class={`said ${said?.tone ?? ''}`} role="status">
        {said !== undefined && (
          <p class="said-line">
            <Icon name={said.tone === 'calm' ? 'check' : 'warning'} />
            <span>{said.text}</span>
          </p>
        )}
      </div>
    </AccountProvider>
  )
}
