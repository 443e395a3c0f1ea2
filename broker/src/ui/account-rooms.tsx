import { listClaimedRooms } from '@deputy/contract/api-rooms'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { useAccount, useRoute } from './account-context.ts'
import { ClaimedRoom } from './claimed-room.tsx'
import { useSpeech } from './speech-context.ts'
import { UsageMeter } from './usage-meter.tsx'

/** Where the card of a waiting claim sends the person. */
const hash = '#rooms'

/** The rooms the account has claimed, and how many it may. */
export const Rooms = () => {
  const { text, formats } = useSpeech()
  const { changed } = useAccount()
  const { value, failed } = useRoute(listClaimedRooms, {})
  const headingRef = useRef<HTMLHeadingElement>(null)
  const unclaimedRef = useRef<string>(undefined)
  const isRead = value !== undefined

  // Members come and go, and temporary claims end, while the window is in the background.
  useLayoutEffect(() => {
    addEventListener('focus', changed)
    return () => removeEventListener('focus', changed)
  }, [changed])

  useLayoutEffect(() => {
    if (!isRead || location.hash !== hash) return
    headingRef.current?.scrollIntoView()
    headingRef.current?.focus({ preventScroll: true })
  }, [isRead])

  // The button that was pressed is gone with its room.
  useLayoutEffect(() => {
    const unclaimed = unclaimedRef.current
    if (unclaimed === undefined || value === undefined || value.rooms.some(({ room }) => room === unclaimed)) return
    unclaimedRef.current = undefined
    headingRef.current?.focus({ preventScroll: true })
  }, [value])

  return (
    <section class="panel" aria-labelledby="rooms">
      <h2 id="rooms" ref={headingRef} tabIndex={-1}>
        {text.rooms.section}
      </h2>
      <p class="soft">{text.rooms.text}</p>
      {value === undefined && failed && (
        <div class="inline">
          <p role="alert">{text.rooms.failed}</p>
          <button type="button" class="button plain" onClick={changed}>
            {text.common.retry}
          </button>
        </div>
      )}
      {value !== undefined && value.limit > 0 && (
        <UsageMeter label={text.rooms.claimedLabel} used={value.rooms.length} limit={value.limit} high={value.limit}>
          {text.rooms.claimed(value.rooms.length, value.limit, formats)}
        </UsageMeter>
      )}
      {value?.rooms.length === 0 && <p>{text.rooms.none}</p>}
      <ul class="entries">
        {value?.rooms.map(claim => (
          <ClaimedRoom key={claim.room} claim={claim} onUnclaim={() => (unclaimedRef.current = claim.room)} />
        ))}
      </ul>
    </section>
  )
}
