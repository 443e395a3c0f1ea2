/**
 * Revision of the contract. A call marked `since: 2` is missing from peers of revision 1: a caller looks whether the member
 * is there, and refuses by name when it is not. Nothing compares revisions on the wire.
 */
export const REVISION = 4

/** Abilities of a peer that are told by presence: what to look for, and what a caller does without it. */
export const capabilities = {
  accountChange: { look: 'the payload of account.onChange', without: 'a listener is called with nothing' },
  accountPin: { look: 'cloud.fs.accountPin', without: 'no storage call is sent' },
  blank: { look: 'blank of a middle page or a shell', without: 'a blank attachment is refused' },
  carry: { look: 'carry of a shell', without: 'every request goes through the tunnel' },
  clearCookies: { look: 'clearCookies of a middle page or a shell', without: 'the removal is refused' },
  documentHost: { look: 'documentHost of a middle page', without: 'the boundary cannot be asked and the call is refused' },
  flushCookies: { look: 'flushCookies of a shell', without: 'nothing is flushed' },
  mailboxSwitch: { look: 'mailboxSwitch of a room', without: 'mailbox false and setMailbox are refused' },
  messaging: { look: 'messaging of a middle page', without: 'page messages are refused' },
  seed: { look: 'seed of a middle page or a shell', without: 'a storage state is refused' },
  sweepStorage: { look: 'sweepStorage of a shell', without: 'nothing is swept' },
  temporaryClaims: { look: 'temporaryClaims of a room', without: 'a temporary claim is refused' },
} as const
