import type { Refusal } from './refusals.ts'
import type { StorageErrorCode } from './storage.ts'

/** Every refusal of `storage`, by the name the contract gives it. */
export const storageRefusals = {
  accountChanged: { code: 'account-changed', message: 'storage: the signed-in account changed' },
  badCursor: { code: 'invalid', message: 'storage: the cursor is not one list answered' },
  badKey: { code: 'invalid', message: 'storage: the key is not 32 bytes base64url' },
  badLimit: { code: 'invalid', message: 'storage: the limit is out of range' },
  badSize: { code: 'invalid', message: 'storage: a stream needs the size it will deliver, a whole number of bytes' },
  badUrl: { code: 'invalid', message: 'storage: the url does not name a stored object' },
  integrity: { code: 'integrity', message: 'storage: the object does not match its key' },
  needsAccount: { code: 'denied', message: 'storage: storing needs an account' },
  notAFile: { code: 'invalid', message: 'storage: the data is not a Blob or a ReadableStream' },
  notCreator: { code: 'denied', message: 'storage: only the app that stored the object can delete it' },
  notFound: { code: 'not-found', message: 'storage: no object at this url' },
  quota: { code: 'quota', message: 'storage: storage quota exceeded' },
  shortStream: { code: 'invalid', message: 'storage: the stream did not deliver the size it declared' },
  tooLarge: { code: 'invalid', message: 'storage: the file is too large to store' },
  tooMany: { code: 'too-many', message: 'storage: too many stored objects' },
  tooManyThisHour: { code: 'too-many', message: 'storage: too many objects stored this hour, try again later' },
  unavailable: { code: 'unavailable', message: 'storage: storage is unavailable' },
} as const satisfies Record<string, Refusal<StorageErrorCode>>
