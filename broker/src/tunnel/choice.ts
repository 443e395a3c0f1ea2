import { object, string } from '@deputy/contract/shape'
import { fits } from '@deputy/contract/validate'
import type { AppIdentity } from '../app-identity.ts'
import type { Store } from '../store/store.ts'

/** The node the person chose for an app. It belongs to the account that chose it. */
export interface NodeChoice {
  read(account: string): Promise<string | null>
  write(account: string, node: string): Promise<void>
}

const shape = object({ account: string({ max: 64 }), node: string({ max: 64 }) })

/** The choice as this browser keeps it. */
export function nodeChoice({ id }: Pick<AppIdentity, 'id'>, store: Pick<Store, 'get' | 'set'>): NodeChoice {
  const key = `node:${id}`
  return {
    read: async account => {
      const value = await store.get(key)
      if (!fits(shape, value)) return null
      const kept = value as { readonly account: string; readonly node: string }
      return kept.account === account ? kept.node : null
    },
    write: (account, node) => store.set(key, { account, node }),
  }
}
