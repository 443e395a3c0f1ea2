import assert from 'node:assert/strict'
import { type Tab, world } from './fuzz-devices.test-support.ts'
import { history } from './fuzz-history.test-support.ts'
import type { FileRecord } from './records.ts'
import { NOBODY } from './spaces.ts'

const paths = ['a', 'b', 'folder/c', 'folder/d']
const accounts = ['ada', 'bob']

/**
 * Two devices with up to two tabs each, which write, edit and remove files, while accounts are switched, devices go offline, the storage is locked and tabs are
 * killed in the middle of anything. Throws when a write is lost, stands in a wrong account, or went over another one unseen. The same seed does the same.
 */
export async function fuzz(
  seed: number,
  steps: number,
): Promise<{ readonly writes: number; readonly crashes: number; readonly switches: number; readonly conflicts: number }> {
  const past = history()
  const count = { writes: 0, crashes: 0, switches: 0, conflicts: 0 }
  /** The text of a record, which its size names. */
  const textOf = (record: { readonly size: number; readonly gone: boolean } | undefined) =>
    record === undefined || record.gone ? undefined : past.sized(record.size)
  /** The same with removals, named by what they are kept as. */
  const lineOf = (record: FileRecord | undefined) => (record?.gone === true ? `removed ${record.version}` : textOf(record))
  const known = new Map<string, Set<string>>()
  const knownOf = (name: string, space: string): Set<string> => {
    const found = known.get(`${name} ${space}`) ?? new Set()
    known.set(`${name} ${space}`, found)
    return found
  }
  const owners = new Map<string, string>()
  const { random, clock, cloud, device, pass } = world(seed, ({ device: at, tab, space, path, before, after }) => {
    // Asked later: a space is written down just after it was made.
    const owner = () => (space === NOBODY ? null : (owners.get(`${at.name} ${space}`) ?? null))
    for (const text of [textOf(before), textOf(after)]) if (text !== undefined) knownOf(at.name, `${space} ${path}`).add(text)
    // A commit of what the app wrote: its text is new, or it is a removal.
    if (after !== undefined && after.version === before?.version) return
    if (after?.version.startsWith('cloud:') === true) return
    const hasSeen = [...(tab.saw.get(path) ?? [])].some(text => knownOf(at.name, `${space} ${path}`).has(text))
    past.committed({
      tab,
      path,
      text: textOf(after),
      before: lineOf(before),
      as: lineOf(after),
      isOwn: before?.version.startsWith('cloud:') === false,
      hasSeen,
      owner,
    })
  })
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T
  const devices = ['one', 'two'].map(name => device(name, 'ada'))
  for (const at of devices) {
    const { broker } = at
    broker.onConflict = async ({ local, cloud: theirs }) => {
      count.conflicts++
      await new Promise<void>(resolve => void clock.after(random() * 30, resolve))
      const choice = pick(['local', 'cloud', null] as const)
      past.decided(choice, past.sized(local.size), past.sized(theirs.size))
      return choice
    }
    broker.onAdopt = async () => {
      const agreed = random() < 0.7
      if (agreed && broker.account !== null) past.adopted(at, broker.account)
      return agreed
    }
  }
  const learn = async (): Promise<void> => {
    for (const at of devices) for (const { id, pin } of await at.spaces()) owners.set(`${at.name} ${id}`, pin.split('#')[0] ?? '')
  }
  let checked = 0
  const check = (): void => {
    for (; checked < cloud.writes.length; checked++) past.check(cloud.writes[checked] as (typeof cloud.writes)[number])
  }

  const saw = (tab: Tab, path: string, text: string): void => void tab.saw.set(path, (tab.saw.get(path) ?? new Set()).add(text))
  const write = (tab: Tab, path: string): void => {
    const text = past.text()
    const deed = past.begun(tab, path, text)
    count.writes++
    void tab.files.writeFile(path, text).then(
      () => {
        past.acknowledged(deed)
        saw(tab, path, text)
      },
      () => undefined,
    )
  }
  const read = (tab: Tab, path: string): void =>
    void tab.files.readFile(path, 'utf8').then(
      text => saw(tab, path, text),
      () => undefined,
    )
  const remove = (tab: Tab, path: string): void => {
    const deed = past.begun(tab, path, undefined)
    void tab.files.unlink(path).then(
      () => past.acknowledged(deed),
      () => undefined,
    )
  }
  const act = (): void => {
    const at = pick(devices)
    if (at.tabs.size === 0) at.open()
    const tab = pick([...at.tabs])
    const path = pick(paths)
    const chance = random()
    if (chance < 0.4) write(tab, path)
    else if (chance < 0.6) read(tab, path)
    else if (chance < 0.68) remove(tab, path)
    else if (chance < 0.74) {
      if (at.tabs.size < 2) at.open()
    } else if (chance < 0.8) {
      tab.crash()
      count.crashes++
    } else if (chance < 0.87) {
      at.signIn(pick([...accounts, 'ada', null]))
      count.switches++
    } else if (chance < 0.95) at.online(!at.broker.online)
    else at.broker.locked = random() < 0.3
  }
  for (let step = 0; step < steps; step++) {
    act()
    await pass(pick([1, 5, 20, 50, step % 50 === 0 ? 8_000 : 10]))
    await learn()
    check()
  }

  // Everything comes to rest: each account is signed in everywhere until nothing of it is owed.
  for (const at of devices) {
    at.online(true)
    at.broker.locked = false
    if (at.tabs.size === 0) at.open()
  }
  const isOwing = async (account: string): Promise<boolean> => {
    for (const at of devices) {
      for (const { id, pin } of await at.spaces()) {
        if (pin.startsWith(`${account}#`) && (await at.recordsOf(id)).some(({ owed }) => owed !== null)) return true
      }
    }
    return false
  }
  for (const account of [...accounts, ...accounts]) {
    for (const at of devices) at.signIn(account)
    let turns = 0
    do {
      await pass(20_000)
      await learn()
      check()
      assert.ok(turns++ < 100, `the files of ${account} do not come to rest`)
    } while (turns < 6 || (await isOwing(account)))
    const standing = cloud.contents(account)
    for (const at of devices) {
      const view = [...at.tabs][0] as Tab
      const shown = new Map<string, string>()
      for (const path of (await settled(view.files.readdir('', { recursive: true }), pass)) ?? []) {
        const text = await settled(
          view.files.readFile(path, 'utf8').catch(() => undefined),
          pass,
        )
        if (text !== undefined) shown.set(path, text)
      }
      assert.deepEqual([...shown].toSorted(byName), [...standing].toSorted(byName), `${at.name} shows what the cloud has for ${account}`)
    }
  }
  const left = new Set(accounts.flatMap(account => [...cloud.contents(account).values()]))
  for (const at of devices) for (const record of await at.recordsOf(NOBODY)) left.add(past.sized(record.size))
  past.account(left)
  return count
}
const byName = ([a]: readonly [string, string], [b]: readonly [string, string]): number => (a < b ? -1 : 1)
/** Lets time pass until a promise settles. */
async function settled<T>(promise: Promise<T>, pass: (milliseconds: number) => Promise<void>): Promise<T> {
  let isOver = false
  const over = (): void => void (isOver = true)
  promise.then(over, over)
  for (let turns = 0; !isOver && turns < 1000; turns++) await pass(5)
  return promise
}
