import type { RouteAnswer } from '@deputy/contract/api'
import { clearRoom, limitRoom, unclaimRoom, type listClaimedRooms } from '@deputy/contract/api-rooms'
import { GLOBAL_SCOPE, parseRoomId } from '@deputy/contract/identity'
import type { Outcome } from '../api/api.ts'
import { answered, useAccount } from './account-context.ts'
import { hostOf } from './account-sessions.tsx'
import { Icon } from './icons.tsx'
import { RoomLimit } from './room-limit.tsx'
import { useSpeech } from './speech-context.ts'
import { SureButton } from './sure-button.tsx'

type Claim = RouteAnswer<typeof listClaimedRooms>['rooms'][number]

/** One claimed room: what is known of it, and what its account can do with it. */
export const ClaimedRoom = ({ claim, onUnclaim }: { readonly claim: Claim; readonly onUnclaim: () => void }) => {
  const { text, formats } = useSpeech()
  const { call, say, changed } = useAccount()
  const { room, app, description, claimedAt, expiresAt, mailbox, bytes, messages, cap, archived, members } = claim
  const { scope, name } = parseRoomId(room) ?? { scope: '', name: room }
  const title = description ?? name
  const done = (outcome: Outcome<unknown>, words: string): void => {
    changed()
    if (answered(outcome)) say(words, 'calm')
    else say(outcome.kind === 'refused' && outcome.error === 'not-found' ? text.rooms.gone : text.account.failed, 'warning')
  }
  const clear = async (): Promise<void> => done(await call(clearRoom, { room }), text.rooms.done.cleared)
  const limit = async (most: number | null): Promise<void> => done(await call(limitRoom, { room, cap: most }), text.rooms.done.limited)
  const unclaim = async (): Promise<void> => {
    const outcome = await call(unclaimRoom, { room })
    if (answered(outcome)) onUnclaim()
    done(outcome, text.rooms.done.unclaimed)
  }
  return (
    <li class="entry tall">
      <Icon name="room" />
      <div class="entry-text">
        <span class="entry-title">
          <bdi>{title}</bdi>
          {archived && <span class="badge">{text.rooms.archived}</span>}
        </span>
        <span class="soft">
          <bdi>{description === null ? hostOf(app) : `${name} · ${hostOf(app)}`}</bdi>
          {scope === GLOBAL_SCOPE && ` · ${text.rooms.global}`}
          {' · '}
          {text.rooms.since(formats.date(claimedAt))}
        </span>
        <span class="soft">
          {mailbox ? `${text.rooms.messages(messages, formats)}, ${text.rooms.size(formats.size(bytes), formats.size(cap))}` : text.rooms.noMailbox}
          {' · '}
          {text.rooms.members(members, formats)}
        </span>
        <span class="soft">
          {expiresAt === null ? (
            text.rooms.permanent
          ) : (
            <time dateTime={new Date(expiresAt).toISOString()}>{text.rooms.ends(formats.ago(expiresAt), formats.moment(expiresAt))}</time>
          )}
        </span>
        {archived && <span class="soft">{text.rooms.archivedText}</span>}
      </div>
      <div class="entry-actions">
        {mailbox && (
          <>
            <RoomLimit title={title} cap={cap} set={limit} />
            <SureButton label={text.rooms.clearOf(title)} question={text.rooms.clearSure} sure={text.rooms.clear} run={clear}>
              {text.rooms.clear}
            </SureButton>
          </>
        )}
        <SureButton label={text.rooms.unclaimOf(title)} question={text.rooms.unclaimSure} sure={text.rooms.unclaim} run={unclaim}>
          {text.rooms.unclaim}
        </SureButton>
      </div>
    </li>
  )
}
