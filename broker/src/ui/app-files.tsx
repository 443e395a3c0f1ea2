import { removeAppFiles } from '@deputy/contract/api-files'
import { appKeysOf, type AppKeys } from '@deputy/seal'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { AppFile } from '../account-files/files.ts'
import { saveStream } from '../account-files/save.ts'
import { zipOf } from '../account-files/zip.ts'
import { useAccount, useTelling } from './account-context.ts'
import { useSpeech } from './speech-context.ts'
import { SureButton } from './sure-button.tsx'

const rowsAtOnce = 100

type Shown = { readonly state: 'opening' | 'locked' | 'failed' } | { readonly state: 'open'; readonly keys: AppKeys; readonly files: readonly AppFile[] }

interface Packing {
  readonly bytes: number
  readonly files: number
}

/** One app's files with their names, opened in this window; each or all of them can be downloaded and deleted. */
export const AppFiles = ({ app, host }: { readonly app: string; readonly host: string }) => {
  const { text, formats } = useSpeech()
  const { call, say, changed, files: reading, ownKeys, version } = useAccount()
  const tell = useTelling()
  const [shown, setShown] = useState<Shown>({ state: 'opening' })
  const [packing, setPacking] = useState<Packing | null>(null)
  const [rows, setRows] = useState(rowsAtOnce)
  const packingRef = useRef<AbortController>(null)
  const words = text.accountFiles

  useLayoutEffect(() => {
    let ended = false
    const show = async (): Promise<Shown> => {
      const held = await ownKeys.current()
      if (held === null) return { state: 'locked' }
      const keys = await appKeysOf(held, app)
      const listed = await reading.list(app, keys)
      return typeof listed === 'string' ? { state: listed } : { state: 'open', keys, files: listed }
    }
    const read = async (): Promise<void> => {
      const next = await show().catch((): Shown => ({ state: 'failed' }))
      if (!ended) setShown(next)
    }
    void read()
    return () => {
      ended = true
    }
    // Anew whenever something changed.
  }, [app, reading, ownKeys, version])
  useLayoutEffect(() => () => packingRef.current?.abort(), [])

  const unlock = async (): Promise<void> => {
    if ((await ownKeys.unlock()) !== null) changed()
  }
  const save = async (work: () => Promise<boolean>, signal?: AbortSignal): Promise<void> => {
    try {
      if (await work()) say(words.done.saved, 'calm')
    } catch {
      if (signal?.aborted !== true) say(words.done.notSaved, 'warning')
    }
  }
  const remove = async (name: string): Promise<void> => {
    tell(await call(removeAppFiles, { app, name }), words.done.deleted)
  }

  if (shown.state !== 'open')
    return (
      <div class="app-files">
        <p class="soft" role="status">
          {shown.state === 'opening' ? words.opening : shown.state === 'locked' ? words.locked : words.failed}
        </p>
        {shown.state === 'locked' && (
          <button type="button" class="button primary" onClick={() => void unlock()}>
            {words.unlock}
          </button>
        )}
      </div>
    )

  const { keys, files } = shown
  const opened = files.filter(({ entry }) => entry !== null)
  const all = opened.reduce((sum, { entry }) => sum + (entry?.size ?? 0), 0)
  const saveOne = (file: AppFile): Promise<void> =>
    save(async () => {
      if (file.entry === null) return false
      const handle = await reading.open(keys, file)
      const name = file.entry.path.split('/').at(-1) ?? file.entry.path
      return saveStream(name, handle.size, 'application/octet-stream', () => handle.read(0, handle.size))
    })
  const saveAll = async (): Promise<void> => {
    const ending = new AbortController()
    packingRef.current = ending
    setPacking({ bytes: 0, files: 0 })
    const pack = () =>
      zipOf({
        files: opened,
        open: file => reading.open(keys, file),
        progress: (bytes, done) => setPacking({ bytes, files: done }),
        signal: ending.signal,
      })
    await save(() => saveStream(`${words.archive(host).replaceAll(':', ' ')}.zip`, all, 'application/zip', pack), ending.signal)
    setPacking(null)
  }

  return (
    <div class="app-files">
      {opened.length < files.length && <p class="caution-line">{words.unread(formats, files.length - opened.length)}</p>}
      {packing === null ? (
        opened.length > 0 && (
          <div class="inline">
            <button type="button" class="button plain" onClick={() => void saveAll()}>
              {words.downloadAll}
            </button>
          </div>
        )
      ) : (
        <div class="packing">
          <progress aria-label={words.packingLabel} max={Math.max(1, all)} value={packing.bytes} />
          <span class="soft">{words.packing(formats, packing.files, opened.length)}</span>
          <button type="button" class="button plain" onClick={() => packingRef.current?.abort()}>
            {words.stop}
          </button>
        </div>
      )}
      <ul class="entries">
        {files.slice(0, rows).map(file => {
          const { row, entry } = file
          const path = entry?.path ?? words.unopened
          return (
            <li key={row.name} class="entry">
              <div class="entry-text">
                <bdi class="entry-title">{path}</bdi>
                <span class="soft">
                  {formats.bytes(entry?.size ?? row.size)} · {formats.ago(row.updatedAt)}
                </span>
              </div>
              <div class="inline">
                {entry !== null && (
                  <button type="button" class="button quiet" aria-label={words.downloadOf(path)} onClick={() => void saveOne(file)}>
                    {words.download}
                  </button>
                )}
                <SureButton label={words.deleteOf(path)} question={words.deleteSure} sure={words.delete} run={() => remove(row.name)}>
                  {words.delete}
                </SureButton>
              </div>
            </li>
          )
        })}
      </ul>
      {files.length > rows && (
        <button type="button" class="button plain" onClick={() => setRows(rows + rowsAtOnce)}>
          {words.more(formats, files.length - rows)}
        </button>
      )}
    </div>
  )
}
