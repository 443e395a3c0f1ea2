import type { Signer } from '../signer.ts'

/** Where a page of a list ended. */
export interface Place {
  readonly created: number
  readonly id: string
}

const textOf = (scope: readonly (string | null)[], payload: string): string => JSON.stringify([...scope, payload])

/** A cursor that says where a page ended, good only for the scope (account and app) it was made for. */
export const writeCursor = (signer: Signer, scope: readonly (string | null)[], { created, id }: Place): string => {
  const payload = Buffer.from(JSON.stringify([created, id])).toString('base64url')
  return `${payload}.${signer.sign(textOf(scope, payload))}`
}

/** Reads a cursor; null when this server did not make it for this scope. */
export const readCursor = (signer: Signer, scope: readonly (string | null)[], cursor: string): Place | null => {
  const [payload = '', signature = '', ...rest] = cursor.split('.')
  if (rest.length > 0 || !signer.verify(textOf(scope, payload), signature)) return null
  const [created, id] = JSON.parse(Buffer.from(payload, 'base64url').toString()) as [number, string]
  return { created, id }
}
