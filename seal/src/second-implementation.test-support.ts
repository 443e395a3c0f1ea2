// Object records written from seal/FORMAT.md alone, with node:crypto and nothing of this package: what it seals, the package opens, and the other way round.
import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto'

const RECORD = 1_048_576
const label = Buffer.from('deputy/object/v1', 'ascii')

/** K_U of the format. */
export function objectKey(key: string, id: string): Buffer {
  return Buffer.from(hkdfSync('sha256', Buffer.from(key, 'base64url'), uuid(id), label, 32))
}

/** The additional data of one record. */
export function additionalData(id: string, size: number, index: number): Buffer {
  const position = Buffer.alloc(12)
  position.writeBigUInt64BE(BigInt(size), 0)
  position.writeUInt32BE(index, 8)
  return Buffer.concat([label, uuid(id), position])
}

/** Seals a plaintext under a given 8-byte nonce prefix. */
export function seal(key: string, id: string, prefix: Buffer, plaintext: Buffer): Buffer {
  const records: Buffer[] = []
  const count = Math.max(1, Math.ceil(plaintext.length / RECORD))
  for (let index = 0; index < count; index++) {
    const nonce = Buffer.concat([prefix, Buffer.from([index >>> 24, index >>> 16, index >>> 8, index])])
    const cipher = createCipheriv('aes-256-gcm', objectKey(key, id), nonce)
    cipher.setAAD(additionalData(id, plaintext.length, index))
    const ciphertext = cipher.update(plaintext.subarray(index * RECORD, (index + 1) * RECORD))
    records.push(nonce, ciphertext, cipher.final(), cipher.getAuthTag())
  }
  return Buffer.concat(records)
}

/** Opens a sealed object; throws when it is not one. */
export function open(key: string, id: string, sealed: Buffer): Buffer {
  const count = Math.ceil(sealed.length / (RECORD + 28))
  const size = sealed.length - 28 * count
  if (size < 0 || count !== Math.max(1, Math.ceil(size / RECORD))) throw new Error('length')
  const plaintext: Buffer[] = []
  for (let index = 0; index < count; index++) {
    const record = sealed.subarray(index * (RECORD + 28), (index + 1) * (RECORD + 28))
    if (record.readUInt32BE(8) !== index || !record.subarray(0, 8).equals(sealed.subarray(0, 8))) throw new Error('nonce')
    const decipher = createDecipheriv('aes-256-gcm', objectKey(key, id), record.subarray(0, 12))
    decipher.setAAD(additionalData(id, size, index))
    decipher.setAuthTag(record.subarray(-16))
    plaintext.push(decipher.update(record.subarray(12, -16)), decipher.final())
  }
  return Buffer.concat(plaintext)
}

function uuid(id: string): Buffer {
  return Buffer.from(id.replaceAll('-', ''), 'hex')
}
