import { listPasskeys } from '@deputy/contract/api-accounts'
import { readKeys } from '@deputy/contract/api-keys'
import { useLayoutEffect, useState } from 'preact/hooks'
import type { KeyState } from '../keys/account-keys.ts'
import type { Profile } from '../sign-in/state.ts'
import { useAccount, useRoute } from './account-context.ts'
import { EnrolHere } from './account-enrol.tsx'
import { useKeyChanges } from './account-key-changes.ts'
import { Icon } from './icons.tsx'
import { PassphraseForm } from './passphrase-form.tsx'
import { useSpeech } from './speech-context.ts'
import { SureButton } from './sure-button.tsx'
import { TypedName } from './typed-name.tsx'

/** The encryption of the account's files: its state, what opens it, and what changes that. */
export const Encryption = ({ profile }: { readonly profile: Profile }) => {
  const { text } = useSpeech()
  const { value } = useRoute(readKeys, {})
  const { section } = text.keys
  return (
    <section class="panel" aria-labelledby="encryption">
      <h2 id="encryption">{section.title}</h2>
      <p class="soft">{section.text}</p>
      {value?.state === null && <EnrolHere />}
      {value?.state != null && <Enrolled state={value.state} profile={profile} />}
    </section>
  )
}

const Enrolled = ({ state, profile }: { readonly state: KeyState; readonly profile: Profile }) => {
  const { text, formats } = useSpeech()
  const { keys, version } = useAccount()
  const passkeys = useRoute(listPasskeys, {}).value?.passkeys ?? []
  const { busy, unlock, rotate, setPassphrase, removePassphrase, reset } = useKeyChanges(state, passkeys)
  const [held, setHeld] = useState<boolean>()
  const [typing, setTyping] = useState(false)
  useLayoutEffect(() => {
    let ended = false
    void keys.current().then(current => {
      if (!ended) setHeld(current?.epoch === state.epoch)
    })
    return () => {
      ended = true
    }
  }, [keys, state.epoch, version])
  const { section } = text.keys
  const hasPassphrase = state.unlockers.some(({ kind }) => kind === 'passphrase')
  const nameOf = (credential: string | null): string => passkeys.find(({ id }) => id === credential)?.name ?? ''
  return (
    <>
      <div class="entry">
        <Icon name={held === true ? 'check' : 'lock'} />
        <div class="entry-text">
          <span class="entry-title">{held === true ? section.held : section.locked}</span>
          <span class="soft">{section.epoch(state.epoch)}</span>
        </div>
        {held === false && (
          <button type="button" class="button plain" disabled={busy} onClick={() => void unlock()}>
            {section.unlockHere}
          </button>
        )}
      </div>
      <h3>{section.ways}</h3>
      <ul class="entries">
        {state.unlockers.map(({ id, kind, credential, created }) => (
          <li key={id} class="entry">
            <Icon name={kind === 'passkey' ? 'passkey' : 'lock'} />
            <div class="entry-text">
              <span class="entry-title">{section.kinds[kind]}</span>
              <span class="soft">
                {nameOf(credential) !== '' && (
                  <>
                    <bdi>{nameOf(credential)}</bdi> ·{' '}
                  </>
                )}
                {section.since(formats.date(created))}
              </span>
            </div>
            {kind === 'passphrase' && (
              <SureButton question={section.removeSure} sure={text.account.remove} label={section.removePassphrase} run={() => removePassphrase(id)}>
                {text.account.remove}
              </SureButton>
            )}
          </li>
        ))}
      </ul>
      {typing ? (
        <PassphraseForm
          busy={busy}
          primary
          submit={typed =>
            void setPassphrase(typed).then(done => {
              if (done) setTyping(false)
            })
          }
        />
      ) : (
        <div class="inline">
          <button type="button" class="button plain" disabled={busy} onClick={() => setTyping(true)}>
            {hasPassphrase ? section.changePassphrase : section.passphrase}
          </button>
        </div>
      )}
      <hr />
      <p class="soft">{section.rotateText}</p>
      <SureButton question={section.rotateSure} sure={section.rotate} run={rotate}>
        {section.rotate}
      </SureButton>
      <details class="more">
        <summary>{text.keys.unlock.lost}</summary>
        <div class="stack">
          <p>{text.keys.lost.text}</p>
          <ul class="points">
            {text.keys.lost.points.map((point, index) => (
              <li key={point}>
                <Icon name={index === 0 ? 'cross' : 'check'} />
                {point}
              </li>
            ))}
          </ul>
          <TypedName
            id="reset-name"
            name={profile.name}
            label={text.keys.lost.confirm(profile.name)}
            go={text.keys.lost.go}
            busy={busy}
            submit={() => void reset(profile.name)}
          />
        </div>
      </details>
    </>
  )
}
