/** Answers a request on a subject. */
export type Responder = (message: unknown) => Promise<unknown>

/**
 * Carries messages between the parts of the server, and later between its processes. Messages are structured-clone data. A
 * message published while nobody listens is lost; nothing may rest on it alone.
 */
export interface Bus {
  /** Hands the message to every subscriber of the subject, in the order of publishing. Resolves once it is on its way. */
  publish(subject: string, message: unknown): Promise<void>
  /** Calls the listener with every message of the subject until the answer is called. */
  subscribe(subject: string, listener: (message: unknown) => void): () => void
  /** Answers requests on the subject until the answer is called; one responder at a time. */
  respond(subject: string, responder: Responder): () => void
  /** Asks the responder of the subject. @throws when there is none or it failed. */
  request(subject: string, message: unknown): Promise<unknown>
  /** Nothing is delivered after it. */
  close(): Promise<void>
}
