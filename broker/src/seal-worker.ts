import { sendPart } from './transfer/send-part.ts'
import { incoming } from './transfer/incoming.ts'
import { upload } from './transfer/upload.ts'
import type { FromFrame, FromWorker, UploadStart } from './transfer/upload-wire.ts'

/** The worker that seals and uploads, so that the frame stays free for the person. Each upload has a port of its own. */
function serve({ order, port }: UploadStart): void {
  const tell = (message: FromWorker): void => port.postMessage(message)
  const over = new AbortController()
  const asked: ((token: string | null) => void)[] = []
  const stream = incoming(bytes => tell({ type: 'taken', bytes }))

  port.onmessage = ({ data }: MessageEvent<FromFrame>) => {
    if (data.type === 'token') asked.shift()?.(data.token)
    else if (data.type === 'chunk') stream.push(data.chunk)
    else if (data.type === 'end') stream.end()
    else {
      stream.fail()
      if (data.type === 'stop') over.abort()
    }
  }
  const token = (): Promise<string | null> =>
    new Promise(resolve => {
      asked.push(resolve)
      tell({ type: 'token' })
    })
  const onProgress = (loaded: number): void => tell({ type: 'progress', loaded })
  const source = order.blob ?? stream.readable

  void upload(order, { source, token, send: sendPart, onProgress, signal: over.signal }).then(why =>
    tell(why === null ? { type: 'landed' } : { type: 'failed', why }),
  )
}

globalThis.addEventListener('message', ({ data }: MessageEvent<UploadStart>) => serve(data))
