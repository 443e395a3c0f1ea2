import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type MemberKeys, memberKeys, newSecret, sealedText } from '../support/room-client.ts'
import { type HarnessClient, roomHarness, type RoomHarness, type RoomPerson } from '../support/room-harness.ts'
import { emptyModel, foretell, inWords, modelClaim, modelJoin, modelLeave, modelSend, modelTurn, type RoomModel } from '../support/room-model.ts'
import { seeded } from '../support/seeded.ts'

const steps = Number(process.env['DEPUTY_STEPS'] ?? 3000)
const seed = Number(process.env['DEPUTY_SEED'] ?? Date.now() % 2 ** 31)
const hold = 30_000
const none = { description: undefined, mailbox: undefined, temporary: undefined }

/** A member as its broker would know it: its seat, and all it heard. */
interface Slot {
  readonly person: RoomPerson
  client: HarnessClient | null
  keys: MemberKeys | null
  token: string
  /** The owner as of its last seat answer. */
  owner: string
  epoch: number
  n: number
  seq: number
  /** How much of what its client heard was looked at. */
  read: number
  heldUntil: number
  /** Order in which seats were held. */
  heldAs: number
  /** Whether the room stores what is said, as far as it has heard. */
  storing: boolean
  /** Stored messages it has heard, as it has them now. */
  readonly view: Map<number, string>
}

interface Place {
  readonly room: string
  readonly key: string
  model: RoomModel
  readonly slots: Slot[]
}

