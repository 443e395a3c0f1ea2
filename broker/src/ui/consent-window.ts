import { consentCategories, frameConsentAnswer, type FrameConsentAnswer } from '@deputy/contract/consent'
import { permissions } from '@deputy/contract/permissions'
import { either, list, object, oneOf, optional, string, type Received } from '@deputy/contract/shape'
import { fits } from '@deputy/contract/validate'
import { consentRow, socketsRow, type ConsentRow } from '../consent/rows.ts'

/**
 * Consent in a window of its own, for a strong permission where the frame cannot prove that its card is seen. Frame and window are
 * both the broker's own; each takes a message only from the very window it opened, or was opened by, and only from that origin.
 */
const hosts = /* @__PURE__ */ list(string({ max: 260 }), { max: 256 })
const asked = /* @__PURE__ */ either(
  object({ category: oneOf(...consentCategories), hosts }),
  object({ key: string({ max: 128 }), hosts, attach: optional(string({ max: 128 })) }),
  object({ sockets: string({ max: 260 }) }),
)
const helloMessage = /* @__PURE__ */ object({ type: oneOf('deputy:consent-hello') })
const askMessage = /* @__PURE__ */ object({ type: oneOf('deputy:consent-ask'), origin: string({ max: 300 }), rows: list(asked, { max: 64 }) })
const answerMessage = /* @__PURE__ */ object({ type: oneOf('deputy:consent-answer'), answers: list(frameConsentAnswer, { max: 64 }) })
type Ask = Received<typeof askMessage>

const closedPoll = 300
const helloEvery = 200
const patience = 8000

const wired = ({ subject, hosts: names, attach }: ConsentRow): Ask['rows'][number] =>
  'category' in subject
    ? { category: subject.category, hosts: [...names] }
    : 'group' in subject
      ? { sockets: names[0] ?? '' }
      : { key: subject.key, hosts: [...names], ...(attach === undefined ? {} : { attach }) }

/** In the frame, inside a click: opens the window and answers its choices; all refused when it was closed. `null` when it was blocked. */
export function askInWindow({
  realm,
  app,
  rows,
}: {
  readonly realm: Window
  readonly app: { readonly origin: string }
  readonly rows: readonly ConsentRow[]
}): Promise<readonly FrameConsentAnswer[]> | null {
  const target = realm.open('/consent', '', 'popup,width=520,height=720')
  if (target === null) return null
  const { origin } = realm.location
  return new Promise(resolve => {
    const end = (answers: readonly FrameConsentAnswer[]): void => {
      clearInterval(watch)
      realm.removeEventListener('message', hear)
      resolve(answers)
    }
    const hear = ({ source, origin: from, data }: MessageEvent<unknown>): void => {
      if (source !== target || from !== origin) return
      if (fits(helloMessage, data)) target.postMessage({ type: 'deputy:consent-ask', origin: app.origin, rows: rows.map(wired) } satisfies Ask, origin)
      if (fits(answerMessage, data)) end((data as Received<typeof answerMessage>).answers)
    }
    const watch = setInterval(() => {
      if (target.closed) end(rows.map(() => false))
    }, closedPoll)
    realm.addEventListener('message', hear)
  })
}

/** What the window was opened for. */
export interface WindowAsk {
  readonly origin: string
  readonly rows: readonly ConsentRow[]
  answer(answers: readonly FrameConsentAnswer[]): void
}

/** In the window: learns what is asked from the frame that opened it; null when nobody answers. */
export function windowAsk(realm: Window): Promise<WindowAsk | null> {
  const target = realm.opener as Window | null
  if (target === null) return Promise.resolve(null)
  const { origin } = realm.location
  return new Promise(resolve => {
    const end = (ask: WindowAsk | null): void => {
      clearInterval(calling)
      clearTimeout(deadline)
      realm.removeEventListener('message', hear)
      resolve(ask)
    }
    const hear = ({ source, origin: from, data }: MessageEvent<unknown>): void => {
      if (source !== target || from !== origin || !fits(askMessage, data)) return
      const ask = data as Ask
      const rows = ask.rows
        .map(row => ('sockets' in row ? socketsRow(row.sockets, permissions) : consentRow(row, permissions)))
        .filter(row => row !== undefined)
      const answer = (answers: readonly FrameConsentAnswer[]): void =>
        target.postMessage({ type: 'deputy:consent-answer', answers: [...answers] } satisfies Received<typeof answerMessage>, origin)
      end(rows.length === ask.rows.length ? { origin: ask.origin, rows, answer } : null)
    }
    const call = (): void => target.postMessage({ type: 'deputy:consent-hello' } satisfies Received<typeof helloMessage>, origin)
    const calling = setInterval(call, helloEvery)
    const deadline = setTimeout(() => end(null), patience)
    realm.addEventListener('message', hear)
    call()
  })
}
