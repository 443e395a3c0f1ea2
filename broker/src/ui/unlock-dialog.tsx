import type { OpenedKeys, UnlockSecret } from '@deputy/seal'
import { useCallback, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { ComponentChildren } from 'preact'
import type { AccountKeys, KeyState } from '../keys/account-keys.ts'
import { askPasskey } from '../keys/passkey.ts'
import type { Problem } from '../sign-in/state.ts'
import type { Tried } from '../sign-in/tried.ts'
import { useSpeech } from './speech-context.ts'
import { UnlockForm } from './unlock-form.tsx'

/** Asks the person to open the keys right now, to `change` them unless said; null when they did not, or there are none. */
export type AskOpened = (why?: 'app' | 'change') => Promise<OpenedKeys | null>

interface Asking {
  readonly why: 'app' | 'change'
  readonly state: KeyState
  readonly answer: (opened: OpenedKeys | null) => void
}

/** A dialog that opens the keys, and how to ask for it. One at a time: a second question gets the answer of the first. */
export function useUnlockDialog(keys: AccountKeys): { readonly ask: AskOpened; readonly dialog: ComponentChildren } {
  const [asking, setAsking] = useState<Asking>()
  const runningRef = useRef<Promise<OpenedKeys | null>>(undefined)
  const ask = useCallback<AskOpened>(
    (why = 'change') => {
      const open = async (): Promise<OpenedKeys | null> => {
        const { value: state } = await keys.read()
        if (state === null) return null
        return new Promise(resolve => {
          setAsking({
            why,
            state,
            answer: opened => {
              setAsking(undefined)
              resolve(opened)
            },
          })
        })
      }
      runningRef.current ??= open().finally(() => {
        runningRef.current = undefined
      })
      return runningRef.current
    },
    [keys],
  )
  return { ask, dialog: asking === undefined ? null : <UnlockDialog keys={keys} asking={asking} /> }
}

const UnlockDialog = ({ keys, asking: { why, state, answer } }: { readonly keys: AccountKeys; readonly asking: Asking }) => {
  const { text } = useSpeech()
  const ref = useRef<HTMLDialogElement>(null)
  const [tried, setTried] = useState<{ busy: boolean; problem: Problem | null }>({ busy: false, problem: null })
  useLayoutEffect(() => {
    const dialog = ref.current
    if (dialog?.open === false) dialog.showModal()
  }, [])
  const credentials = state.unlockers.flatMap(({ credential }) => credential ?? [])
  const open = async (secret: Promise<Tried<UnlockSecret>>): Promise<void> => {
    setTried({ busy: true, problem: null })
    const given = await secret
    const opened = given.problem === null ? await keys.open(given.value) : given
    if (opened.problem === null) answer(opened.value)
    else setTried({ busy: false, problem: opened.problem })
  }
  const now = (secret: UnlockSecret): Promise<Tried<UnlockSecret>> => Promise.resolve({ value: secret, problem: null })
  return (
    <dialog ref={ref} class="dialog" aria-labelledby="unlock-title" onClose={() => answer(null)}>
      <div class="stack">
        <div class="stack tight">
          <h2 id="unlock-title">{text.keys.unlock[why].title}</h2>
          <p class="soft">{text.keys.unlock[why].text}</p>
        </div>
        <UnlockForm
          ways={{ passkey: credentials.length > 0, passphrase: state.unlockers.some(({ kind }) => kind === 'passphrase') }}
          busy={tried.busy}
          problem={tried.problem}
          passkey={() => void open(askPasskey(credentials))}
          passphrase={typed => void open(now({ kind: 'passphrase', text: typed }))}
          beganAnew={() => void keys.beganAnew().then(() => setTried({ busy: false, problem: null }))}
          code={typed => void open(now({ kind: 'recovery', code: typed }))}
        />
        <button type="button" class="button quiet wide" onClick={() => answer(null)}>
          {text.common.cancel}
        </button>
      </div>
    </dialog>
  )
}