test(`${steps} random steps: every member's view is the model's (seed ${seed})`, { timeout: steps * 60 + 60_000 }, async t => {
  const random = seeded(seed)
  const below = (count: number): number => Math.floor(random() * count)
  const pick = <T>(items: readonly T[]): T | undefined => items[below(items.length)]
  const harness: RoomHarness = await roomHarness({ sendRate: 1_000_000, sendBurst: 1_000_000, requestRate: 1_000_000, claims: 1000 })
  const people = Array.from({ length: 4 }, () => harness.person())
  const places: Place[] = Array.from({ length: 4 }, (_, index) => ({
    room: index === 3 ? 'global/fuzz' : `chat.example/fuzz-${index}`,
    key: newSecret(),
    model: emptyModel(),
    slots: Array.from({ length: 6 }, (_, slot) => ({
      person: people[slot % people.length]!,
      ...{ client: null, keys: null, token: '', owner: '', epoch: 0, n: 0, seq: 0, read: 0, heldUntil: 0, heldAs: 0, storing: false, view: new Map() },
    })),
  }))
  let holds = 0
  let texts = 0
  const tally = { sent: 0, edited: 0, deleted: 0, resumed: 0, ring: 0, mailbox: 0, reset: 0, claims: 0, expired: 0, crashes: 0 }

  const stores = (place: Place): boolean => place.model.claim?.mailbox === true
  const connected = (place: Place): Slot[] => place.slots.filter(slot => slot.client !== null)
  const held = (place: Place): Slot[] => place.slots.filter(slot => slot.client === null && slot.keys !== null)
  const nextText = (): string => {
    texts += 1
    return sealedText(`text ${texts}`)
  }
  const give = (slot: Slot): void => {
    Object.assign(slot, { client: null, keys: null })
    slot.view.clear()
  }
  const take = (slot: Slot, words: string, event: ReturnType<HarnessClient['events']>[number]): void => {
    if (event.type === 'message' || event.type === 'edited') {
      slot.seq = Math.max(slot.seq, event.message.seq)
      if (slot.storing) slot.view.set(event.message.seq, event.message.text)
    }
    if (event.type === 'deleted') for (const seq of slot.view.keys()) if (seq >= event.from && seq <= event.to) slot.view.delete(seq)
    if (words.startsWith('claim')) {
      slot.storing = words.includes('true true')
      if (!slot.storing) slot.view.clear()
    }
  }
  /** Everything a live member heard since last time is what the model foretold, up to the very last event. */
  const check = (place: Place, slot: Slot): void => {
    const { client } = slot
    if (client === null) return
    const heard = client.heard.get(place.room) ?? []
    for (; slot.read < heard.length; slot.read += 1) {
      const { n, event, epoch } = heard[slot.read]!
      assert.deepEqual([n, epoch], [slot.n + 1, slot.epoch], 'the next event')
      const words = inWords(event)
      assert.equal(words, place.model.log.get(n))
      slot.n = n
      take(slot, words, event)
    }
    assert.equal(slot.n, place.model.n, 'heard to the end')
    if (stores(place)) for (const [seq, text] of slot.view) assert.equal(place.model.stored.get(seq)?.text, text)
  }
  const over = (place: Place): void => {
    place.model = emptyModel()
    for (const slot of place.slots) assert.equal(slot.keys, null)
  }
  const seat = (slot: Slot, client: HarnessClient, value: { token: string; epoch: number; owner: string }): void => {
    Object.assign(slot, { client, token: value.token, epoch: value.epoch, owner: value.owner })
  }
  const ok = <T>(answer: { value?: T; error?: string; message?: string }): T => {
    assert.equal(answer.error, undefined, answer.message)
    return answer.value as T
  }

  const join = async (place: Place): Promise<void> => {
    const slot = pick(place.slots.filter(one => one.keys === null))
    if (slot === undefined) return
    const client = await harness.connect({ token: harness.signIn(slot.person) })
    const keys = memberKeys(place.room)
    const value = ok(await harness.done(client.join(place.room, place.key, { keys })))
    modelJoin(place.model, keys.member, slot.person.account)
    seat(slot, client, value)
    Object.assign(slot, { keys, n: place.model.n, seq: value.seq, read: 0, storing: value.mailbox })
    assert.equal(value.owner, place.model.owner)
    assert.ok(stores(place) ? value.seq === place.model.seq : value.seq >= place.model.seq)
    place.model.seq = value.seq
  }
  const leave = async (place: Place): Promise<void> => {
    const slot = pick(connected(place))
    if (slot?.client == null || slot.keys === null) return
    ok(await harness.done(slot.client.ask('leave', { room: place.room })))
    const { member } = slot.keys
    give(slot)
    if (modelLeave(place.model, member, 'left')) over(place)
  }
  const drop = (place: Place): void => {
    const slot = pick(connected(place))
    if (slot?.client == null) return
    slot.client.drop()
    holds += 1
    Object.assign(slot, { client: null, heldUntil: harness.clock.now() + hold, heldAs: holds })
  }
  const resume = async (place: Place, slot = pick(held(place))): Promise<void> => {
    if (slot === undefined) return
    const client = await harness.connect({ token: harness.signIn(slot.person) })
    const { token, epoch, n, seq } = slot
    const value = ok(await harness.done(client.ask('resume', { room: place.room, token, epoch, n, seq })))
    await harness.flush()
    tally.resumed += 1
    tally[value.replay] += 1
    seat(slot, client, value)
    slot.read = 0
    const { model } = place
    if (value.replay === 'ring') return
    if (value.replay === 'reset') {
      // Only what is not stored is ever lost; the room says where it goes on.
      assert.ok(!stores(place) || n < model.n, 'a reset only where something was not stored')
      Object.assign(slot, { n: value.n, seq: value.seq, storing: value.mailbox })
      slot.view.clear()
      return
    }
    const heard = client.heard.get(place.room) ?? []
    for (const { event } of heard) take(slot, inWords(event), event)
    slot.read = heard.length
    slot.n = model.n
    const missed = [...model.stored.keys()].filter(of => of > seq)
    for (const of of missed) assert.ok(slot.view.has(of), `message ${of} follows`)
    for (const of of slot.view.keys()) assert.ok(model.stored.has(of), `message ${of} is gone`)
  }
  const send = async (place: Place): Promise<void> => {
    const asked = Array.from({ length: 1 + below(4) }, () => pick(connected(place))).flatMap(slot => {
      if (slot?.client == null || slot.keys === null) return []
      const text = nextText()
      return [{ answer: slot.client.ask('send', { room: place.room, text }), seq: modelSend(place.model, slot.keys.member, text) }]
    })
    for (const { answer, seq } of asked) assert.equal(ok(await harness.done(answer)).seq, seq)
    tally.sent += asked.length
  }
  const owns = (place: Place, slot: Slot): boolean =>
    place.model.claim === null ? slot.keys?.member === place.model.owner : slot.person.account === place.model.claim.account
  const change = async (place: Place, what: 'edit' | 'delete'): Promise<void> => {
    const slot = pick(connected(place))
    const seq = pick([...place.model.stored.keys()])
    if (slot?.client == null || slot.keys === null || seq === undefined) return
    const { model, room } = place
    const message = model.stored.get(seq)!
    const may = owns(place, slot) || message.from === slot.keys.member
    if (what === 'edit') {
      const text = nextText()
      const answer = await harness.done(slot.client.ask('edit', { room, seq, text, revision: message.revision + 1 }))
      if (!may && answer.error !== undefined) return
      ok(answer)
      const next = { ...message, text, by: slot.keys.member, revision: message.revision + 1 }
      model.stored.set(seq, next)
      foretell(model, `edited ${seq} ${next.from} ${next.by} ${next.revision} ${text}`)
      tally.edited += 1
      return
    }
    const to = owns(place, slot) ? seq + below(3) : seq
    const answer = await harness.done(slot.client.ask('delete', { room, from: seq, to }))
    if (!may && answer.error !== undefined) return
    ok(answer)
    const last = Math.min(to, model.seq)
    for (let of = seq; of <= last; of += 1) model.stored.delete(of)
    foretell(model, `deleted ${seq} ${last}`)
    tally.deleted += 1
  }
  const claim = async (place: Place): Promise<void> => {
    const slot = pick(connected(place))
    if (slot?.client == null || slot.keys === null) return
    const { model, room } = place
    const temporary = random() < 0.7 ? 60_000 * (1 + below(3)) : undefined
    const expiresAt = temporary === undefined ? null : harness.clock.now() + temporary
    const mailbox = random() < 0.8
    const answer = await harness.done(slot.client.ask('claim', { ...none, room, mailbox, temporary }))
    if (model.claim === null) {
      ok(answer)
      tally.claims += 1
      modelClaim(model, slot.keys.member, { account: slot.person.account, mailbox, expiresAt })
    } else if (model.claim.account === slot.person.account) {
      ok(answer)
      model.claim.expiresAt = expiresAt
    } else assert.equal(answer.error, 'denied')
  }
  const turn = async (place: Place, what: 'release' | 'setMailbox'): Promise<void> => {
    const slot = pick(connected(place))
    if (slot?.client == null || slot.keys === null) return
    const { model, room } = place
    const on = random() < 0.6
    const answer = await harness.done(what === 'release' ? slot.client.ask('release', { room }) : slot.client.ask('setMailbox', { room, on }))
    if (!owns(place, slot) || model.claim === null) return assert.notEqual(answer.error, undefined)
    ok<unknown>(answer)
    if (what === 'release') modelTurn(model, null)
    else if (on !== model.claim.mailbox) modelTurn(model, { ...model.claim, mailbox: on })
  }
  const pass = async (): Promise<void> => {
    await harness.pass(pick([10, 1000, 10_000, 31_000, 70_000])!)
    await harness.flush()
    const now = harness.clock.now()
    const gone = places
      .flatMap(place => held(place).map(slot => ({ place, slot })))
      .filter(({ slot }) => slot.heldUntil <= now)
      .toSorted((one, other) => one.slot.heldAs - other.slot.heldAs)
    for (const { place, slot } of gone) {
      const { member } = slot.keys!
      give(slot)
      if (modelLeave(place.model, member, 'left')) over(place)
    }
    for (const place of places) {
      const { model } = place
      if (model.claim === null || model.claim.expiresAt === null || model.claim.expiresAt > now) continue
      tally.expired += 1
      modelTurn(model, null)
      if (model.seats.size === 0) over(place)
    }
  }
  const crash = async (): Promise<void> => {
    await harness.crash()
    tally.crashes += 1
    for (const place of places) {
      const { model } = place
      for (const slot of connected(place)) slot.client = null
      const seated = held(place)
      for (const slot of seated) {
        holds += 1
        Object.assign(slot, { heldUntil: harness.clock.now() + hold, heldAs: holds })
      }
      const [first] = seated
      if (first === undefined) continue
      await resume(place, first)
      const { n, seq } = first
      if (!stores(place)) {
        model.log.clear()
        Object.assign(model, { n, seq })
      }
      if (model.claim !== null && !model.seats.has(model.owner)) {
        const { account } = model.claim
        const own = place.slots.filter(slot => slot.keys !== null && slot.person.account === account)
        assert.ok(own.length === 0 ? first.owner === '' : own.some(slot => slot.keys?.member === first.owner))
        model.owner = first.owner
      }
      for (const slot of seated) if (slot !== first) await resume(place, slot)
    }
  }
  const look = async (place: Place): Promise<void> => {
    const slot = pick(connected(place))
    if (slot?.client == null) return
    const { room, model } = place
    const found = ok(await harness.done(slot.client.ask('members', { room })))
    assert.deepEqual(new Set(found.members.map(({ id }) => id)), model.seats)
    const usage = ok(await harness.done(slot.client.ask('usage', { room }))).usage
    const bytes = [...model.stored.values()].reduce((sum, { text }) => sum + text.length, 0)
    assert.deepEqual(usage === null ? null : [usage.messages, usage.bytes], stores(place) ? [model.stored.size, bytes] : null)
    const kept: (readonly [number, unknown])[] = []
    for (let after = 0, more = true; more;) {
      const page = ok(await harness.done(slot.client.ask('backlog', { room, after, limit: 50 })))
      for (const { seq, from, text, by, revision } of page.messages) kept.push([seq, { from, text, by, revision }])
      after = page.last
      more = page.more
    }
    assert.deepEqual(
      kept,
      [...model.stored].toSorted(([one], [other]) => one - other),
    )
  }

  const doings: readonly [number, (place: Place) => void | Promise<void>][] = [
    [12, join],
    [5, leave],
    [8, drop],
    [10, resume],
    [30, send],
    [8, place => change(place, 'edit')],
    [5, place => change(place, 'delete')],
    [6, claim],
    [1, place => turn(place, 'release')],
    [1.5, place => turn(place, 'setMailbox')],
    [6, pass],
    [0.3, crash],
    [5, look],
  ]
  const total = doings.reduce((sum, [weight]) => sum + weight, 0)
  let step = 0
  try {
    for (; step < steps; step += 1) {
      let at = random() * total
      const doing = doings.find(([weight]) => (at -= weight) < 0)?.[1] ?? send
      await doing(pick(places)!)
      await harness.flush()
      for (const place of places) for (const slot of place.slots) check(place, slot)
    }
  } catch (error) {
    throw new Error(`at step ${step} of seed ${seed}`, { cause: error })
  } finally {
    await harness.close().catch(() => undefined)
  }
  t.diagnostic(JSON.stringify(tally))
  assert.ok(tally.sent > steps / 10 && tally.resumed > 0)
})
