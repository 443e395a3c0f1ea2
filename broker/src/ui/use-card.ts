import type { RefObject } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Control, Ignored } from '../overlay/answer-gate.ts'
import { listenForAnswers } from '../overlay/answers.ts'
import { engineLevel, type Sight } from '../overlay/sight.ts'
import { useFrame } from './frame-context.ts'

/** How a card stands with the person. */
export interface CardState {
  readonly cardRef: RefObject<HTMLDivElement | null>
  /** Whether a yes would be taken up now. */
  readonly ready: boolean
  /** Whether a part of the card's words has not been scrolled to yet: until then there is no yes. */
  readonly unread: boolean
  /** The control that must be pressed once more, if any. */
  readonly confirming: string | undefined
  /** Why the last press was not taken up. */
  readonly ignored: Ignored | undefined
  /** What has hidden the card for longer than a moment. */
  readonly hidden: Sight | undefined
}

const moment = 1500
const slack = 8
const focusable = 'button:not([disabled]), input:not([disabled]), summary, a[href], [tabindex]'

/** Shows the element as the one modal card: told to the host page, focus kept within, answers taken by the rules of the gate. */
export function useCard(answer: (control: Control) => void): CardState {
  const { overlay, view } = useFrame()
  const cardRef = useRef<HTMLDivElement>(null)
  const takeRef = useRef(answer)
  const [ready, setReady] = useState(false)
  const [unread, setUnread] = useState(false)
  const [confirming, setConfirming] = useState<string>()
  const [ignored, setIgnored] = useState<Ignored>()
  const [hidden, setHidden] = useState<Sight>()

  useLayoutEffect(() => {
    takeRef.current = answer
  })

  useLayoutEffect(() => {
    const card = cardRef.current
    if (card === null) return undefined
    const answers = listenForAnswers(view, card, {
      answer: control => takeRef.current(control),
      confirm: control => {
        setConfirming(control.id)
        setIgnored(undefined)
      },
      ignored: setIgnored,
      ready: setReady,
    })
    let seen = false
    const tellSight = (): void => answers.sight({ ...sighted, shown: sighted.shown && seen })
    let sighted: Sight = { level: engineLevel(), shown: false }
    const endReading = whenRead(card, read => {
      seen = read
      setUnread(!read)
      tellSight()
    })
    let hiding: ReturnType<typeof setTimeout> | undefined
    const surface = overlay.show(
      'card',
      card,
      { modal: true },
      {
        changed: answers.changed,
        sight: sight => {
          sighted = sight
          tellSight()
          clearTimeout(hiding)
          if (sight.shown) setHidden(undefined)
          else hiding = setTimeout(() => setHidden(sight), moment)
        },
      },
    )
    const keepWithin = keepFocusWithin(card)
    // Only then, so that the page still knows where its own focus was and can give it back.
    void overlay.settled().then(() => card.querySelector<HTMLElement>('[data-first]')?.focus({ preventScroll: true }))
    return () => {
      clearTimeout(hiding)
      endReading()
      keepWithin()
      answers.close()
      surface.close()
    }
  }, [overlay, view])

  return { cardRef, ready, unread, confirming, ignored, hidden }
}

/** Watches whether the card's words were scrolled through to their end once. Answers the end of it. */
function whenRead(card: HTMLElement, report: (read: boolean) => void): () => void {
  const scroller = card.querySelector<HTMLElement>('[data-scroll]')
  if (scroller === null) throw new Error('a card has a place for its words')
  let read = false
  const look = (): void => {
    const { scrollTop, clientHeight, scrollHeight } = scroller
    read ||= scrollTop + clientHeight >= scrollHeight - slack
    // What scrolls is within reach of the keyboard.
    if (scrollHeight > clientHeight + slack) scroller.tabIndex = 0
    else scroller.removeAttribute('tabindex')
    report(read)
  }
  scroller.addEventListener('scroll', look)
  const sizes = new ResizeObserver(look)
  sizes.observe(scroller)
  look()
  return () => {
    scroller.removeEventListener('scroll', look)
    sizes.disconnect()
  }
}

/** Keeps Tab within the element. Answers the end of it. */
function keepFocusWithin(element: HTMLElement): () => void {
  const tab = (event: KeyboardEvent): void => {
    if (event.key !== 'Tab') return
    const stops = [...element.querySelectorAll<HTMLElement>(focusable)].filter(stop => stop.checkVisibility())
    const first = stops[0]
    const last = stops.at(-1)
    const { activeElement } = element.ownerDocument
    const outside = activeElement === null || !element.contains(activeElement)
    const wrapped = event.shiftKey ? (activeElement === first || outside ? last : undefined) : activeElement === last || outside ? first : undefined
    if (wrapped === undefined) return
    event.preventDefault()
    wrapped.focus()
  }
  element.ownerDocument.addEventListener('keydown', tab)
  return () => element.ownerDocument.removeEventListener('keydown', tab)
}
