import { served } from './broker.ts'
import { brokerOrigin } from './configure.ts'
import { ownOrigin } from './realm.ts'

/** Asks the person to connect this app; `true` at once when it is connected already (CON-1, CON-2). Call it from a click. */
export async function connect(): Promise<boolean> {
  return (await served('connect')).prompt(ownOrigin())
}

/**
 * The url of a page with a connect button, for an iframe of about 240 × 48 px in the app's page (CON-2): one click there opens
 * the sign-in window without a card first. `origin` is the broker's; absent means the configured one.
 */
export function connectButtonUrl(origin: string = brokerOrigin()): string {
  return new URL('/connect-button', origin).href
}
