import { indexedDbStore } from './indexed-db.ts'
import { memoryStore } from './memory.ts'
import type { Store } from './store.ts'

// Some browsers neither open a denied database nor refuse it.
const patience = 3000

/** The durable store of this origin and partition, or one in memory where the browser denies storage. */
export async function openStore(): Promise<Store> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const silent = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('storage does not answer')), patience)
  })
  try {
    return await Promise.race([indexedDbStore('deputy'), silent])
  } catch {
    return memoryStore()
  } finally {
    clearTimeout(timer)
  }
}
