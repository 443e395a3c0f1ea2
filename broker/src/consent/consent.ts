import type { FrameConsentAnswer, FrameConsentRequest, frameConsent } from '@deputy/contract/consent'
import type { PermissionRegistry } from '@deputy/contract/permissions'
import type { Served } from '@deputy/contract/shape'
import type { Store } from '../store/store.ts'
import { appGrants, covered, type Grant, type Holder } from './grants.ts'
import { carriedBy, consentRow, isOfSockets, rowName, sockets, socketsRow, type ConsentRow, type Subject } from './rows.ts'

/** Shows the rows on one card and answers the person's choice for each, all false when they closed it or no card could be shown. */
export type AskConsent = (rows: readonly ConsentRow[]) => Promise<readonly FrameConsentAnswer[]>

/** What a capability needs to act: one permission on one host, perhaps within an attachment. */
export interface Need {
  readonly key: string
  readonly host: string
  readonly attach?: string
}

/** Consent of one app in one frame. */
export interface Consent {
  readonly served: Served<typeof frameConsent>
  /** Whether the person allowed it: by a session grant, or once for this very attachment. */
  granted(need: Need): Promise<boolean>
  /** Asks for the sockets of the tunnel, naming the canonical host that is wanted first; what is granted already is not asked. */
  askSockets(host: string): Promise<boolean>
  /** Ends what was allowed once for the attachment. */
  endAttachment(attach: string): void
  /** The session grants that hold now, oldest first. */
  grants(): Promise<readonly Grant[]>
  /** Takes a grant back at once; whoever acts under it hears `onChange` and asks `granted` again. */
  remove(id: string): Promise<void>
  /** Calls after any grant was given or taken back, here or in another tab, and when the account changed. */
  onChange(listener: () => void): () => void
}

/** What consent stands on. */
export interface ConsentNeeds {
  readonly app: string
  readonly store: Store
  readonly registry: PermissionRegistry
  readonly ask: AskConsent
  /** Whom grants belong to now. */
  readonly holder: () => Promise<Holder>
  readonly onSwitch: (listener: () => void) => () => void
  /** Tells the other broker frames of the partition, and hears of theirs. */
  readonly news: { tell(subject: string): void; listen(listener: (subject: string) => void): () => void }
}

interface Once {
  readonly subject: Subject
  readonly hosts: readonly string[]
  readonly attach: string
}

const nobodyAsked: FrameConsentAnswer = false
// An app that keeps asking what was refused is refused without a card, until the page is loaded anew.
const patience = 3

/** Makes the consent of an app; one per frame. */
export function consentOf({ app, store, registry, ask, holder, onSwitch, news }: ConsentNeeds): Consent {
  const kept = appGrants(store, app)
  const subject = `grants:${app}`
  const listeners = new Set<() => void>()
  const refusals = new Map<string, number>()
  const asking = new Map<string, Promise<FrameConsentAnswer>>()
  let once: Once[] = []

  const tell = (): void => {
    for (const listener of [...listeners]) listener()
  }
  const told = (): void => {
    tell()
    news.tell(subject)
  }
  news.listen(changed => {
    if (changed === subject) tell()
  })
  onSwitch(() => {
    // What was allowed once was allowed to somebody else.
    once = []
    refusals.clear()
    tell()
  })

  const alreadyGranted = async (row: ConsentRow): Promise<FrameConsentAnswer> => {
    if (covered(await kept.of(await holder()), row.subject, row.hosts)) return 'session'
    const { attach } = row
    const own = attach === undefined ? [] : once.filter(grant => grant.attach === attach)
    return covered(own, row.subject, row.hosts) ? 'once' : false
  }

  const keep = async (row: ConsentRow, answer: FrameConsentAnswer, by: Holder): Promise<FrameConsentAnswer> => {
    const name = rowName(row)
    if (answer === false) {
      refusals.set(name, (refusals.get(name) ?? 0) + 1)
      return false
    }
    // The card was answered by whoever was signed in when it was shown.
    if ((await holder()) !== by) return false
    refusals.delete(name)
    if (answer === 'session') await kept.add(by, row)
    else if (row.attach !== undefined) once = [...once, { subject: row.subject, hosts: row.hosts, attach: row.attach }]
    return answer
  }

  const askAll = async (rows: readonly ConsentRow[]): Promise<readonly FrameConsentAnswer[]> => {
    const by = await holder()
    const answers = await ask(rows)
    const taken: FrameConsentAnswer[] = []
    for (const [index, row] of rows.entries()) taken.push(await keep(row, answers[index] ?? nobodyAsked, by))
    if (taken.some(answer => answer !== false)) told()
    return taken
  }

  /** One answer per row: what is granted already is not asked, what is being asked is not asked twice. */
  const decide = async (rows: readonly ConsentRow[]): Promise<Map<string, FrameConsentAnswer>> => {
    const byName = new Map(rows.map(row => [rowName(row), row]))
    const known = new Map<string, FrameConsentAnswer | undefined>()
    for (const [name, row] of byName) {
      const held = await alreadyGranted(row)
      known.set(name, held === false && (refusals.get(name) ?? 0) < patience ? undefined : held)
    }
    const fresh = [...byName].filter(([name]) => known.get(name) === undefined && !asking.has(name))
    if (fresh.length > 0) {
      const answers = askAll(fresh.map(([, row]) => row))
      for (const [index, [name]] of fresh.entries()) {
        asking.set(
          name,
          answers.then(all => all[index] ?? nobodyAsked).finally(() => asking.delete(name)),
        )
      }
    }
    const entries = [...byName.keys()].map(async name => [name, known.get(name) ?? (await asking.get(name)) ?? nobodyAsked] as const)
    return new Map(await Promise.all(entries))
  }

  const request = async (requests: readonly FrameConsentRequest[]): Promise<FrameConsentAnswer[]> => {
    const rows = requests.map(one => consentRow(one, registry))
    const answers = await decide(rows.filter(row => row !== undefined))
    return rows.map(row => (row === undefined ? false : (answers.get(rowName(row)) ?? nobodyAsked)))
  }

  return {
    served: { request, ensure: async one => (await request([one]))[0] !== false },
    granted: async ({ key, host, attach }) => {
      const descriptor = registry.get(key)
      if (descriptor === undefined) return false
      if (descriptor.severity === 0) return true
      const carriers = subjectsFor(key, descriptor.category, registry)
      const session = await kept.of(await holder())
      const own = once.filter(grant => grant.attach === attach)
      return carriers.some(subject => covered(session, subject, [host]) || covered(own, subject, [host]))
    },
    askSockets: async host => {
      const row = socketsRow(host, registry)
      return ((await decide([row])).get(rowName(row)) ?? nobodyAsked) !== false
    },
    endAttachment: attach => {
      const rest = once.filter(grant => grant.attach !== attach)
      if (rest.length === once.length) return
      once = rest
      tell()
    },
    grants: async () => kept.of(await holder()),
    remove: async id => {
      await kept.remove(await holder(), id)
      told()
    },
    onChange: listener => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** The grants that carry a permission: its own row's where it is critical, its category's where that carries it. */
function subjectsFor(key: string, category: string, registry: PermissionRegistry): Subject[] {
  const own: Subject[] = registry.isCritical(key) ? [{ key }] : isOfSockets(key) ? [sockets] : []
  if (category === 'embed') return own
  const group = category as 'interaction' | 'storage' | 'network' | 'evaluation'
  return carriedBy(group, registry).some(({ scope }) => scope === key) ? [...own, { category: group }] : own
}
