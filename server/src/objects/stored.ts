import type { ObjectRow } from '../rows/schema.ts'

/** An object as the API answers it. */
export interface Stored {
  readonly created: number
  readonly size: number
  readonly status: 'uploading' | 'ready'
  readonly url: string
}

/** How a row that is not deleted is answered. */
export const storedFrom = ({ id, created, size, status }: Pick<ObjectRow, 'id' | 'created' | 'size' | 'status'>, cdn: string): Stored => ({
  created,
  size,
  status: status === 'ready' ? 'ready' : 'uploading',
  url: `${cdn}/${id}`,
})
