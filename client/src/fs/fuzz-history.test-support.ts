import assert from 'node:assert/strict'
import type { CloudWrite } from './model-cloud.test-support.ts'
import type { Device, Tab } from './fuzz-devices.test-support.ts'

/** One write or removal an app made. Its text is as long as nothing else, so that a size names it. */
interface Deed {
  readonly text: string | undefined
  readonly path: string
  readonly parents: Set<string>
  owner: (() => string | null) | undefined
  readonly tab: Tab
  acknowledged: boolean
}

/** What happened, as far as it has to be accounted for: who wrote what on top of what, what was decided, and what was adopted where. */
export interface History {
  /** A text nobody wrote before. */
  text(): string
  begun(tab: Tab, path: string, text: string | undefined): Deed
  /** A commit put the text, or a removal (`undefined`), in place of another one. */
  committed(commit: {
    readonly tab: Tab
    readonly path: string
    readonly text: string | undefined
    readonly before: string | undefined
    /** The name of what stands there now, a removal's among them. */
    readonly as: string | undefined
    /** What stood there was written on this device. */
    readonly isOwn: boolean
    /** The tab had seen the path in this space before. */
    readonly hasSeen: boolean
    readonly owner: () => string | null
  }): void
  acknowledged(deed: Deed): void
  decided(choice: 'local' | 'cloud' | null, local: string, cloud: string): void
  adopted(device: Device, account: string): void
  readonly all: readonly Deed[]
  /** The text of a size. */
  sized(size: number): string
  /** Fails on a write in the cloud that is in a wrong account, or in place of what its writer had not seen. */
  check(write: CloudWrite): void
  /** Fails on an acknowledged write that nothing accounts for; `standing` are the texts that are there at the end. */
  account(standing: ReadonlySet<string>): void
}

export function history(): History {
  const deeds: Deed[] = []
  const byText = new Map<string, Deed>()
  const decisions: { readonly kept: string; readonly given: string }[] = []
  const adoptions = new Set<string>()
  const ofText = (text: string): Deed => {
    const found = byText.get(text)
    assert.ok(found, `nobody wrote ${text}`)
    return found
  }
  const ancestors = (from: Iterable<string>): Set<string> => {
    const found = new Set<string>()
    const open = [...from]
    for (let text = open.pop(); text !== undefined; text = open.pop()) {
      if (found.has(text)) continue
      found.add(text)
      open.push(...(byText.get(text)?.parents ?? []))
      // What was given up for it is accounted for by it.
      for (const { kept, given } of decisions) if (kept === text) open.push(given)
    }
    return found
  }

  return {
    all: deeds,
    text: () => {
      const number = byText.size + 1
      const text = `w${number}`.padEnd(10 + number, '.')
      byText.set(text, undefined as never)
      return text
    },
    sized: size => [...byText.keys()].find(text => text.length === size && !text.startsWith('removed ')) ?? '',
    begun: (tab, path, text) => {
      const deed: Deed = { text, path, parents: new Set(tab.saw.get(path)), owner: undefined, tab, acknowledged: false }
      deeds.push(deed)
      if (text !== undefined) byText.set(text, deed)
      return deed
    },
    committed: ({ tab, path, text, before, as, isOwn, hasSeen, owner }) => {
      const mine = deeds.findLast(deed => deed.path === path && deed.text === text && deed.tab === tab && (text !== undefined || deed.owner === undefined))
      if (mine === undefined) {
        // Adopted by another tab: over what this device removed or wrote itself, if over anything.
        if (text !== undefined && before !== undefined && before !== as && isOwn) byText.get(text)?.parents.add(before)
        return
      }
      if (mine.owner === undefined) mine.owner = owner
      // A read that came back between the call and now counts as well.
      for (const seen of tab.saw.get(path) ?? []) if (seen !== text) mine.parents.add(seen)
      if (text === undefined && as !== undefined) byText.set(as, mine)
      // What this device wrote before, in whichever tab, is what a file system replaces; what the cloud brought must have been seen, unless the path was never looked at.
      if (before !== undefined && before !== as && (isOwn || !hasSeen)) mine.parents.add(before)
    },
    acknowledged: deed => (deed.acknowledged = true),
    decided: (choice, local, cloud) => {
      if (choice === 'local') decisions.push({ kept: local, given: cloud })
      if (choice === 'cloud') decisions.push({ kept: cloud, given: local })
    },
    adopted: (device, account) => void adoptions.add(`${device.name} ${account}`),
    check: ({ account, path, before, after }) => {
      if (after !== undefined) {
        const { owner: of, tab } = ofText(after)
        const owner = of?.() ?? null
        const isAdopted = owner === null && adoptions.has(`${tab.device.name} ${account}`)
        assert.ok(owner === account || isAdopted, `${after.slice(0, 8)} of ${owner ?? 'nobody'} is written into the account of ${account}`)
        assert.ok(
          before === undefined || ancestors([after]).has(before),
          `${after.slice(0, 8)} overwrites ${before?.slice(0, 8)} at ${path}, which its writer never saw`,
        )
        return
      }
      const removals = deeds.filter(deed => deed.text === undefined && deed.path === path && (deed.owner === undefined || deed.owner() === account))
      assert.ok(
        before === undefined || removals.some(({ parents }) => ancestors(parents).has(before)),
        `${before?.slice(0, 8)} is removed at ${path} by nobody who saw it`,
      )
    },
    account: standing => {
      const covered = ancestors([...standing, ...deeds.flatMap(deed => (deed.text === undefined ? [...deed.parents] : []))])
      for (const { text, path, acknowledged, owner } of deeds) {
        if (text !== undefined && acknowledged)
          assert.ok(covered.has(text), `${text.slice(0, 8)} of ${owner?.() ?? 'nobody'} was acknowledged at ${path} and is lost`)
      }
    },
  }
}
