import { permissions } from '@deputy/contract/permissions'
import { Fragment, type ComponentChildren } from 'preact'
import { useCallback, useLayoutEffect, useState } from 'preact/hooks'
import type { AppIdentity } from '../app-identity.ts'
import type { Consent } from '../consent/consent.ts'
import type { Grant } from '../consent/grants.ts'
import type { Stage } from '../overlay/stage.ts'
import type { Store } from '../store/store.ts'
import type { LiveSockets } from '../webvpn/live-sockets.ts'
import { titleOf } from './consent-row.tsx'
import { GrantsBar } from './grants-bar.tsx'
import type { NoticeBoard } from './notice-board.ts'
import { Notices } from './notices.tsx'
import { useSpeech } from './speech-context.ts'
import { useChange } from './use-change.ts'

/** What the stage shows: a card, drawn when its turn comes. */
export type CardView = () => ComponentChildren

/** The whole of the frame: one card at a time, the bar of grants, passing lines. While a card is up, nothing else takes input, and the lines wait: in a narrow window they would lie on its buttons. */
export const FrameView = ({
  stage,
  board,
  consent,
  app,
  store,
  sockets,
}: {
  readonly stage: Stage<CardView>
  readonly board: NoticeBoard
  readonly consent: Consent
  readonly app: AppIdentity
  readonly store: Store
  readonly sockets?: LiveSockets | undefined
}) => {
  const { text } = useSpeech()
  useChange(useCallback(listener => both(stage.onChange(listener), board.onChange(listener)), [stage, board]))
  const { grants, folded, fold } = useGrants(consent, store, app)
  const act = stage.current()
  const remove = (grant: Grant): void => {
    void consent.remove(grant.id)
    board.pass({ tone: 'calm', text: text.bar.removed(titleOf(grant.subject, permissions.descriptors, text).title) })
  }
  return (
    <>
      <div inert={act !== undefined}>
        <GrantsBar host={app.host} grants={grants} registry={permissions} folded={folded} fold={fold} remove={remove} sockets={sockets} />
      </div>
      {act !== undefined && <Fragment key={act.number}>{act.view()}</Fragment>}
      <Notices notices={act === undefined ? board.notices : []} dismiss={board.dismiss} />
    </>
  )
}

const both = (a: () => void, b: () => void) => (): void => {
  a()
  b()
}

/** The grants that hold, and whether the bar is folded: as the person left it, but open after a new grant. */
function useGrants(consent: Consent, store: Store, app: AppIdentity): { grants: readonly Grant[]; folded: boolean; fold: (folded: boolean) => void } {
  const [state, setState] = useState<{ grants: readonly Grant[]; folded: boolean }>({ grants: [], folded: true })
  const key = `bar-folded:${app.id}`
  useLayoutEffect(() => {
    let ended = false
    let seen: number | undefined
    const read = async (): Promise<void> => {
      const [grants, kept] = await Promise.all([consent.grants(), store.get(key)])
      if (ended) return
      const more = seen !== undefined && grants.length > seen
      seen = grants.length
      setState(before => ({ grants, folded: more ? false : seen === undefined ? kept === true : before.grants.length === 0 ? kept === true : before.folded }))
    }
    void read()
    const silence = consent.onChange(() => void read())
    return () => {
      ended = true
      silence()
    }
  }, [consent, store, key])
  return {
    ...state,
    fold: folded => {
      setState(before => ({ ...before, folded }))
      void store.set(key, folded)
    },
  }
}
