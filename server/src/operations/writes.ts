import type { Writer } from '../rows/rows.ts'

/** Changes nothing: answers once the writer has taken its turn. */
export const beat = async (tx: Writer, _input: Record<string, never>): Promise<true> => {
  await tx.selectFrom('settings').select('name').limit(1).execute()
  return true
}
