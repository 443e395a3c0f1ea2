/** A page of an app made with React, in strict mode: a file of this device and a stored value, each shown and written. Bundled for the browser by tests. */
import { openLocal } from '@deputy/client/opfs'
import { useFile, useStored } from '@deputy/client/react'
import { store } from '@deputy/client/store'
import { createElement, StrictMode, useState } from 'react'
import { createRoot } from 'react-dom/client'

const local = openLocal('react')
/** How often a file was read. */
const reads = { count: 0 }
const files = {
  ...local,
  stat: (path: string) => {
    reads.count += 1
    return local.stat(path)
  },
} as typeof local
const counts = store<number>('counts', files)
Object.assign(globalThis, { local, counts, reads })

function Note({ path }: { readonly path: string }) {
  const { status, value, version, error, write } = useFile(files, path, 'utf8')
  return createElement(
    'section',
    {},
    createElement('output', { id: 'status' }, error?.message ?? status),
    createElement('output', { id: 'text' }, value),
    createElement('button', { id: 'write', onClick: () => void write(`${value ?? ''}+`, { base: version }) }, 'Write'),
  )
}

function Count() {
  const { status, value, set, remove } = useStored(counts, 'one')
  return createElement(
    'section',
    {},
    createElement('output', { id: 'count' }, value ?? status),
    createElement('button', { id: 'add', onClick: () => void set((value ?? 0) + 1) }, 'Add'),
    createElement('button', { id: 'remove', onClick: () => void remove() }, 'Remove'),
  )
}

function Page() {
  const [path, setPath] = useState<string | null>('a.txt')
  const button = (to: string | null) => createElement('button', { id: `to-${to?.at(0)}`, onClick: () => setPath(to) }, `${to}`)
  return createElement(
    'main',
    {},
    button('a.txt'),
    button('b.txt'),
    button('folder'),
    button(null),
    path !== null && createElement(Note, { path }),
    createElement(Count),
  )
}

createRoot(document.getElementById('root')!).render(createElement(StrictMode, {}, createElement(Page)))
