import { useState } from 'preact/hooks'
import { Dialog } from '../kit/dialog.tsx'
import { QrCode } from './qr.tsx'

/** The way into the room for others: a link and the same as a picture. */
export function InviteDialog({ invite, onClose }: { readonly invite: string; readonly onClose: () => void }) {
  const [copied, setCopied] = useState<'no' | 'yes' | 'denied'>('no')
  const link = `${location.origin}${location.pathname}#${invite}`
  const copy = () => {
    navigator.clipboard.writeText(link).then(
      () => setCopied('yes'),
      () => setCopied('denied'),
    )
  }
  return (
    <Dialog title="Invite" onClose={onClose}>
      <p class="lead">Whoever has this link can come in and read. The key stands behind the #, which browsers never send to a server.</p>
      <QrCode text={link} label="QR code that leads into the room" />
      <label class="field">
        <span>Invite link</span>
        <input readOnly value={link} onFocus={event => event.currentTarget.select()} />
      </label>
      <div class="row">
        <button class="primary" onClick={copy}>
          {copied === 'yes' ? 'Copied' : 'Copy link'}
        </button>
        <span class="status" role="status">
          {copied === 'denied' ? 'The browser does not let this page copy: select the link above.' : ''}
        </span>
      </div>
    </Dialog>
  )
}
