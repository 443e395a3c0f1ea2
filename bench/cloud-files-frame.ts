/** Stands in the broker's partition for `cloud-files.ts`: keeps a session and the app's file keys as connecting does. */
import { appKeysOf } from '@deputy/seal'
import { keep, serve } from './bench-frame.ts'
import type { Kept } from './cloud-files-order.ts'

async function take({ app, session, root }: Kept): Promise<void> {
  const key = await crypto.subtle.importKey('raw', new Uint8Array(root), 'HKDF', false, ['deriveKey', 'deriveBits'])
  const keys = await appKeysOf({ account: session.account.id, epoch: 1, roots: [{ epoch: 1, key }] }, app)
  await keep({ [`session:${app}`]: session, [`file-keys:${app}`]: keys })
}

serve(take)
