/**
 * Small values by key that survive a reload where the browser grants storage, shared by all broker frames of one partition.
 * Values are structured-clone data; a `CryptoKey` may be among them.
 */
export interface Store {
  /** Whether values survive a reload. False where the browser denies storage: they then live as long as the document. */
  readonly durable: boolean
  /** The value, or undefined. */
  get(key: string): Promise<unknown>
  set(key: string, value: unknown): Promise<void>
  delete(key: string): Promise<void>
  /** Every entry whose key starts with the prefix, in key order. */
  entries(prefix: string): Promise<readonly (readonly [key: string, value: unknown])[]>
  /**
   * Replaces the value by what `change` makes of it, in one transaction over all tabs: two updates at once both count.
   * `undefined` removes the key. Answers the new value. `change` must not wait for anything.
   */
  update(key: string, change: (value: unknown) => unknown): Promise<unknown>
}
