import { useCallback, useEffect, useRef, useState } from 'react'
import * as accounts from './account.ts'
import type { Account } from './account.ts'
import * as storage from './storage.ts'
import type { StorageProgress } from './storage.ts'

export { useFile, useStored, type FileView, type KeptView, type StoredView } from './use-files.ts'
export { useRoom, type EnterRoom, type RoomView } from './use-room.ts'

/** The account as a component sees it. `unknown` means the broker could not be asked, which is not the same as signed out. */
export interface AccountView {
  readonly status: 'loading' | 'signed-in' | 'signed-out' | 'unknown'
  readonly account: Account | null
  login(): Promise<boolean>
  logout(): Promise<void>
}

/** The signed-in account, kept current while the component is mounted. */
export function useAccount(): AccountView {
  const [view, setView] = useState<Pick<AccountView, 'status' | 'account'>>({ status: 'loading', account: null })
  useEffect(() => {
    let mounted = true
    const refresh = async () => {
      const next = await accounts.info().then(
        account => ({ status: account === null ? ('signed-out' as const) : ('signed-in' as const), account }),
        () => ({ status: 'unknown' as const, account: null }),
      )
      if (mounted) setView(next)
    }
    const registration = accounts.onChange(() => void refresh())
    // A broker out of reach shows as `unknown`; the refresh below reports it.
    registration.catch(() => undefined)
    void refresh()
    return () => {
      mounted = false
      void registration.then(off => off()).catch(() => undefined)
    }
  }, [])
  return { ...view, login: accounts.login, logout: accounts.logout }
}

type Stored = Awaited<ReturnType<typeof storage.put>>

/** One upload at a time, with its progress. */
export interface UploadView {
  readonly status: 'idle' | 'uploading' | 'done' | 'failed' | 'cancelled'
  readonly progress: StorageProgress | null
  readonly stored: Stored | null
  readonly error: Error | null
  /** Seals and stores the file; a running upload is cancelled first. */
  upload(file: Blob): Promise<Stored | null>
  cancel(): void
}

const idle: Pick<UploadView, 'status' | 'progress' | 'stored' | 'error'> = { status: 'idle', progress: null, stored: null, error: null }

/** Uploads a file as a sealed object; leaving the page of the component cancels it. */
export function useUpload(): UploadView {
  const [view, setView] = useState(idle)
  const runningRef = useRef<AbortController | null>(null)
  const cancel = useCallback(() => runningRef.current?.abort(), [])
  useEffect(() => cancel, [cancel])
  const upload = useCallback(
    async (file: Blob) => {
      cancel()
      const controller = new AbortController()
      runningRef.current = controller
      const show = (change: Partial<typeof idle>) => {
        if (runningRef.current === controller) setView(view => ({ ...view, ...change }))
      }
      show({ ...idle, status: 'uploading', progress: { loaded: 0, total: file.size } })
      try {
        const stored = await storage.put(file, { signal: controller.signal, onProgress: progress => show({ progress }) })
        show({ status: 'done', stored })
        return stored
      } catch (error) {
        if (controller.signal.aborted) show({ status: 'cancelled' })
        else show({ status: 'failed', error: error instanceof Error ? error : new Error(String(error)) })
        return null
      }
    },
    [cancel],
  )
  return { ...view, upload, cancel }
}
