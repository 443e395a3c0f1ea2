const messages = {
  integrity: 'seal: the sealed bytes do not open under this key',
  'invalid-code': 'seal: the text is not a recovery code',
  'invalid-epoch': 'seal: the epoch is not one that first keys can have',
  'invalid-entry': 'seal: the path, content type, size or time is not one a file can have',
  'invalid-key': 'seal: the key is not 32 bytes in canonical base64url',
  'invalid-id': 'seal: the id is not a version 4 uuid in lower case',
  'invalid-invite': 'seal: the invite is not a room key, a dot and a room id',
  'invalid-room': 'seal: the room id is not 3 to 400 printable characters of ASCII',
  'invalid-size': 'seal: the size is not a whole number of bytes this format can hold',
  'invalid-range': 'seal: the range does not lie within the plaintext',
  'invalid-secret': 'seal: the secret is not of a form that can open keys',
  'invalid-unlockers': 'seal: keys need an unlocker besides a passphrase',
  'invalid-record': 'seal: the plaintext is not this record of the object',
  replayed: 'seal: the frame was seen before, or at another place',
  'sealed-twice': 'seal: this record was sealed already',
  'short-stream': 'seal: the source did not deliver the size it declared',
  'stale-epoch': 'seal: the keys are of another epoch',
  'wrong-secret': 'seal: no unlocker opens with this secret',
} as const

/** Why sealing or opening was refused. */
export type SealErrorCode = keyof typeof messages

/** Thrown by everything in this package; `code` tells the reason, the message never carries a key, an id or a byte of content. */
export class SealError extends Error {
  override readonly name = 'SealError'
  readonly code: SealErrorCode
  constructor(code: SealErrorCode) {
    super(messages[code])
    this.code = code
  }
}
