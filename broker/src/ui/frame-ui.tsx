import './design.css'
import './frame.css'
import type { FrameConsentAnswer } from '@deputy/contract/consent'
import type { ConflictChoice } from '@deputy/contract/fs'
import { permissions } from '@deputy/contract/permissions'
import { render } from 'preact'
import { consentOf, type AskConsent } from '../consent/consent.ts'
import { maxSeverity, rowName } from '../consent/rows.ts'
import { routeOf } from '../overlay/answer-gate.ts'
import { overlayOf, type Overlay } from '../overlay/overlay.ts'
import { engineLevel } from '../overlay/sight.ts'
import { stageOf } from '../overlay/stage.ts'
import type { ConnectOutcome, FrameUi, MakeFrameUi, Prompts } from '../prompts.ts'
import { tabNews } from '../sessions/tab-news.ts'
import { documentSpeech, type Speech } from '../strings/speech.ts'
import type { LiveSockets } from '../webvpn/live-sockets.ts'
import { ClaimsCard } from './claims-card.tsx'
import { ConnectCard, WaitingCard } from './connect-card.tsx'
import { ConsentCard } from './consent-card.tsx'
import { askInWindow } from './consent-window.ts'
import { AdoptFilesCard, ConflictFilesCard } from './file-cards.tsx'
import { FrameProvider } from './frame-context.ts'
import { FrameView, type CardView } from './frame-view.tsx'
import { NodeCard } from './node-card.tsx'
import { noticeBoard, type NoticeBoard } from './notice-board.ts'
import { SpeechContext } from './speech-context.ts'

type Needs = Parameters<MakeFrameUi>[0]
type StageOfCards = ReturnType<typeof stageOf<CardView>>

const hostPatience = 4000

/** Everything the person sees in the frame of one app, drawn into this document. Beside the seam it answers the consent others enforce. */
export const frameUi = (needs: Needs): FrameUi => {
  const { app, store, sockets } = needs
  const overlay = overlayOf(window)
  const stage = stageOf<CardView>()
  const speech = documentSpeech(document)
  const board = noticeBoard(() => stage.current() !== undefined)
  const news = tabNews()
  const consent = consentOf({
    app: app.id,
    store,
    registry: permissions,
    ask: askOn(stage, overlay, needs),
    holder: () => needs.accountId(),
    onSwitch: needs.onSwitch,
    news,
  })

  if (sockets !== undefined) tellSpent(sockets, board, speech, app.host)
  document.documentElement.classList.add('frame')
  const root = document.createElement('main')
  document.body.append(root)
  render(
    <SpeechContext.Provider value={speech}>
      <FrameProvider value={{ overlay, view: window }}>
        <FrameView stage={stage} board={board} consent={consent} app={app} store={store} sockets={sockets} />
      </FrameProvider>
    </SpeechContext.Provider>,
    root,
  )
  return { prompts: promptsOn(stage, overlay, board, speech), overlay: overlay.served, frameConsent: consent.served, consent }
}

/** Says it once when the account reaches the limit of its day: the bar, which says so too, may be folded or not be there. */
function tellSpent(sockets: LiveSockets, board: NoticeBoard, { text, formats }: Speech, host: string): void {
  let told: number | null = null
  sockets.onChange(() => {
    const { spentUntil } = sockets.traffic()
    if (spentUntil !== null && spentUntil !== told) board.pass({ tone: 'warning', text: text.network.spentNotice(host, formats.time(spentUntil)) })
    told = spentUntil
  })
}

/** Fires when no page has taken the overlay after a while: what it does not place, nobody sees. */
function nobodySees(overlay: Overlay): AbortSignal {
  const gone = new AbortController()
  setTimeout(() => {
    if (!overlay.hosted()) gone.abort()
  }, hostPatience)
  return gone.signal
}

const askOn =
  (stage: StageOfCards, overlay: Overlay, { app }: Needs): AskConsent =>
  rows => {
    const severity = maxSeverity(rows)
    const here = routeOf(severity, engineLevel()) !== 'window'
    const none: readonly FrameConsentAnswer[] = rows.map(() => false)
    return stage.put<readonly FrameConsentAnswer[]>({
      key: `consent ${rows.map(rowName).join(' ')}`,
      refused: none,
      signal: nobodySees(overlay),
      view: finish => {
        const toWindow = (): boolean => {
          const answers = askInWindow({ realm: window, app, rows })
          void answers?.then(finish)
          return answers !== null
        }
        return () => <ConsentCard ask={{ app, rows, here, toWindow, finish }} />
      },
    })
  }

function promptsOn(stage: StageOfCards, overlay: Overlay, board: NoticeBoard, { text }: Speech): Prompts {
  return {
    connect: async ask => {
      const unseen = nobodySees(overlay)
      const outcome = await stage.put<ConnectOutcome>({
        key: `connect ${ask.purpose}`,
        refused: 'declined',
        signal: AbortSignal.any([ask.signal, unseen]),
        view: finish => () => <ConnectCard ask={ask} finish={finish} />,
      })
      return unseen.aborted && outcome === 'declined' ? 'unavailable' : outcome
    },
    waiting: waiting => {
      const lowered = new AbortController()
      void stage.put<void>({
        key: 'waiting',
        first: true,
        refused: undefined,
        signal: lowered.signal,
        view: () => () => <WaitingCard waiting={waiting} />,
      })
      return () => lowered.abort()
    },
    claimsFull: ask =>
      stage.put<void>({
        key: 'claims',
        refused: undefined,
        signal: AbortSignal.any([ask.signal, nobodySees(overlay)]),
        view: finish => () => <ClaimsCard ask={ask} giveUp={finish} />,
      }),
    adopt: ask =>
      stage.put<boolean>({
        key: 'adopt',
        refused: false,
        signal: AbortSignal.any([ask.signal, nobodySees(overlay)]),
        view: finish => () => <AdoptFilesCard ask={ask} finish={finish} />,
      }),
    conflict: ask =>
      stage.put<ConflictChoice>({
        key: `conflict ${ask.request.path}`,
        refused: null,
        signal: AbortSignal.any([ask.signal, nobodySees(overlay)]),
        view: finish => () => <ConflictFilesCard ask={ask} finish={finish} />,
      }),
    node: ask =>
      stage.put<string | null>({
        key: 'node',
        refused: null,
        signal: AbortSignal.any([ask.signal, nobodySees(overlay)]),
        view: finish => () => <NodeCard ask={ask} finish={finish} />,
      }),
    notice: notice => {
      const { notices } = text
      if (notice.kind === 'signed-in') board.pass({ tone: 'calm', text: notices.signedIn(notice.name, notice.app.host) })
      else if (notice.kind === 'window-cut-off') board.pass({ tone: 'warning', text: notices.cutOff(notice.app.host) })
      else board.pass({ tone: 'warning', text: notice.reason === 'refused' ? notices.refused : notices.unreachable })
    },
    updateReady: apply => board.stay({ tone: 'calm', text: text.notices.update, action: { label: text.notices.apply, run: apply } }),
  }
}
