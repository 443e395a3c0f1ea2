import type { RouteAnswer } from '@deputy/contract/api'
import type { listFileApps } from '@deputy/contract/api-files'
import { appKeysOf } from '@deputy/seal'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { resealAll, type ResealProgress } from '../account-files/reseal-all.ts'
import { useAccount } from './account-context.ts'
import { useSpeech } from './speech-context.ts'

/** How many files are still under an older key, and sealing them all again now. */
export const Resealing = ({ apps }: { readonly apps: RouteAnswer<typeof listFileApps>['apps'] }) => {
  const { text, formats } = useSpeech()
  const { files, ownKeys, say, changed } = useAccount()
  const [progress, setProgress] = useState<ResealProgress | null>(null)
  const endingRef = useRef<AbortController>(null)
  useLayoutEffect(() => () => endingRef.current?.abort(), [])
  const words = text.accountFiles.again
  const left = apps.reduce((sum, { oldEpoch }) => sum + oldEpoch, 0)
  if (left === 0 && progress === null) return null

  const seal = async (): Promise<void> => {
    const held = await ownKeys.unlock()
    if (held === null) return say(words.locked, 'warning')
    const ending = new AbortController()
    endingRef.current = ending
    setProgress({ done: 0, files: left, doneBytes: 0, bytes: 0 })
    const { kind, broken, noRoom } = await resealAll({
      apps: apps.filter(({ oldEpoch }) => oldEpoch > 0).map(({ app }) => app),
      keysOf: app => appKeysOf(held, app),
      list: files.list,
      reseal: files.reseal,
      onProgress: setProgress,
      signal: ending.signal,
    }).catch(() => ({ kind: 'failed', broken: 0, noRoom: 0 }) as const)
    setProgress(null)
    changed()
    const kept = [broken > 0 ? words.broken(formats, broken) : '', noRoom > 0 ? words.noRoom(formats, noRoom) : ''].filter(line => line !== '')
    const line = { done: words.done, stopped: words.stopped, stale: words.keysChanged, failed: words.failed }[kind]
    if (kind === 'done' && kept.length > 0) say(kept.join(' '), 'warning')
    else say([line, ...kept].join(' '), kind === 'stale' || kind === 'failed' ? 'warning' : 'calm')
  }
  return (
    <div class="stack tight resealing">
      <p class="caution-line">{words.left(formats, progress === null ? left : progress.files - progress.done)}</p>
      <p class="soft">{words.text}</p>
      {progress === null ? (
        <div class="inline">
          <button type="button" class="button plain" onClick={() => void seal()}>
            {words.go}
          </button>
        </div>
      ) : (
        <div class="packing">
          <progress aria-label={words.label} max={Math.max(1, progress.bytes)} value={progress.doneBytes} />
          <span class="soft">{text.accountFiles.packing(formats, progress.done, progress.files)}</span>
          <button type="button" class="button plain" onClick={() => endingRef.current?.abort()}>
            {words.stop}
          </button>
        </div>
      )}
    </div>
  )
}
