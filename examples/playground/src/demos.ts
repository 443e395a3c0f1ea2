import type { ComponentType } from 'preact'
import { BoardPage } from './board/board-page.tsx'
import { ChatPage } from './chat/chat-page.tsx'
import { FilesPage } from './files/files-page.tsx'
import { NetworkPage } from './network/network-page.tsx'
import { NotesPage } from './notes/notes-page.tsx'

/** One demo: a folder of its own, shown at a path of its own. */
export interface ShownDemo {
  readonly path: `/${string}`
  readonly title: string
  readonly lead: string
  /** What a person needs to try it. */
  readonly needs: string
  /** Shown anew for each fragment of the address, which carries keys and never reaches a server. */
  readonly page: ComponentType<{ readonly fragment: string }>
}

/** The demos in the order of the home page. */
export const demos: readonly ShownDemo[] = [
  {
    path: '/files',
    title: 'Files by link',
    lead: 'A photo or a video is sealed here and opened by whoever has the link, on any device. Then look at what really left the browser.',
    needs: 'Needs an account to share, none to open.',
    page: FilesPage,
  },
  {
    path: '/notes',
    title: 'Notes',
    lead: 'Written in this browser first, offline or signed out. With an account they are sealed and stand on every device, and conflicts are asked about.',
    needs: 'Needs no account to begin, one to have them everywhere.',
    page: NotesPage,
  },
  {
    path: '/chat',
    title: 'Chat',
    lead: 'A room for whoever has its link: members, permissions, moderation, and messages that are kept when somebody claims the room.',
    needs: 'Needs no account; claiming a room needs a premium one.',
    page: ChatPage,
  },
  {
    path: '/board',
    title: 'Board',
    lead: 'Everybody’s cursor moves live over a board all can draw on, within what a room takes of one member.',
    needs: 'Needs no account.',
    page: BoardPage,
  },
  {
    path: '/network',
    title: 'Network',
    lead: 'Fetch any site, look names up, speak raw TCP and UDP, listen for another tab, and measure: through the tunnel of your account.',
    needs: 'Needs an account; sockets are asked for once.',
    page: NetworkPage,
  },
]
