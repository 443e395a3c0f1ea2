import { consentCategories } from '@deputy/contract/consent'
import { either, integer, list, object, oneOf, string, type Received } from '@deputy/contract/shape'
import { fits } from '@deputy/contract/validate'
import type { Store } from '../store/store.ts'
import { coversHost, subjectName, type ConsentRow, type Subject } from './rows.ts'

const kept = /* @__PURE__ */ object({
  id: string({ max: 64 }),
  subject: either(object({ category: oneOf(...consentCategories) }), object({ key: string({ max: 128 }) }), object({ group: oneOf('sockets') })),
  hosts: list(string({ max: 260 }), { max: 256 }),
  grantedAt: integer(),
})

/** What the person allowed an app until they take it back. */
export type Grant = Received<typeof kept>

/** Whom the grants belong to: an account, or this browser while nobody is signed in. */
export type Holder = string | null

/** Session grants of one app, kept in the partition's storage per (account or device, app). */
export interface Grants {
  of(holder: Holder): Promise<readonly Grant[]>
  add(holder: Holder, row: Pick<ConsentRow, 'subject' | 'hosts'>): Promise<void>
  remove(holder: Holder, id: string): Promise<void>
}

const grantsOf = (value: unknown): Grant[] => (Array.isArray(value) ? value.filter((grant): grant is Grant => fits(kept, grant)) : [])

/** The grants of `app` in this store. */
export function appGrants(store: Store, app: string): Grants {
  const key = (holder: Holder): string => `grants:${holder ?? 'device'}:${app}`
  return {
    of: async holder => grantsOf(await store.get(key(holder))),
    add: async (holder, { subject, hosts }) => {
      await store.update(key(holder), value => {
        const held = grantsOf(value)
        const others = held.filter(grant => !(sameSubject(grant.subject, subject) && grant.hosts.every(host => hosts.some(wide => coversHost(wide, host)))))
        return [...others, { id: crypto.randomUUID(), subject, hosts: [...hosts], grantedAt: Date.now() }]
      })
    },
    remove: async (holder, id) => {
      await store.update(key(holder), value => {
        const rest = grantsOf(value).filter(grant => grant.id !== id)
        return rest.length === 0 ? undefined : rest
      })
    },
  }
}

const sameSubject = (a: Subject, b: Subject): boolean => subjectName(a) === subjectName(b)

/** Whether the grants together cover the subject on every one of the hosts; sockets are bound to none. */
export const covered = (
  grants: readonly { readonly subject: Subject; readonly hosts: readonly string[] }[],
  subject: Subject,
  hosts: readonly string[],
): boolean =>
  hosts.every(host =>
    grants.some(grant => sameSubject(grant.subject, subject) && ('group' in subject || grant.hosts.some(granted => coversHost(granted, host)))),
  )
