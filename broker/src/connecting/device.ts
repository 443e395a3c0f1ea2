interface Brands {
  readonly brands?: readonly { readonly brand: string }[]
  readonly platform?: string
}

const browsers: readonly (readonly [RegExp, string])[] = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\//, 'Firefox'],
  [/Chrom(e|ium)\//, 'Chromium'],
  [/Safari\//, 'Safari'],
]
const systems: readonly (readonly [RegExp, string])[] = [
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/CrOS/, 'ChromeOS'],
  [/Linux/, 'Linux'],
]
const pick = (table: typeof browsers, text: string): string | undefined => table.find(([pattern]) => pattern.test(text))?.[1]

/** What names this browser in the person's list of sessions, e.g. `Chrome on Linux`. */
export function deviceName(agent = navigator.userAgent, hints = (navigator as { userAgentData?: Brands }).userAgentData): string {
  const brand = hints?.brands?.map(({ brand }) => brand).find(name => !/not|chromium/i.test(name))
  const browser = brand ?? pick(browsers, agent) ?? 'Browser'
  const system = hints?.platform || pick(systems, agent)
  return (system === undefined ? browser : `${browser} on ${system}`).slice(0, 100)
}
