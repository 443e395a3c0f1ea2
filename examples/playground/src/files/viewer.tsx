import { useEffect, useState } from 'preact/hooks'
import { Demo, Problem } from '../kit/demo.tsx'
import { bytes } from '../kit/format.ts'
import { open } from './open-code.ts'
import code from 'raw:./open-code.ts'

type Opened = Awaited<ReturnType<typeof open>>
interface Shown extends Opened {
  /** The whole file as a blob url, for what no ranges are needed for. */
  readonly whole: string | undefined
}

/** What a person sees who follows a link: no account, no sign-in. */
export function Viewer({ fragment }: { readonly fragment: string }) {
  const [shown, setShown] = useState<Shown | null>(null)
  const [error, setError] = useState<unknown>(null)
  useEffect(() => {
    let current = true
    let whole: string | undefined
    const show = async () => {
      const opened = await open(fragment)
      if (opened.media === undefined && opened.type.startsWith('image/')) whole = await blobUrl(opened)
      if (current) setShown({ ...opened, whole })
    }
    show().catch(caught => current && setError(caught))
    return () => {
      current = false
      if (whole !== undefined) URL.revokeObjectURL(whole)
    }
  }, [fragment])

  const save = async () => {
    if (shown === null) return
    const url = await blobUrl(shown)
    const anchor = Object.assign(document.createElement('a'), { href: url, download: shown.name || 'file' })
    anchor.click()
    setTimeout(() => URL.revokeObjectURL(url), 60_000)
  }

  return (
    <Demo
      title={shown?.name || 'A shared file'}
      lead="The key came behind the # of the link, so only this browser has it. Every record is checked before it is shown."
      code={code}
    >
      {shown === null && error === null ? <p class="empty">Opening…</p> : null}
      {shown?.media === undefined ? null : shown.type.startsWith('audio/') ? (
        <audio class="media" controls src={shown.media} />
      ) : (
        <video class="media" controls playsInline src={shown.media} />
      )}
      {shown?.whole === undefined ? null : <img class="media" src={shown.whole} alt={shown.name} />}
      {shown === null ? null : (
        <div class="row">
          <span class="status">
            {bytes(shown.file.size)} {shown.type === '' ? '' : `· ${shown.type}`}
          </span>
          <button onClick={() => void save().catch(setError)}>Save</button>
          <a href="/files">Share something yourself</a>
        </div>
      )}
      <Problem error={error} />
    </Demo>
  )
}

async function blobUrl({ file, type }: Opened): Promise<string> {
  // An html or svg document under a blob url would run as this origin, so only plain image types keep theirs.
  const safe = /^image\/(png|jpeg|gif|webp|avif)$/.test(type) ? type : 'application/octet-stream'
  const content = await new Response(await file.read()).arrayBuffer()
  return URL.createObjectURL(new Blob([content], { type: safe }))
}
