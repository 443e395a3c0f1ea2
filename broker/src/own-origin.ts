import type { AppIdentity } from './app-identity.ts'

/**
 * Checks the origin an app says it asks for against the one the browser named.
 * @throws {TypeError} when they differ: nobody asks in another's name.
 */
export function checkConsumer(app: AppIdentity, consumerOrigin: string, call: string): void {
  if (consumerOrigin !== app.origin) throw new TypeError(`${call}: the origin given is not the one of the calling page`)
}
