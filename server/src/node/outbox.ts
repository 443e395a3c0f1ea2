import type { RouteBody } from '@deputy/contract/api'
import type { beatNode } from '@deputy/contract/api-tunnel'
import type { Use } from '../tunnel/meters.ts'

/** A report as it travels. */
export type Report = NonNullable<RouteBody<typeof beatNode>['report']>

/** Use that is still to be reported. One report is under way at a time, and it is sent until it was taken, as it was. */
export interface Outbox {
  add(uses: readonly Use[]): void
  /** The report that is due: the one under way, or a new one; undefined when there is nothing to report. */
  due(): Report | undefined
  /** The report under way was taken. */
  taken(): void
  /** Bytes of the account that no taken report holds. */
  unreported(account: string): number
  /** Whether everything was reported. */
  readonly empty: boolean
  /** Whether a report failed, or there is more than one holds. */
  readonly behind: boolean
}

const most = 256
/** The most that one line of a report may say. */
const largest = 2 ** 50

/** An outbox that begins to count its reports at one. */
export function openOutbox(): Outbox {
  const waiting = new Map<string, { -readonly [Name in keyof Use]: Use[Name] }>()
  let underWay: Report | undefined
  let sequence = 0
  return {
    add: uses => {
      for (const { account, app, sent, received } of uses) {
        const key = `${account}\n${app}`
        const use = waiting.get(key) ?? { account, app, sent: 0, received: 0 }
        use.sent = Math.min(largest, use.sent + sent)
        use.received = Math.min(largest, use.received + received)
        waiting.set(key, use)
      }
    },
    due: () => {
      if (underWay !== undefined || waiting.size === 0) return underWay
      const lines = [...waiting].slice(0, most)
      for (const [key] of lines) waiting.delete(key)
      sequence += 1
      return (underWay = { sequence, uses: lines.map(([, use]) => ({ ...use })) })
    },
    taken: () => {
      underWay = undefined
    },
    unreported: account =>
      [...(underWay?.uses ?? []), ...waiting.values()].reduce((sum, use) => sum + (use.account === account ? use.sent + use.received : 0), 0),
    get empty() {
      return underWay === undefined && waiting.size === 0
    },
    get behind() {
      return underWay !== undefined || waiting.size >= most
    },
  }
}
