import { readUsage } from '@deputy/contract/api-objects'
import { storageRefusals } from '@deputy/contract/storage-refusals'
import type { World } from '../../support/chromium.ts'
import { startDeputy, type TestApp, type TestDeputy } from '../../support/deputy.ts'
import { ok, signUp, type TestPerson } from '../../support/test-accounts.ts'

/** A refusal of the objects, as an app is answered. */
export const refusal = (name: keyof typeof storageRefusals) => ({ error: storageRefusals[name].code, message: storageRefusals[name].message })

/** A deputy of narrow limits for objects, whose next accounts are plain ones. */
export async function startStorageDeputy(world: World): Promise<TestDeputy> {
  const deputy = await startDeputy({ chromium: { world }, config: { objects: { bytes: '32MiB', count: 5, perHour: 8, largest: '48MiB' } } })
  // The first account of a server is premium and has other limits.
  await signUp(deputy.server, 'Operator')
  return deputy
}

let apps = 0
/** A fresh app page with a fresh person signed in. */
export async function signedInApp(deputy: TestDeputy): Promise<{ home: TestApp; person: TestPerson }> {
  const [home, person] = await Promise.all([deputy.openApp(`app${(apps += 1)}`), signUp(deputy.server)])
  await home.signIn(person)
  return { home, person }
}

/** What the person's objects take. */
export async function usageIn(deputy: TestDeputy, person: TestPerson): Promise<{ usedBytes: number; objects: number }> {
  const { usedBytes, objects } = ok(await deputy.server.call(readUsage, {}, person.token))
  return { usedBytes, objects }
}
