import { endInWords, inWords } from './refusals.ts'
import type { SeatView } from './use-seat.ts'

/** In place of a room: it is being entered, could not be, or is over for us. Always with the way on. */
export function Over({ seat, path }: { readonly seat: SeatView; readonly path: string }) {
  if (seat.status === 'joining')
    return (
      <p class="panel empty" role="status">
        Coming in…
      </p>
    )
  if (seat.status === 'open') return null
  const canReturn = seat.status === 'failed' || (seat.end !== 'blocked' && seat.end !== 'ended')
  return (
    <div class="panel over" role="alert">
      <h2>{seat.status === 'failed' ? 'You could not come in' : 'You are not in the room any more'}</h2>
      <p>{seat.status === 'failed' ? inWords(seat.error) : endInWords(seat.end ?? 'unavailable')}</p>
      <div class="row">
        {canReturn ? (
          <button class="primary" onClick={seat.again}>
            {seat.status === 'failed' ? 'Try again' : 'Come in again'}
          </button>
        ) : null}
        <a class="button" href={path}>
          Make or join another
        </a>
      </div>
    </div>
  )
}
