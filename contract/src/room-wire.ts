/**
 * The protocol between the broker and the room service.
 *
 * One WebSocket `GET {api}/v1/rooms` of a broker frame carries all its rooms; every frame is JSON text. A browser may open it
 * from the broker's origin only.
 *
 * 1. The client sends `hello`: the app's id, the token of its app session (none for a guest), and a secret of this device
 *    (32 bytes kept in the frame's storage) by which a blocked guest stays out; the server keeps a hash of it bound to the room.
 *    With a token, `app` must be the session's; for a guest the broker's word is all there is, and it decides only under which
 *    scope rooms come into being. The server answers `welcome` with a challenge for this socket, or closes with 4401 (the
 *    session is unknown or over), 4403 (not this app's session), 4400 (not the protocol), 4429 (too many sockets or frames).
 * 2. Every later frame of the client is a request (`roomRequests`) under an `id` of 128 bits it minted, answered once by
 *    `ok { id, value }` or `no { id, error, message }` (`roomAnswers`, `roomsRefusals`). A request repeated under its `id` by
 *    the same seat, on this socket or after a resume, is done once and answered the same: that is how a send is retried. At
 *    most `ROOM_WINDOW` requests of a seat may be without an answer.
 * 3. `join` takes a seat. V = the join verifier of the room key; the server keeps SHA-256(V), and another V is `bad-key`.
 *    `member` is `base64url(SHA-256(ROOM_MEMBER_LABEL || room id || public key))` cut to 22 characters, and `signature` is Ed25519
 *    over the UTF-8 bytes of `roomProof(challenge, room, member)`. With `create` the room comes into being when nothing is there
 *    (only under the app's own scope or `global`); without it that is `not-found`. One socket has one seat in a room.
 * 4. Events arrive as `event { room, epoch, n, event }`: n rises by one with every event of the room, for all members alike; what a
 *    member may not hear is a `skip`. The seat begins right after the `n` of the answer to `join`. A hole means: drop the socket
 *    and resume. The sender's own message arrives as an event before the `ok` of its send. A room's events, and the answers to
 *    its requests, are sent after they are durable, in one order.
 * 5. When the socket drops, the seat is held for `hold` ms and nobody is told. `resume` on a new socket, with the seat's token and
 *    the last (epoch, n, seq) seen, takes it again and answers the token for the next time; the old one ends with the first
 *    request of the seat on the new socket. `replay` says what follows: `ring`, every event missed; `mailbox`, the stored messages missed
 *    by their seq, then the edits and deletions of older ones, n neither gap-free nor always rising, until `caughtUp`, and the rest of the state to be read (`members`, and
 *    what the answer carries); `reset`, nothing: what was said meanwhile is gone. A seat that is over is `no closed`, after `end`
 *    when it was removed or blocked.
 * 6. `end` closes a seat. `lost` asks to resume at once: the room is being opened again. A member whose socket does not take
 *    what is sent (1 MiB waiting) is cut off and may resume.
 * 7. `signedOut` says that the socket's session is over and its seats are a guest's from now on; `session` signs in or out without
 *    leaving a room. `claimFreed` says that a claim of the account ended, so that a claim refused `full` is worth repeating.
 *
 * An `edit` carries the revision it makes, one above the message's; `find` reads a stored message to learn it, and a concurrent
 * edit that came first is `invalid`. `backlog` answers a page of at most 200 messages and 512 KiB with the credentials of those
 * who sealed them; the broker hands them on as message events with `replayed` true.
 */
export * from './room-frames.ts'

/** Where the socket is, below the api origin. */
export const ROOMS_PATH = '/v1/rooms'
/** Requests of one seat that may be without an answer. */
export const ROOM_WINDOW = 64
/** Prefix of what a member id is the hash of. */
export const ROOM_MEMBER_LABEL = 'deputy/room/v1/member'
/** Close codes of the socket. */
export const ROOM_CLOSE = { malformed: 4400, unauthorized: 4401, denied: 4403, slow: 4408, tooMany: 4429, away: 1001 } as const
/** What a member signs to take a seat: it holds the key of this id, in this room, on this socket. */
export const roomProof = (challenge: string, room: string, member: string): string => `deputy/room/v1/challenge\n${challenge}\n${room}\n${member}`
