/** What a permission is about; the four of the consent card, and embedding. */
export type PermissionCategory = 'embed' | 'network' | 'interaction' | 'storage' | 'evaluation'
/** 0 never prompts, 1 and 2 are asked in their category's row, 3 in a row with a warning, 4 (critical) in a row of their own key. */
export type PermissionSeverity = 0 | 1 | 2 | 3 | 4

/** One permission: what it is called, what it is about and how it is asked. `unsafe` marks what can act as the person. */
export interface PermissionDescriptor<Scope extends string = string> {
  readonly scope: Scope
  readonly category: PermissionCategory
  readonly severity: PermissionSeverity
  readonly title: string
  readonly description: string
  readonly unsafe?: true
}

const row = <const S extends string>(
  scope: S,
  category: PermissionCategory,
  severity: PermissionSeverity,
  title: string,
  description: string,
  unsafe?: 'unsafe',
): PermissionDescriptor<S> => ({ scope, category, severity, title, description, ...(unsafe === undefined ? {} : { unsafe: true }) })

/** The permissions of the contract, one row each. */
export const permissionDescriptors = /* @__PURE__ */ (() =>
  [
    row('embed.iframe', 'embed', 0, 'Load another website inside this app', 'The app shows the site in a frame of its own page. It cannot read what is on it.'),
    row('embed.open', 'embed', 0, 'Open a website inside this app', 'The app opens the site in a window of its own. It cannot read what is on it.'),
    row('network.fetch', 'network', 0, 'Fetch data from other sites', 'The app loads public data of other sites, without being signed in there.'),
    row(
      'network.fetchCredentialed',
      'network',
      3,
      'Fetch from other sites, signed in as you',
      'The app loads and changes data of the site with your sign-in there, as if you did.',
      'unsafe',
    ),
    row(
      'network.fetchLocal',
      'network',
      3,
      'Access devices on your local network',
      'The app talks to routers, printers, cameras and other devices in your home or office.',
      'unsafe',
    ),
    row(
      'network.modifyRequestHeaders',
      'network',
      2,
      'Rewrite request headers to other sites',
      'The app changes what your browser tells the site about where a request comes from.',
      'unsafe',
    ),
    row(
      'network.readCookie',
      'network',
      3,
      "Read a site's cookie",
      'The app reads a cookie of the site. With some cookies one can act as you there.',
      'unsafe',
    ),
    row('frame.read', 'interaction', 0, 'Read the page it shows', 'The app reads text and state of the embedded page.'),
    row('frame.click', 'interaction', 1, 'Click on the page it shows', 'The app presses buttons and follows links of the embedded page.'),
    row('frame.fill', 'interaction', 1, 'Fill in forms of the page it shows', 'The app writes into the fields of the embedded page.'),
    row('frame.hover', 'interaction', 1, 'Point at the page it shows', 'The app moves the pointer over the embedded page.'),
    row('frame.press', 'interaction', 1, 'Press keys on the page it shows', 'The app sends key presses to the embedded page.'),
    row('frame.storage', 'storage', 2, 'Use the storage of the page it shows', 'The app reads and changes what the embedded page keeps in your browser.'),
    row('frame.fetch', 'network', 2, 'Fetch as the page it shows', 'The app sends requests from within the embedded page.'),
    row(
      'frame.evaluate',
      'evaluation',
      4,
      'Run its own code in the page it shows',
      'The app can do anything in the embedded page that the page itself can do.',
    ),
    row(
      'frame.cookies',
      'storage',
      4,
      'Read and change cookies of the page it shows',
      'The app reads and changes the cookies of the embedded page, its sign-in included.',
    ),
    row('net.tcp', 'network', 2, 'Connect to servers', 'The app opens connections to servers on the internet through the tunnel.'),
    row('net.udp', 'network', 2, 'Exchange packets with servers', 'The app sends and receives datagrams on the internet through the tunnel.'),
    row('net.listen', 'network', 2, 'Accept connections', 'The app accepts connections from the internet through the tunnel.'),
    row('net.lan', 'network', 3, 'Connect to your local network', 'The app connects to devices in the network of the tunnel node it uses.', 'unsafe'),
  ] as const)()

/** A permission of the contract. */
export type PermissionScope = (typeof permissionDescriptors)[number]['scope']

/** Permissions by scope. */
export interface PermissionRegistry {
  readonly descriptors: readonly PermissionDescriptor[]
  get(scope: string): PermissionDescriptor | undefined
  /** The permissions a category row asks for: all of the category but the critical ones. */
  inCategory(category: string): readonly PermissionDescriptor[]
  /** Whether the registry has the key at severity 4, so that it can be asked for by a key row. */
  isCritical(scope: string): boolean
  /** A registry with more rows. @throws when a scope is there already, so that no row can be replaced. */
  with(more: readonly PermissionDescriptor[]): PermissionRegistry
}

/** Makes a registry of these rows. @throws when a scope stands twice. */
export function permissionRegistry(descriptors: readonly PermissionDescriptor[]): PermissionRegistry {
  const byScope = new Map(descriptors.map(descriptor => [descriptor.scope, descriptor]))
  if (byScope.size !== descriptors.length) throw new Error('permissions: a scope stands twice')
  return {
    descriptors,
    get: scope => byScope.get(scope),
    inCategory: category => descriptors.filter(descriptor => descriptor.category === category && descriptor.severity < 4),
    isCritical: scope => byScope.get(scope)?.severity === 4,
    with: more => permissionRegistry([...descriptors, ...more]),
  }
}

/** The registry every broker starts from. */
export const permissions = /* @__PURE__ */ permissionRegistry(permissionDescriptors)
