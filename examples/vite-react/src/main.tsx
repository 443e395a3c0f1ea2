/** @jsxImportSource react */
import { useAccount, useUpload } from '@deputy/client/react'
import { createRoot } from 'react-dom/client'

function App() {
  const { status, account, login, logout } = useAccount()
  const { status: uploading, progress, stored, error, upload, cancel } = useUpload()
  if (status === 'loading') return <p>Asking the broker…</p>
  if (status === 'unknown') return <p>The broker cannot be reached.</p>
  if (account === null) return <button onClick={() => void login()}>Sign in</button>
  return (
    <main>
      <p>
        Signed in as {account.name}. <button onClick={() => void logout()}>Sign out</button>
      </p>
      <input type="file" aria-label="File to share" onChange={event => event.target.files?.[0] && void upload(event.target.files[0])} />
      {uploading === 'uploading' && progress !== null ? (
        <p>
          <progress max={progress.total} value={progress.loaded} aria-label="Upload" /> <button onClick={cancel}>Cancel</button>
        </p>
      ) : null}
      {stored === null ? null : <p>Stored at {stored.url}</p>}
      {error === null ? null : <p role="alert">{error.message}</p>}
    </main>
  )
}

createRoot(document.getElementById('root')!).render(<App />)
