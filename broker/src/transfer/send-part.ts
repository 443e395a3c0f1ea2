/** How sending a part ended; `again` means that sending the same bytes once more may help. */
export type Sent = 'landed' | 'unauthorized' | 'gone' | 'again'

/** Sends the sealed bytes of one part. Never throws. */
export type SendPart = (
  url: string,
  bytes: Uint8Array<ArrayBuffer>,
  token: string,
  rules: { readonly signal: AbortSignal; readonly onSent: (bytes: number) => void },
) => Promise<Sent>

// A part that makes no headway for so long is sent anew.
const stallMs = 60_000

/** Sends by XMLHttpRequest, the one way in which the browser tells how much has left. */
export const sendPart: SendPart = (url, bytes, token, { signal, onSent }) =>
  new Promise(resolve => {
    const request = new XMLHttpRequest()
    let stalled = setTimeout(() => request.abort(), stallMs)
    const headway = (): void => {
      clearTimeout(stalled)
      stalled = setTimeout(() => request.abort(), stallMs)
    }
    const stop = (): void => request.abort()
    request.upload.onprogress = event => {
      headway()
      onSent(event.loaded)
    }
    request.onloadend = () => {
      clearTimeout(stalled)
      signal.removeEventListener('abort', stop)
      resolve(meaning(request.status))
    }
    signal.addEventListener('abort', stop)
    request.open('PUT', url)
    request.setRequestHeader('authorization', `Bearer ${token}`)
    request.setRequestHeader('content-type', 'application/octet-stream')
    if (signal.aborted) stop()
    else request.send(bytes)
  })

/** What a status says; 0 is a connection that failed. */
export function meaning(status: number): Sent {
  if (status >= 200 && status < 300) return 'landed'
  if (status === 401) return 'unauthorized'
  // Too many requests, a timeout, a server or a proxy in trouble: all of them pass.
  if (status === 0 || status === 408 || status === 429 || status >= 500) return 'again'
  return 'gone'
}
