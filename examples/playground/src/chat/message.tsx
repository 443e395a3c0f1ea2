import { useState } from 'preact/hooks'
import { clock } from '../kit/format.ts'
import { Face } from '../rooms/face.tsx'
import type { Person } from '../rooms/words.ts'
import type { Said } from './transcript.ts'

interface MessageProps {
  readonly message: Said
  readonly person: Person
  readonly isOwn: boolean
  /** Whether it follows one of the same person at once, so that the name need not be said again. */
  readonly isContinued: boolean
  readonly onEdit: (() => void) | null
  readonly onDelete: (() => void) | null
}

/** One message, with what may be done to it. */
export function Message({ message, person, isOwn, isContinued, onEdit, onDelete }: MessageProps) {
  const [isSure, setSure] = useState(false)
  return (
    <li class={`message${isOwn ? ' own' : ''}${isContinued ? ' continued' : ''}`}>
      {isOwn || isContinued ? null : <Face person={person} />}
      <div class="bubble">
        <p class={isContinued ? 'who unseen' : `who hue-${person.colour}`}>
          <bdi>{isOwn ? 'You' : person.name}</bdi>
        </p>
        <p class="text" dir="auto">
          {message.text}
        </p>
        <p class="when">
          {message.edited ? 'edited · ' : ''}
          <time dateTime={new Date(message.at).toISOString()}>{clock(message.at)}</time>
        </p>
      </div>
      {onEdit === null && onDelete === null ? null : (
        <div class="acts">
          {onEdit === null ? null : (
            <button class="small" onClick={onEdit}>
              Edit
            </button>
          )}
          {onDelete === null ? null : (
            <button class="small danger" onBlur={() => setSure(false)} onClick={() => (isSure ? onDelete() : setSure(true))}>
              {isSure ? 'Delete for all?' : 'Delete'}
            </button>
          )}
        </div>
      )}
    </li>
  )
}
