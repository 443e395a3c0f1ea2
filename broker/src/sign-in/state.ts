import type { Session } from '../sessions/sessions.ts'

/** The account as the broker's own windows see it. */
export type Profile = Session['account']

/** Why the last step did not go on; the window says it in its own words. */
export type Problem =
  /** Nobody was reached; trying again may help. */
  | 'unreachable'
  /** The person closed the browser's passkey dialog, or no passkey answered. */
  | 'cancelled'
  /** This browser has no passkeys. */
  | 'unsupported'
  /** This device's passkey belongs to the account already. */
  | 'already-there'
  /** The code is not right. */
  | 'wrong-code'
  /** What was typed can be no recovery code: a slip. */
  | 'mistyped-code'
  /** The passphrase opens nothing. */
  | 'wrong-passphrase'
  /** This passkey signs in, but the keys were never made to open with it. */
  | 'wrong-passkey'
  /** The passkey, or this browser, cannot open keys. */
  | 'no-prf'
  /** The keys changed in another place meanwhile. */
  | 'keys-changed'
  /** What the service keeps was not made by holders of the keys. */
  | 'keys-forged'
  /** The service shows older keys than this browser has seen. */
  | 'keys-old'
  /** The step took too long: begin again. */
  | 'expired'
  /** Tried too often: wait a little. */
  | 'too-often'
  /** The service refused for another reason. */
  | 'refused'

/** What a step that waits for the person shows of its last try. */
interface Trying {
  readonly busy: boolean
  readonly problem: Problem | null
}

/** An outside sign-in on offer. */
export interface Provider {
  readonly id: string
  readonly title: string
}

/** What may open the keys. */
export interface UnlockWays {
  readonly passkey: boolean
  readonly passphrase: boolean
}

/** Where the sign-in window stands; each step lists what its screen shows. */
export type SignInStep =
  /** Nothing to show yet; lasts a moment. */
  | { readonly step: 'starting' }
  /** The deployment cannot be reached; `retry` begins again. */
  | { readonly step: 'unreachable' }
  /** Opened for an app, but the page that opened it cannot be heard. The way out: `continueWithoutApp`, or close and reload the app's page. */
  | { readonly step: 'cut-off' }
  /** Who are you: passkey, new account by name, e-mail, recovery code, outside provider. */
  | ({ readonly step: 'choose'; readonly providers: readonly Provider[] } & Trying)
  /** An 8-digit code went to the address. */
  | ({ readonly step: 'email-code'; readonly email: string } & Trying)
  | ({ readonly step: 'recovery' } & Trying)
  /**
   * The account's recovery code, shown this once; `recoverySaved` sets it and goes on. `again`: the passkey is asked once more then,
   * which sets encryption up; `skipKeys` goes on without. `replaces`: it takes the place of one the person may hold.
   */
  | ({ readonly step: 'show-recovery'; readonly code: string; readonly again: boolean; readonly replaces: boolean } & Trying)
  /** The keys are locked. `why`: an app needs them, or a new recovery code does, which may wait. */
  | ({ readonly step: 'unlock'; readonly why: 'app' | 'code'; readonly ways: UnlockWays } & Trying)
  /** There are no keys yet and an app needs them: choose what opens them. */
  | ({ readonly step: 'enrol'; readonly passkey: boolean } & Trying)
  /** Nothing opens the keys any more: to begin anew the person types the account's name. */
  | ({ readonly step: 'lost'; readonly name: string } & Trying)
  /** Signed in by the recovery code: a passkey on this device is offered. */
  | ({ readonly step: 'add-passkey' } & Trying)
  /** May the app use this account? `connected`: the person said yes before, so one click continues. */
  | ({ readonly step: 'allow'; readonly account: Profile; readonly connected: boolean } & Trying)
  /** All said; the window closes itself where it was opened for an app. */
  | { readonly step: 'done'; readonly account: Profile | null }

/** The app the window was opened for, or null where it serves the account alone; and the step. */
export type SignInState = SignInStep & { readonly app: { readonly origin: string; readonly host: string } | null }

/** What the screens can do. Each works only in the steps that offer it and is ignored elsewhere, so a double click does nothing twice. */
export interface SignInActions {
  signInWithPasskey(): Promise<void>
  /** Makes an account with a passkey on this device. */
  signUp(name: string): Promise<void>
  sendEmail(email: string): Promise<void>
  /** `name` is used when the address has no account yet. */
  enterEmailCode(code: string, name?: string): Promise<void>
  showRecovery(): void
  recover(code: string): Promise<void>
  /** Sends the window to an outside provider; it comes back to this window. */
  useProvider(id: string): Promise<void>
  /** Back to `choose`. */
  back(): void
  /** The person keeps the code shown: only now it becomes the account's. */
  recoverySaved(): Promise<void>
  skipKeys(): Promise<void>
  unlockWithPasskey(): Promise<void>
  unlockWithPassphrase(text: string): Promise<void>
  unlockWithCode(typed: string): Promise<void>
  /** Leaves the keys locked where that is possible. */
  later(): Promise<void>
  enrolWithPasskey(): Promise<void>
  enrolWithPassphrase(text: string): Promise<void>
  showLost(): void
  /** Where older keys, or none, are shown than this browser has seen: the person says that they began anew elsewhere. */
  beganAnew(): Promise<void>
  /** Gives up keys nobody can open; `name` must be the account's. */
  giveUpKeys(name: string): Promise<void>
  addPasskey(): Promise<void>
  allow(): Promise<void>
  /** The person says no to the app; the window closes. */
  refuse(): void
  /** Signs this window's account out and goes to `choose`. */
  useAnotherAccount(): Promise<void>
  retry(): Promise<void>
  continueWithoutApp(): Promise<void>
}

/** The sign-in window without its looks. */
export interface SignInFlow {
  readonly state: SignInState
  readonly actions: SignInActions
  /** Called after every change of `state`. Answers the end of it. */
  subscribe(listener: () => void): () => void
}
