import { useEffect, useState } from 'preact/hooks'
import { bytes } from '../kit/format.ts'

const everyMs = 500

/** What a socket has sent and received, read while it lives and once more at its end. */
export function Traffic({ of, isLive }: { readonly of: { readonly bytesRead: number; readonly bytesWritten: number } | null; readonly isLive: boolean }) {
  const [, setTurn] = useState(0)
  useEffect(() => {
    if (!isLive) return
    const timer = setInterval(() => setTurn(turn => turn + 1), everyMs)
    return () => clearInterval(timer)
  }, [isLive])
  if (of === null) return null
  return (
    <p class="figures">
      <span>▲ {bytes(of.bytesWritten)} sent</span> <span>▼ {bytes(of.bytesRead)} received</span>
    </p>
  )
}
