import { configure } from '@deputy/client'
import { render } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { demos } from './demos.ts'
import { HomePage } from './home.tsx'
import './style.css'

configure({ broker: BROKER_ORIGIN })

const fragmentNow = () => location.hash.slice(1)

function App() {
  const [fragment, setFragment] = useState(fragmentNow)
  useEffect(() => {
    const follow = () => setFragment(fragmentNow())
    addEventListener('hashchange', follow)
    return () => removeEventListener('hashchange', follow)
  }, [])
  const shown = demos.find(({ path }) => path === location.pathname)
  return (
    <>
      <header class="masthead">
        <a class="brand" href="/">
          <img src="/icon.svg" alt="" width="32" height="32" />
          <span>
            Deputy <small>playground</small>
          </span>
        </a>
        <nav aria-label="Demos">
          {demos.map(({ path, title }) => (
            <a key={path} href={path} aria-current={path === shown?.path ? 'page' : undefined}>
              {title}
            </a>
          ))}
        </nav>
      </header>
      <main>
        <h1>{shown?.title ?? 'What a page can do without a backend'}</h1>
        {shown === undefined ? <HomePage /> : <shown.page fragment={fragment} />}
      </main>
      <footer class="foot">
        This page has no backend. Its origin is <code>{location.origin}</code>; its broker is <code>{BROKER_ORIGIN}</code>.
      </footer>
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
