import type { FileToSeal } from '@deputy/seal'

/** What the frame and the sealing worker tell each other about one upload, over a port of its own. */

/** What to upload: the sealed parts of an object, or of a file. */
export interface UploadOrder {
  /** Where part `n` goes: this url, a slash and `n`. */
  readonly parts: string
  /** Bytes of the data itself. */
  readonly size: number
  readonly content:
    | { readonly kind: 'object'; readonly id: string; readonly key: string; readonly recordsPerPart: number }
    | { readonly kind: 'file'; readonly file: FileToSeal; readonly partBytes: number }
  /** Null when the bytes come over the port. */
  readonly blob: Blob | null
}

/** Why an upload ended without all its parts. */
export type UploadFailure =
  /** The source did not deliver exactly its size. */
  | 'short-stream'
  /** The service does not know the session. */
  | 'unauthorized'
  /** The service does not take the parts: the reservation is gone. */
  | 'gone'
  /** Nobody took a part, retries included. */
  | 'unavailable'

/** Worker to frame. */
export type FromWorker =
  /** Asks for the token to send the next part with. */
  | { readonly type: 'token' }
  /** Bytes of the file itself that have left. */
  | { readonly type: 'progress'; readonly loaded: number }
  /** That many bytes of the stream were taken: as many more may be sent. */
  | { readonly type: 'taken'; readonly bytes: number }
  | { readonly type: 'landed' }
  | { readonly type: 'failed'; readonly why: UploadFailure }

/** Frame to worker. */
export type FromFrame =
  | { readonly type: 'token'; readonly token: string | null }
  | { readonly type: 'chunk'; readonly chunk: Uint8Array<ArrayBuffer> }
  | { readonly type: 'end' }
  /** The source broke. */
  | { readonly type: 'broke' }
  /** The upload is over, whatever of it still runs. */
  | { readonly type: 'stop' }

/** The first message of an upload: the order, with the port of the upload transferred. */
export interface UploadStart {
  readonly order: UploadOrder
  readonly port: MessagePort
}

/** Bytes of a stream that may be on their way to the worker. */
export const streamWindow = 4 * 2 ** 20
