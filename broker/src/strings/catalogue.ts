import type { ConsentCategory } from '@deputy/contract/consent'
import type { PermissionScope } from '@deputy/contract/permissions'
import type { AccountFilesCatalogue } from './account-files-catalogue.ts'
import type { FilesCatalogue } from './files-catalogue.ts'
import type { Problem } from '../sign-in/state.ts'
import type { KeysCatalogue } from './keys-catalogue.ts'
import type { NetworkCatalogue } from './network-catalogue.ts'

/** Numbers, dates and sizes as the language writes them. */
export interface Formats {
  readonly language: string
  /** The text for this count, `#` replaced by the number. */
  count(value: number, forms: Partial<Record<Intl.LDMLPluralRule, string>> & { readonly other: string }): string
  bytes(value: number): string
  /** An amount of bytes counted in thousands, as a limit the person sets is. */
  size(value: number): string
  date(epochMs: number): string
  /** Time of day. */
  time(epochMs: number): string
  /** Date and time of day. */
  moment(epochMs: number): string
  /** How long ago or ahead, in words. */
  ago(epochMs: number): string
  list(items: readonly string[]): string
}

/** A heading and what stands below it. */
export interface TitleAndText {
  readonly title: string
  readonly text: string
}

/** Every text the person reads. A language is complete when it has this type; functions put names and numbers in. */
export interface Catalogue {
  readonly common: {
    readonly product: string
    readonly close: string
    readonly cancel: string
    readonly back: string
    readonly retry: string
    readonly copy: string
    readonly copied: string
    readonly download: string
    readonly save: string
    readonly busy: string
    readonly appWords: (host: string) => string
    readonly local: string
    readonly unprotected: string
  }
  readonly card: {
    readonly notNow: string
    readonly deny: string
    readonly covered: string
    readonly clipped: string
    readonly tooSoon: string
    readonly readOn: string
    readonly pressAgain: string
    readonly confirm: string
    readonly inWindow: string
    readonly inWindowWhy: string
    readonly blocked: string
  }
  readonly connect: {
    readonly signIn: TitleAndText
    readonly connect: TitleAndText
    readonly go: string
    readonly unlock: TitleAndText
    readonly goConnect: string
    readonly goUnlock: string
    readonly points: readonly string[]
    readonly waiting: TitleAndText
    readonly toWindow: string
  }
  readonly files: FilesCatalogue
  readonly claims: {
    readonly title: string
    readonly text: string
    readonly waiting: string
    readonly go: string
  }
  readonly notices: {
    readonly signedIn: (name: string, host: string) => string
    readonly unreachable: string
    readonly refused: string
    readonly cutOff: (host: string) => string
    readonly update: string
    readonly apply: string
  }
  readonly consent: {
    readonly title: string
    readonly titleMany: string
    readonly lead: string
    readonly on: string
    readonly moreHosts: (count: number, formats: Formats) => string
    readonly allow: string
    readonly allowOnce: string
    readonly allowChosen: string
    readonly untilRemoved: string
    readonly once: string
    readonly no: string
    readonly choiceFor: (title: string) => string
    readonly critical: string
    readonly warning: string
    readonly includes: string
    readonly categories: Readonly<Record<ConsentCategory, TitleAndText>>
    readonly permissions: Readonly<Record<PermissionScope, TitleAndText>>
    readonly windowTitle: string
    readonly windowDone: string
  }
  readonly bar: {
    readonly label: string
    readonly summary: (host: string, count: number, formats: Formats) => string
    readonly remove: (title: string, hosts: string) => string
    readonly removed: (title: string) => string
    readonly collapse: string
    readonly expand: (count: number, formats: Formats) => string
  }
  readonly signIn: {
    readonly windowTitle: string
    readonly title: string
    readonly titleFor: (host: string) => string
    readonly lead: string
    readonly passkey: string
    readonly newAccount: string
    readonly newAccountWhy: string
    readonly name: string
    readonly nameHint: string
    readonly create: string
    readonly haveAccount: string
    readonly otherWays: string
    readonly email: string
    readonly emailHint: string
    readonly sendCode: string
    readonly provider: (title: string) => string
    readonly useRecovery: string
    readonly code: TitleAndText
    readonly codeSent: (email: string) => string
    readonly codeLabel: string
    readonly codeGo: string
    readonly codeName: string
    readonly recovery: TitleAndText
    readonly recoveryLabel: string
    readonly recoveryGo: string
    readonly keep: TitleAndText
    readonly keepConfirm: string
    readonly keepGo: string
    readonly fileName: string
    readonly fileText: (code: string) => string
    readonly allow: {
      readonly title: string
      readonly again: string
      readonly lead: string
      readonly gets: string
      readonly getsPoints: readonly string[]
      readonly notGets: string
      readonly notGetsPoints: readonly string[]
      readonly as: string
      readonly allow: string
      readonly continue: string
      readonly refuse: string
      readonly another: string
    }
    readonly done: TitleAndText
    readonly doneFor: (name: string, host: string) => string
    readonly doneAlone: (name: string) => string
    readonly doneRefused: TitleAndText
    readonly toAccount: string
    readonly unreachable: TitleAndText
    readonly cutOff: TitleAndText
    readonly cutOffGo: string
    readonly starting: string
    readonly problems: Readonly<Record<Problem, string>>
  }
  readonly keys: KeysCatalogue
  readonly account: {
    readonly windowTitle: string
    readonly sections: Readonly<Record<'profile' | 'passkeys' | 'sessions' | 'apps' | 'grants' | 'objects' | 'recovery' | 'data', string>>
    readonly signedOut: TitleAndText
    readonly signIn: string
    readonly signOut: string
    readonly failed: string
    readonly saved: string
    readonly premium: string
    readonly memberSince: (date: string) => string
    readonly name: string
    readonly picture: string
    readonly choosePicture: string
    readonly removePicture: string
    readonly pictureTooLarge: string
    readonly passkeysText: string
    readonly addPasskey: string
    readonly passkeyName: string
    readonly never: string
    readonly created: (date: string) => string
    readonly lastUsed: (when: string) => string
    readonly remove: string
    readonly removeNamed: (name: string) => string
    readonly lastPasskey: string
    readonly sessionsText: string
    readonly thisDevice: string
    readonly ownPages: string
    readonly endSession: string
    readonly endSessionOf: (device: string, where: string) => string
    readonly appsText: string
    readonly noApps: string
    readonly disconnect: string
    readonly disconnectApp: (host: string) => string
    readonly disconnectSure: (host: string) => string
    readonly appHolds: (objects: number, bytes: number, formats: Formats) => string
    readonly grantsText: string
    readonly objectsText: string
    readonly noObjects: string
    readonly usage: (used: string, limit: string) => string
    readonly usageObjects: (count: number, max: number, formats: Formats) => string
    readonly usageLabel: string
    readonly uploading: string
    readonly deleteObject: string
    readonly deleteObjectOf: (size: string, when: string) => string
    readonly deleteSure: string
    readonly more: string
    readonly recoveryText: string
    readonly reissue: string
    readonly reissueSure: string
    readonly newCode: TitleAndText
    readonly exportTitle: string
    readonly exportText: string
    readonly exportGo: string
    readonly deleteTitle: string
    readonly deleteText: string
    readonly deleteConfirm: (name: string) => string
    readonly deleteGo: string
    readonly deleted: TitleAndText
    readonly done: Readonly<Record<'codeKept' | 'passkeyAdded' | 'passkeyRemoved' | 'sessionEnded' | 'disconnected' | 'objectDeleted', string>>
  }
  readonly accountFiles: AccountFilesCatalogue
  readonly network: NetworkCatalogue
  readonly rooms: {
    readonly section: string
    readonly text: string
    readonly none: string
    readonly failed: string
    readonly claimed: (count: number, limit: number, formats: Formats) => string
    readonly claimedLabel: string
    readonly global: string
    readonly messages: (count: number, formats: Formats) => string
    readonly size: (used: string, cap: string) => string
    readonly noMailbox: string
    readonly members: (count: number, formats: Formats) => string
    readonly since: (date: string) => string
    readonly permanent: string
    readonly ends: (when: string, moment: string) => string
    readonly archived: string
    readonly archivedText: string
    readonly clear: string
    readonly clearOf: (title: string) => string
    readonly clearSure: string
    readonly limit: string
    readonly limitOf: (title: string) => string
    readonly limitLabel: string
    readonly limitHint: string
    readonly unit: string
    readonly usualLimit: string
    readonly unclaim: string
    readonly unclaimOf: (title: string) => string
    readonly unclaimSure: string
    readonly gone: string
    readonly done: Readonly<Record<'cleared' | 'limited' | 'unclaimed', string>>
  }
  readonly button: {
    readonly connect: string
    readonly connected: (name: string) => string
    readonly waiting: string
    readonly blocked: string
  }
}
