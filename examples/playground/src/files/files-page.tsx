import { useCallback, useState } from 'preact/hooks'
import { Session, useSession } from '../account/session.tsx'
import { Library } from './library.tsx'
import { Share } from './share.tsx'
import { Viewer } from './viewer.tsx'

/** Files shared by link: a link's file, or the sharing itself for who is signed in. */
export function FilesPage({ fragment }: { readonly fragment: string }) {
  return fragment === '' ? <Sharing /> : <Viewer key={fragment} fragment={fragment} />
}

function Sharing() {
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
