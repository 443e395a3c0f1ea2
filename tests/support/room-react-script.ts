/** A page of an app made with React, in strict mode: one component with a seat in the room that the url names. Bundled for the browser by tests. */
import { configure } from '@deputy/client'
import { useRoom } from '@deputy/client/react'
import { open } from '@deputy/client/rooms'
import { createElement, StrictMode, useState } from 'react'
import { createRoot } from 'react-dom/client'

const query = new URLSearchParams(location.search)
const key = query.get('key') ?? ''
configure({ broker: query.get('broker') ?? '' })
/** How often a seat was asked for. */
const entered = { count: 0 }
Object.assign(globalThis, { entered })

function Chat({ name }: { readonly name: string }) {
  const { status, room, messages, members, end, error } = useRoom(name, signal => {
    entered.count += 1
    return open(name, { key, signal })
  })
  return createElement(
    'section',
    {},
    createElement('output', { id: 'status' }, end ?? error?.message ?? status),
    createElement('output', { id: 'self' }, room?.self.id),
    createElement('output', { id: 'members' }, members.length),
    createElement(
      'ol',
      {},
      messages.map(({ seq, text }) => createElement('li', { key: seq }, text)),
    ),
    createElement('button', { id: 'say', disabled: room === null, onClick: () => void room?.send(`from ${name}`) }, 'Say'),
  )
}

function Page() {
  const [name, setName] = useState<string | null>('one')
  const button = (to: string | null) => createElement('button', { id: `to-${to}`, onClick: () => setName(to) }, `${to}`)
  return createElement('main', {}, button('one'), button('two'), button(null), name !== null && createElement(Chat, { name }))
}

createRoot(document.getElementById('root')!).render(createElement(StrictMode, {}, createElement(Page)))
