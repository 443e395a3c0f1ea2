/** Where the library finds its broker. */
export interface Configuration {
  /** Origin of the broker, e.g. `https://broker.example.org`. */
  readonly broker: string
}

const localBroker = 'http://broker.localhost:4400'
let configured: string | undefined
let used = false

/**
 * Names the broker to use, once, before the first call. Without it the page's `<meta name="deputy-broker" content="…">` decides, and
 * without that the local default `http://broker.localhost:4400`.
 * @throws {TypeError} when the value is no http(s) origin. @throws {Error} when another broker is in use already.
 */
export function configure({ broker }: Configuration): void {
  const origin = originOf(broker)
  if (used && origin !== brokerOrigin()) throw new Error(`deputy: the broker ${brokerOrigin()} is in use already; call configure before the first other call`)
  configured = origin
}

/** The origin of the broker in force. */
export function brokerOrigin(): string {
  if (configured !== undefined) return configured
  const named = typeof document === 'undefined' ? undefined : document.querySelector<HTMLMetaElement>('meta[name="deputy-broker"]')?.content
  return originOf(named ?? localBroker)
}

/** Marks the configuration as used, so that a later change is refused rather than ignored. */
export function useBrokerOrigin(): string {
  used = true
  return brokerOrigin()
}

function originOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new TypeError(`deputy: "${text}" is not the origin of a broker, such as https://broker.example.org`)
  return url.origin
}
