import { readUsage } from '@deputy/contract/api-objects'
import type { ConnectAvailability } from '@deputy/contract/connect'
import type { fs } from '@deputy/contract/fs'
import type { Served } from '@deputy/contract/shape'
import { wait } from '../api/api.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { Pins } from './pins.ts'

const patience = 3500

/** Whether the app's account is connected, as far as anybody can say within 4 s. */
export async function availabilityOf(sessions: Sessions): Promise<ConnectAvailability> {
  if ((await sessions.current()) === null) return 'disconnected'
  const outcome = await Promise.race([sessions.call(readUsage, {}, { deadline: patience }), wait(patience)])
  if (outcome?.kind === 'answer') return 'connected'
  return outcome?.kind === 'unauthorized' ? 'disconnected' : 'unknown'
}

/** The members of `cloud.fs` this broker serves; those of the file storage itself are absent, and presence tells so. */
export type FsServed = Pick<Served<typeof fs>, 'accountPin' | 'availability' | 'available'>

/** `cloud.fs` for one app. */
export const fsService = ({ sessions, pins }: { readonly sessions: Sessions; readonly pins: Pins }): FsServed => ({
  accountPin: () => pins.take(),
  availability: () => availabilityOf(sessions),
  // No files are served, so none can be kept, whoever is signed in.
  available: () => false,
})
