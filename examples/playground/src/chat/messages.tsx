import { Fragment } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { clock, day } from '../kit/format.ts'
import { inWords } from '../rooms/refusals.ts'
import { stranger, type Person } from '../rooms/words.ts'
import { Message } from './message.tsx'
import type { Item, Noted, Said } from './transcript.ts'
import type { Waiting } from './use-outbox.ts'

interface MessagesProps {
  readonly items: readonly Item[]
  readonly people: ReadonlyMap<string, Person>
  readonly ownIds: ReadonlySet<string>
  readonly missedAfter: number | null
  readonly waiting: readonly Waiting[]
  readonly hasEarlier: boolean
  readonly canChange: (message: Said) => { readonly edit: boolean; readonly delete: boolean }
  readonly onEarlier: () => Promise<void>
  readonly onEdit: (message: Said) => void
  readonly onDelete: (message: Said) => void
  readonly onRetry: (key: number) => void
  readonly onDiscard: (key: number) => void
}

const togetherMs = 5 * 60_000
const nearPx = 80

const noteWords: Readonly<Record<Noted['what'], (name: string) => string>> = {
  joined: name => `${name} came in`,
  left: name => `${name} left`,
  removed: name => `${name} was removed`,
  blocked: name => `${name} was blocked`,
  claimed: () => 'The room is claimed; its messages are not kept',
  kept: () => 'The room is claimed; messages are kept from here on',
  released: () => 'The room is nobody’s any more; messages are not kept',
}

/** Everything said, newest below. Stays at the end while the reader is there, and where they are when earlier messages come in above. */
export function Messages(props: MessagesProps) {
  const { items, people, ownIds, missedAfter, waiting, hasEarlier, canChange, onEarlier } = props
  const listRef = useRef<HTMLDivElement>(null)
  const placeRef = useRef({ isNear: true, fromEnd: 0, first: 0 })
  const [isBehind, setBehind] = useState(false)
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<string | null>(null)
  const firstSeq = items.find(item => item.kind === 'said')?.seq ?? 0

  const look = () => {
    const { scrollHeight, scrollTop, clientHeight } = listRef.current!
    const isNear = scrollHeight - scrollTop - clientHeight < nearPx
    placeRef.current = { ...placeRef.current, isNear, fromEnd: scrollHeight - scrollTop }
    if (isNear) setBehind(false)
  }
  const toEnd = () => listRef.current?.scrollTo({ top: listRef.current.scrollHeight })
  useLayoutEffect(() => {
    const list = listRef.current!
    const place = placeRef.current
    if (place.isNear) toEnd()
    else if (firstSeq < place.first) list.scrollTop = list.scrollHeight - place.fromEnd
    else setBehind(true)
    placeRef.current = { ...place, first: firstSeq, fromEnd: list.scrollHeight - list.scrollTop }
  }, [items, waiting.length, firstSeq])

  // The list changes its height without a message as well: with the window, the divider, the field below.
  useEffect(() => {
    const list = listRef.current!
    const observer = new ResizeObserver(() => placeRef.current.isNear && toEnd())
    for (const watched of [list, ...list.children]) observer.observe(watched)
    return () => observer.disconnect()
  }, [])

  const readEarlier = () => {
    placeRef.current = { ...placeRef.current, isNear: false }
    setBusy(true)
    setProblem(null)
    onEarlier()
      .catch((error: unknown) => setProblem(inWords(error)))
      .finally(() => setBusy(false))
  }
  const dividerAt = missedAfter === null ? -1 : items.findIndex(item => item.kind === 'said' && item.seq > missedAfter && !ownIds.has(item.from))
  const personOf = (id: string, said: Person | null = null): Person => people.get(id) ?? said ?? stranger(id)

  return (
    <div class="messages">
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls can be scrolled by keyboard in every browser */}
      <div class="scroll" ref={listRef} onScroll={look} tabIndex={0} role="log" aria-label="Messages">
        {hasEarlier ? (
          <p class="earlier">
            <button disabled={busy} onClick={readEarlier}>
              {busy ? 'One moment…' : 'Earlier messages'}
            </button>
          </p>
        ) : null}
        {problem === null ? null : (
          <p class="problem" role="alert">
            {problem}
          </p>
        )}
        {items.length === 0 && waiting.length === 0 ? <p class="empty begin">Nothing has been said yet. Invite somebody, or say hello.</p> : null}
        <ol>
          {items.map((item, index) => {
            const before = items[index - 1]
            const isNewDay = before === undefined || day(before.at) !== day(item.at)
            return (
              <Fragment key={item.kind === 'said' ? `said ${item.seq}` : `noted ${item.at} ${item.what} ${item.who}`}>
                {isNewDay ? <li class="day">{day(item.at)}</li> : null}
                {index === dividerAt ? (
                  <li class="missed">
                    <span>While you were away</span>
                  </li>
                ) : null}
                {item.kind === 'noted' ? (
                  <li class="note">
                    <bdi>{noteWords[item.what](personOf(item.who).name)}</bdi> <time dateTime={new Date(item.at).toISOString()}>{clock(item.at)}</time>
                  </li>
                ) : (
                  <Message
                    message={item}
                    person={personOf(item.from, item.person)}
                    isOwn={ownIds.has(item.from)}
                    isContinued={!isNewDay && index !== dividerAt && before.kind === 'said' && before.from === item.from && item.at - before.at < togetherMs}
                    onEdit={canChange(item).edit ? () => props.onEdit(item) : null}
                    onDelete={canChange(item).delete ? () => props.onDelete(item) : null}
                  />
                )}
              </Fragment>
            )
          })}
          {waiting.map(({ key, text, problem: why }) => (
            <li key={`waiting ${key}`} class="message own waiting">
              <div class="bubble">
                <p class="text" dir="auto">
                  {text}
                </p>
                {why === null ? <p class="when">Sending…</p> : null}
              </div>
              {why === null ? null : (
                <div class="unsent" role="alert">
                  <p>{why}</p>
                  <button class="small" onClick={() => props.onRetry(key)}>
                    Send again
                  </button>
                  <button class="small danger" onClick={() => props.onDiscard(key)}>
                    Throw away
                  </button>
                </div>
              )}
            </li>
          ))}
        </ol>
      </div>
      {isBehind ? (
        <button
          class="newer"
          onClick={() => {
            toEnd()
            setBehind(false)
          }}
        >
          New messages ↓
        </button>
      ) : null}
    </div>
  )
}
