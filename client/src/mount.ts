import { hostOverlay, type OverlayHost } from './overlay-host.ts'

/** A broker frame in the page; `host` only where this copy of the library put it there. */
export interface MountedFrame {
  readonly frame: HTMLIFrameElement
  readonly host: OverlayHost | undefined
}

// An app's own Permissions-Policy may still forbid these; the broker then falls back to its own windows.
const delegated = 'storage-access; publickey-credentials-get; publickey-credentials-create; loopback-network; local-network-access'

/** Puts the broker's frame into the page, or takes the one that another copy of the library has put there. Replaces `dead`. */
export function mountFrame(origin: string, dead: HTMLIFrameElement | undefined): MountedFrame {
  const present = Array.from(document.querySelectorAll<HTMLIFrameElement>('iframe[data-deputy-broker]')).find(
    frame => frame !== dead && frame.dataset.deputyBroker === origin,
  )
  removeFrame(dead)
  if (present !== undefined) return { frame: present, host: undefined }
  const frame = document.createElement('iframe')
  frame.dataset.deputyBroker = origin
  frame.title = 'Deputy'
  frame.allow = delegated
  frame.src = new URL('/frame', origin).href
  return { frame, host: hostOverlay(frame) }
}

function removeFrame(frame: HTMLIFrameElement | undefined): void {
  const dialog = frame?.closest('dialog[data-deputy]')
  if (dialog) dialog.remove()
  else frame?.remove()
}
