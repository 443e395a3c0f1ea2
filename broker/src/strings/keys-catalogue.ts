import type { Strength } from '../keys/strength.ts'
import type { TitleAndText } from './catalogue.ts'

/** What the person reads about their keys. */
export interface KeysCatalogue {
  readonly again: string
  readonly skip: string
  readonly replaces: string
  readonly unlock: {
    readonly app: TitleAndText
    readonly code: TitleAndText
    readonly change: TitleAndText
    readonly passkey: string
    readonly passphrase: string
    readonly go: string
    readonly useCode: string
    readonly codeLabel: string
    readonly later: string
    readonly lost: string
    readonly beganAnew: string
    readonly working: string
  }
  readonly enrol: {
    readonly title: string
    readonly text: string
    readonly passkey: string
    readonly orPassphrase: string
    readonly setPassphrase: string
    readonly first: string
    readonly hint: string
    readonly second: string
    readonly differ: string
    readonly go: string
    readonly strength: Readonly<Record<Strength, string>>
  }
  readonly addPasskey: {
    readonly title: string
    readonly text: string
    readonly go: string
    readonly later: string
  }
  readonly lost: {
    readonly title: string
    readonly text: string
    readonly points: readonly string[]
    readonly confirm: (name: string) => string
    readonly go: string
  }
  readonly section: {
    readonly title: string
    readonly text: string
    readonly none: TitleAndText
    readonly setUp: string
    readonly epoch: (epoch: number) => string
    readonly held: string
    readonly locked: string
    readonly unlockHere: string
    readonly ways: string
    readonly kinds: Readonly<Record<'passkey' | 'passphrase' | 'recovery', string>>
    readonly since: (date: string) => string
    readonly rotate: string
    readonly rotateText: string
    readonly rotateSure: string
    readonly passphrase: string
    readonly changePassphrase: string
    readonly removePassphrase: string
    readonly removeSure: string
    readonly save: string
    readonly needsOpen: string
    readonly passkeyNotYet: string
    readonly done: Readonly<Record<'unlocked' | 'rotated' | 'passphraseSet' | 'passphraseRemoved' | 'enrolled' | 'reset', string>>
  }
}
