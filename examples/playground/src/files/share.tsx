import { useRef, useState } from 'preact/hooks'
import { Demo, Problem } from '../kit/demo.tsx'
import { bytes } from '../kit/format.ts'
import { share } from './share-code.ts'
import code from 'raw:./share-code.ts'

interface Upload {
  readonly file: File
  readonly share: number
  readonly link: string | null
}

export function Share({ enabled, onStored }: { readonly enabled: boolean; readonly onStored: () => void }) {
  const [upload, setUpload] = useState<Upload | null>(null)
  const [error, setError] = useState<unknown>(null)
  const [over, setOver] = useState(false)
  const runningRef = useRef<AbortController | null>(null)

  const start = async (file: File | undefined) => {
    if (file === undefined || !enabled) return
    runningRef.current?.abort()
    const controller = new AbortController()
    runningRef.current = controller
    setError(null)
    setUpload({ file, share: 0, link: null })
    try {
      const link = await share(file, done => setUpload({ file, share: done, link: null }), controller.signal)
      setUpload({ file, share: 1, link })
      onStored()
    } catch (caught) {
      setUpload(null)
      if (!controller.signal.aborted) setError(caught)
    }
  }

  return (
    <Demo
      title="Share a photo or a video by link"
      lead="The file is sealed in the browser before a byte leaves it. The key stands behind the # of the link, which browsers never send."
      code={code}
    >
      <label class={`drop${over ? ' over' : ''}${enabled ? '' : ' off'}`}>
        <input
          type="file"
          aria-label="File to share"
          disabled={!enabled}
          onChange={event => void start(event.currentTarget.files?.[0])}
          onDragOver={event => {
            event.preventDefault()
            setOver(true)
          }}
          onDragLeave={() => setOver(false)}
          onDrop={event => {
            event.preventDefault()
            setOver(false)
            void start(event.dataTransfer?.files[0])
          }}
        />
        <span>{enabled ? 'Drop a file here, or choose one' : 'Sign in first'}</span>
      </label>
      {upload === null ? null : (
        <div class="upload">
          <p>
            <strong>{upload.file.name}</strong> · {bytes(upload.file.size)}
          </p>
          {upload.link === null ? (
            <div class="row">
              <progress max={1} value={upload.share} aria-label={`Sealing and uploading ${upload.file.name}`} />
              <span class="figure">{Math.floor(upload.share * 100)} %</span>
              <button onClick={() => runningRef.current?.abort()}>Cancel</button>
            </div>
          ) : (
            <Link link={upload.link} />
          )}
        </div>
      )}
      <Problem error={error} />
    </Demo>
  )
}

function Link({ link }: { readonly link: string }) {
  const [copied, setCopied] = useState(false)
  const copy = async () => {
    await navigator.clipboard.writeText(link)
    setCopied(true)
  }
  return (
    <div class="row link">
      <a href={link} target="_blank" rel="noopener">
        {link}
      </a>
      <button class="primary" onClick={() => void copy()}>
        {copied ? 'Copied' : 'Copy link'}
      </button>
    </div>
  )
}
