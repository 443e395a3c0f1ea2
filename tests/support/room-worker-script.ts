/** A dedicated worker with the client library that takes rooms as they are asked for: with the first import or by a later one. Answers each `{ id, ask }`. */
import * as account from '@deputy/client/account'

export type WorkerAsk =
  | { readonly name: 'room'; readonly room: string; readonly key: string }
  | { readonly name: 'send'; readonly text: string }
  | { readonly name: 'heard'; readonly count: number }
  | { readonly name: 'info' }

const texts: string[] = []
let look = (): void => {}
let send: ((text: string) => Promise<void>) | undefined

async function answer(ask: WorkerAsk): Promise<unknown> {
  if (ask.name === 'info') return (await account.info())?.name ?? null
  if (ask.name === 'send') return send?.(ask.text)
  if (ask.name === 'heard') {
    while (texts.length < ask.count) await new Promise<void>(resolve => (look = resolve))
    return texts
  }
  const rooms = await import('@deputy/client/rooms')
  const room = await rooms.open(ask.room, { key: ask.key })
  await room.on(event => {
    if (event.type !== 'message') return
    texts.push(event.message.text)
    look()
  })
  send = text => room.send(text)
  return { id: room.id, self: room.self.id, members: (await room.members()).length }
}

addEventListener('message', ({ data }: MessageEvent<{ readonly id: number; readonly ask: WorkerAsk }>) => {
  void answer(data.ask)
    .catch(String)
    .then(value => postMessage({ id: data.id, value }))
})
