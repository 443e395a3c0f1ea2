import { configure } from '@deputy/client'
import { render } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Home } from './home.tsx'
import { Viewer } from './viewer.tsx'
import './style.css'

configure({ broker: BROKER_ORIGIN })

const fragment = () => location.hash.slice(1)

function App() {
  const [link, setLink] = useState(fragment)
  useEffect(() => {
    const follow = () => setLink(fragment())
    addEventListener('hashchange', follow)
    return () => removeEventListener('hashchange', follow)
  }, [])
  return (
    <>
      <header class="masthead">
        <a class="brand" href="/">
          <img src="/icon.svg" alt="" width="32" height="32" />
          <span>
            Deputy <small>playground</small>
          </span>
        </a>
        <p>
          This page has no backend. Its origin is <code>{location.origin}</code>; its broker is <code>{BROKER_ORIGIN}</code>.
        </p>
      </header>
      <main>{link === '' ? <Home /> : <Viewer key={link} fragment={link} />}</main>
    </>
  )
}

async function start() {
  // Without a service worker everything works but seeking in a video.
  await navigator.serviceWorker?.register('/sw.js', { type: 'module' }).then(
    () => navigator.serviceWorker.ready,
    () => undefined,
  )
  render(<App />, document.getElementById('app')!)
}
void start()
