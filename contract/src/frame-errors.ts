import type { Refusal } from './refusals.ts'

/** The classes of error an attachment throws; over a channel they cross as the code of a refusal. */
export const frameErrorTypes = ['TypeError', 'Error', 'LocatorDeniedError', 'LocatorUnsupportedError'] as const
export type FrameErrorType = (typeof frameErrorTypes)[number]

/** What attachments refuse, by name: the class that is thrown and its text; `<key>` and `<member>` stand for a name. */
export const frameErrors = {
  blankNotArmed: { code: 'LocatorUnsupportedError', message: 'attachFrame: the frame does not hold the blank page it was armed for' },
  carryHosts: { code: 'TypeError', message: 'frame.carry: the hosts are not a list of non-empty strings' },
  clearCookiesFilter: { code: 'TypeError', message: 'frame.clearCookies: malformed filter' },
  clearCookiesNoSite: { code: 'LocatorDeniedError', message: 'frame.clearCookies: the attachment reaches no site' },
  clearCookiesNotTaken: { code: 'Error', message: 'frame.clearCookies: the cookie jar did not take the removal' },
  clearCookiesOutside: { code: 'LocatorDeniedError', message: 'frame.clearCookies: the domain is none of the sites of the attachment' },
  clearCookiesRegExp: {
    code: 'TypeError',
    message: 'frame.clearCookies: <key> is a RegExp, and clearCookies takes strings for name, domain and path for now',
  },
  gotoDeadline: { code: 'Error', message: 'frame.goto: no document came by the deadline' },
  outside: { code: 'LocatorDeniedError', message: 'frame: the document is outside the attachment' },
  seedAfterGoto: { code: 'Error', message: 'attachFrame: storageState must be seeded before the first goto' },
  seedMalformed: { code: 'TypeError', message: 'attachFrame: malformed storageState' },
  seedMounted: { code: 'Error', message: 'attachFrame: storageState cannot be seeded on an attachment mounted on a url' },
  seedShared: { code: 'TypeError', message: "attachFrame: storageState seeds a fresh jar, so it needs cookies: 'ephemeral'" },
  seedTwice: { code: 'Error', message: 'attachFrame: storageState was seeded already' },
  unsupported: { code: 'LocatorUnsupportedError', message: 'frame: this page is too old for <member>' },
} as const satisfies Record<string, Refusal<FrameErrorType>>

/** The refusal of a filter that holds a RegExp under `key`. */
export const regExpRefusal = (key: string): Refusal<'TypeError'> => ({
  ...frameErrors.clearCookiesRegExp,
  message: frameErrors.clearCookiesRegExp.message.replace('<key>', () => key),
})
/** The refusal by name of a member that an older page does not have. */
export const unsupportedRefusal = (member: string): Refusal<'LocatorUnsupportedError'> => ({
  ...frameErrors.unsupported,
  message: frameErrors.unsupported.message.replace('<member>', () => member),
})
