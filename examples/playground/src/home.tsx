import { useCallback, useState } from 'preact/hooks'
import { Library } from './library.tsx'
import { Session, useSession } from './session.tsx'
import { Share } from './share.tsx'

/** The demos of a signed-in person, each under the one it builds on. */
export function Home() {
  const session = useSession()
  const [version, setVersion] = useState(0)
  const stored = useCallback(() => setVersion(count => count + 1), [])
  const ready = session.status === 'signed-in'
  return (
    <>
      <Session {...session} />
      <Share enabled={ready} onStored={stored} />
      <Library enabled={ready} version={version} />
    </>
  )
}
