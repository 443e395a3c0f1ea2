import * as cloud from '@deputy/client/cloud'

/** What the account may use of the tunnel today, and has used. */
export const usage = () => cloud.quota()

/** Lets the person say through which node this page’s traffic goes; null where they said nothing. */
export const chooseNode = () => cloud.promptRelay()
