import { useSpeech } from './speech-context.ts'

/** An app's origin as the person should check it: the host large, a plain connection named, isolated from the text around. */
export const OriginName = ({ origin, host }: { readonly origin: string; readonly host: string }) => {
  const { text } = useSpeech()
  const { protocol, hostname } = new URL(origin)
  const local = hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '127.0.0.1' || hostname === '[::1]'
  const note = local ? text.common.local : protocol === 'https:' ? undefined : text.common.unprotected
  return (
    <p class="origin" id="card-origin">
      <bdi class="origin-host" dir="ltr">
        {host}
      </bdi>
      {note !== undefined && <span class={local ? 'origin-note' : 'origin-note origin-warning'}>{note}</span>}
    </p>
  )
}
