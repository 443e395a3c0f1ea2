/** What a link runs over: any ordered way for structured-clone messages. */
export interface Transport {
  /** Sends a message, moving what `transfer` lists. Throws when the message cannot be cloned. */
  post(message: unknown, transfer: Transferable[]): void
  /** Starts delivery; messages that arrived before are delivered first. A message that could not be read arrives as undefined. */
  listen(receive: (message: unknown) => void): void
  close(): void
}

/** The transport over one end of a `MessageChannel`. */
export const portTransport = (port: MessagePort): Transport => ({
  post: (message, transfer) => port.postMessage(message, transfer),
  listen: receive => {
    port.onmessage = event => receive(event.data)
    port.onmessageerror = () => receive(undefined)
  },
  close: () => {
    port.onmessage = null
    port.onmessageerror = null
    port.close()
  },
})
