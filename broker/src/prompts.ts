import type { frameConsent } from '@deputy/contract/consent'
import type { AdoptRequest, AdoptState, ConflictChoice, ConflictRequest } from '@deputy/contract/fs'
import type { overlay } from '@deputy/contract/overlay'
import type { Served } from '@deputy/contract/shape'
import type { AppIdentity } from './app-identity.ts'
import type { Consent } from './consent/consent.ts'
import type { Store } from './store/store.ts'
import type { LiveSockets } from './webvpn/live-sockets.ts'

/** What the person did with the card that offers to sign in or to connect; `unavailable` when no card could be shown. */
export type ConnectOutcome = 'opened' | 'declined' | 'unavailable'

/** The card that stands before a sign-in window. */
export interface ConnectCard {
  readonly app: AppIdentity
  readonly purpose: 'sign-in' | 'connect' | 'unlock'
  /** What the app says of its purpose, where it says anything; shown as its words, never as ours. */
  readonly words?: string
  /** Opens the window: call it synchronously inside the trusted click on the card's button. `null` when the browser blocked it: keep the card up and say so. */
  open(): Window | null
  /** Takes the card down when it fires; the answer is then `declined`. */
  readonly signal: AbortSignal
}

/** The card shown while the person is busy in the sign-in window. */
export interface WaitingCard {
  readonly app: AppIdentity
  /** The person gives up: the window is closed and the app is answered false. */
  cancel(): void
  /** Brings the window to the front; call it inside a click. */
  focus(): void
}

/** The card shown while claims wait because the account has claimed as many rooms as it may. */
export interface ClaimsCard {
  readonly app: AppIdentity
  /** Opens the account's claimed rooms in a window: call it synchronously inside the trusted click on the card's button. `null` when the browser blocked it. */
  open(): Window | null
  /** Takes the card down when it fires. */
  readonly signal: AbortSignal
}

/** What the app announced as waiting in this browser, with the work that takes it into the account. */
export interface AdoptSource {
  /** Does the work; fails where the app's does. */
  run(): Promise<unknown>
  /** What is left to do, as the app told last. */
  left(): AdoptState
  /** Called when the app told anew. Answers the end of it. */
  onChange(listener: () => void): () => void
}

/** The card that asks whether files of this browser shall go into the account. */
export interface AdoptCard {
  readonly app: AppIdentity
  readonly request: AdoptRequest
  /** Where there is one, a yes does its work while the card is up. */
  readonly source: AdoptSource | null
  /** Takes the card down when it fires. */
  readonly signal: AbortSignal
}

/** The card that asks which of two states of a file shall stay. */
export interface ConflictCard {
  readonly app: AppIdentity
  readonly request: ConflictRequest
  /** Takes the card down when it fires. */
  readonly signal: AbortSignal
}

/** The card that asks through which node the app's tunnel goes. */
export interface NodeCard {
  readonly app: AppIdentity
  readonly nodes: readonly { readonly id: string; readonly title: string }[]
  /** The one that is used now. */
  readonly chosen: string | null
  /** Takes the card down when it fires. */
  readonly signal: AbortSignal
}

/** A line for the person that asks for nothing and takes itself down. */
export type Notice =
  /** The sign-in window answered, and this account is now used with the app. */
  | { readonly kind: 'signed-in'; readonly app: AppIdentity; readonly name: string }
  /** The window answered, but the service refused or could not be reached. */
  | { readonly kind: 'sign-in-failed'; readonly app: AppIdentity; readonly reason: 'unreachable' | 'refused' }
  /** The app page cuts windows off from the pages that open them, so that no answer can come back. */
  | { readonly kind: 'window-cut-off'; readonly app: AppIdentity }

/** The seam between the broker's services and what the person sees in the frame. */
export interface Prompts {
  /** Shows the card and waits for the person. */
  connect(card: ConnectCard): Promise<ConnectOutcome>
  /** Shows the card at once; call what it answers to take it down. */
  waiting(card: WaitingCard): () => void
  /** Shows the card until its signal fires; resolves then, and before when the person closes it or no card could be shown. */
  claimsFull(card: ClaimsCard): Promise<void>
  /** Whether the person wants it, and the source's work, where there is one, is done; false also when no card could be shown. */
  adopt(card: AdoptCard): Promise<boolean>
  /** The side to keep; null when the person decided nothing, or no card could be shown. */
  conflict(card: ConflictCard): Promise<ConflictChoice>
  /** The id of the node to use; null when the person chose none, or no card could be shown. */
  node(card: NodeCard): Promise<string | null>
  notice(notice: Notice): void
  /** Tells that a newer build of the broker is there; `apply` takes it. Call what it answers to take the line down. */
  updateReady(apply: () => void): () => void
}

/** Everything the person sees in the frame, and the namespaces served by it. */
export interface FrameUi {
  readonly prompts: Prompts
  readonly overlay: Served<typeof overlay>
  readonly frameConsent: Served<typeof frameConsent>
  /** What the person allowed the app, for those who act under it. */
  readonly consent: Consent
}

/** Makes the UI of one frame document, once: `frameUi` of `ui/frame-ui.tsx`. */
export type MakeFrameUi = (needs: {
  readonly app: AppIdentity
  /** Where grants live; the partition's, or memory where storage is denied. */
  readonly store: Store
  /** Account id the frame acts for now, or null: grants belong to it. Never shown, never given to an app. */
  accountId(): Promise<string | null>
  /** Connections of the app to show in the bar. */
  readonly sockets?: LiveSockets
  /** Called whenever the account changed. */
  onSwitch(listener: () => void): () => void
}) => FrameUi
