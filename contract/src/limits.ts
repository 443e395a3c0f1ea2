/** How long a temporary claim may last, in ms; `default` is what `true` means. */
export const ROOM_TEMPORARY_MS = { min: 60_000, max: 31_536_000_000, default: 604_800_000 } as const
/** Length of a room description after trimming, in UTF-16 units. */
export const ROOM_DESCRIPTION_LENGTH = { min: 1, max: 200 } as const
/** The most a claimed room's mailbox holds unless the account set another size in its settings. */
export const ROOM_MAILBOX_CAP_BYTES = 500_000_000
/** How many results a package search may answer; a number outside is clamped. */
export const PACKAGE_SEARCH_SIZE = { min: 1, max: 100, default: 20 } as const
/** A key of an object or a room: so many bytes, written as so many characters of unpadded base64url. */
export const KEY_LENGTH = { bytes: 32, characters: 43 } as const
/** Sealed objects are cut into records of so many plaintext bytes, each stored with so many bytes more. */
export const OBJECT_RECORD = { bytes: 1_048_576, overhead: 28 } as const
/** How many objects one page of `storage.list` may hold; a number outside is refused. */
export const OBJECT_LIST_LIMIT = { min: 1, max: 1000, default: 100 } as const
/** Deadline of a goto that names none. */
export const GOTO_TIMEOUT_MS = 30_000
/** How long a cookie removal waits for live realms to drop what it removed. */
export const COOKIE_CLEAR_WAIT_MS = 2000
/** How long an app waits for the window's first answer. */
export const WINDOW_HELLO_TIMEOUT_MS = 20_000
/** How often the app repeats its hello until the channel connects, from opening the window. */
export const WINDOW_HELLO_INTERVAL_MS = 250
/** The shell's wait for its jar port. */
export const WINDOW_JAR_PORT_TIMEOUT_MS = 12_000
/** The wait for reading the partition token. */
export const WINDOW_PARTITION_TOKEN_TIMEOUT_MS = 5000
/** How long a window waits for the shell's jar mode: jar port, partition token and a controller boot. */
export const WINDOW_JAR_MODE_TIMEOUT_MS = 30_000
/** How long the whole window handshake may take: hello and jar mode, and 15 s for the pages to load. */
export const WINDOW_HANDSHAKE_TIMEOUT_MS = 65_000
