declare const BROKER_ORIGIN: string
/** Ports at 127.0.0.1 of somebody to talk to, on a server of this machine alone. */
declare const DEMO_PEER: Readonly<Record<'http' | 'store' | 'discard' | 'chargen' | 'echo', number>> | null
declare module 'raw:*' {
  const text: string
  export default text
}
