import { ok } from './answers.ts'
import { surfaceRect, radii } from './overlay.ts'
import type { Refusal } from './refusals.ts'
import {
  boolean,
  call,
  either,
  list,
  nothing,
  nullable,
  number,
  object,
  oneOf,
  optional,
  port,
  promise,
  string,
  unchecked,
  type Fail,
  type Received,
} from './shape.ts'

/** Why a packages call is refused. A decline by the person is no refusal. */
export const packagesErrorCodes = ['invalid', 'not-installed', 'unaddressable', 'timeout', 'unavailable', 'denied'] as const
export type PackagesErrorCode = (typeof packagesErrorCodes)[number]
export type PackagesFail = Fail<PackagesErrorCode>

/** Every refusal of `packages`. */
export const packagesRefusals = {
  badQuery: { code: 'invalid', message: 'packages: the query is malformed' },
  badUri: { code: 'invalid', message: 'packages: the uri does not name a package' },
  badVersion: { code: 'invalid', message: 'packages: the version is not an exact version' },
  denied: { code: 'denied', message: 'packages: the app may not do this' },
  needsConsent: { code: 'denied', message: 'packages: the person did not allow it' },
  notInstalled: { code: 'not-installed', message: 'packages: the package is not installed' },
  timeout: { code: 'timeout', message: 'packages: the package did not answer in time' },
  unaddressable: { code: 'unaddressable', message: 'packages: the package has no address to mount' },
  unavailable: { code: 'unavailable', message: 'packages: the registry is unavailable' },
} as const satisfies Record<string, Refusal<PackagesErrorCode>>

const name = /* @__PURE__ */ string({ max: 256 })
const uri = /* @__PURE__ */ string({ max: 2048 })
const text = /* @__PURE__ */ string({ max: 1024 })
const version = /* @__PURE__ */ nullable(/* @__PURE__ */ string({ max: 256 }))
const registry = /* @__PURE__ */ oneOf('registry')

export const packageQuery = /* @__PURE__ */ object({
  id: /* @__PURE__ */ optional(name),
  origin: /* @__PURE__ */ optional(registry),
  // Any number is answered: the count is clamped, never refused.
  size: /* @__PURE__ */ optional(/* @__PURE__ */ unchecked(/* @__PURE__ */ number())),
  text: /* @__PURE__ */ optional(text),
  type: name,
})
/** `type` becomes the keyword `svc-type:<type>`, `id` the keyword `svc-<type>--<id>`. */
export interface PackageQuery {
  readonly id?: string
  readonly origin?: 'registry'
  readonly size?: number
  readonly text?: string
  readonly type: string
}

export const packageResult = /* @__PURE__ */ object({
  description: /* @__PURE__ */ string(),
  downloadsMonthly: /* @__PURE__ */ nullable(/* @__PURE__ */ number()),
  installed: boolean,
  keywords: /* @__PURE__ */ list(/* @__PURE__ */ string({ max: 1024 }), { max: 1000 }),
  links: /* @__PURE__ */ object({
    homepage: /* @__PURE__ */ optional(uri),
    registry: /* @__PURE__ */ optional(uri),
    repository: /* @__PURE__ */ optional(uri),
  }),
  name,
  origin: registry,
  publisher: /* @__PURE__ */ nullable(name),
  uri,
  version: /* @__PURE__ */ string({ max: 256 }),
})
export type PackageResult = Received<typeof packageResult>

/** `appId` is absent until a verified resolve ran; `version` is `null` when the handler addresses code directly. */
export const installedPackage = /* @__PURE__ */ object({
  appId: /* @__PURE__ */ optional(/* @__PURE__ */ string({ max: 512 })),
  installedAt: /* @__PURE__ */ number(),
  name,
  uri,
  version,
})
export type InstalledPackage = Received<typeof installedPackage>

export const installOptions = /* @__PURE__ */ object({
  latest: /* @__PURE__ */ optional(boolean),
  noConfirm: /* @__PURE__ */ optional(boolean),
  version: /* @__PURE__ */ optional(/* @__PURE__ */ string({ max: 256 })),
})
export type InstallOptions = Received<typeof installOptions>

/** `title` is the app's own words, rendered as text. */
export const pickOptions = /* @__PURE__ */ object({ multiple: /* @__PURE__ */ optional(boolean), title: /* @__PURE__ */ optional(text) })
export type PickOptions = Received<typeof pickOptions>

/** `path` is an absolute inner route; `protocol` an opaque tag delivered to the package. */
export const connectOptions = /* @__PURE__ */ object({ path: /* @__PURE__ */ optional(uri), protocol: /* @__PURE__ */ optional(name) })
export type ConnectOptions = Received<typeof connectOptions>

/** Where and as whom a package is mounted; a message to its frame is addressed to `origin`. */
export const mountDescriptor = /* @__PURE__ */ object({ from: /* @__PURE__ */ string({ max: 512 }), name, origin: uri, uri, url: uri, version })
export type MountDescriptor = Received<typeof mountDescriptor>

/** Where the package's frame sits, and the part of it still visible. */
export const placement = /* @__PURE__ */ object({ clip: /* @__PURE__ */ optional(surfaceRect), radius: /* @__PURE__ */ optional(radii), rect: surfaceRect })
export type Placement = Received<typeof placement>

const declined = /* @__PURE__ */ object({ declined: /* @__PURE__ */ oneOf(true) })
const codes = { codes: packagesErrorCodes } as const
const person = { codes: packagesErrorCodes, deadline: Infinity } as const

/** Search, pick, install, list, connect to and mount third-party packages in their own frames. */
export const packages = {
  search: /* @__PURE__ */ call([packageQuery], /* @__PURE__ */ object({ results: /* @__PURE__ */ list(packageResult, { max: 100 }) }), codes),
  pick: /* @__PURE__ */ call(
    [packageQuery, /* @__PURE__ */ optional(pickOptions)],
    /* @__PURE__ */ either(
      /* @__PURE__ */ object({ failed: /* @__PURE__ */ list(uri, { max: 100 }), results: /* @__PURE__ */ list(packageResult, { max: 100 }) }),
      declined,
    ),
    person,
  ),
  install: /* @__PURE__ */ call(
    [uri, /* @__PURE__ */ optional(installOptions)],
    /* @__PURE__ */ either(/* @__PURE__ */ object({ installed: installedPackage }), declined),
    person,
  ),
  list: /* @__PURE__ */ call([], /* @__PURE__ */ object({ results: /* @__PURE__ */ list(installedPackage) })),
  uninstall: /* @__PURE__ */ call([uri], ok, codes),
  connect: /* @__PURE__ */ call([uri, /* @__PURE__ */ optional(connectOptions)], /* @__PURE__ */ object({ closed: /* @__PURE__ */ promise(nothing), port }), {
    codes: packagesErrorCodes,
    deadline: 60_000,
  }),
  frame: /* @__PURE__ */ call([uri], mountDescriptor, codes),
  show: /* @__PURE__ */ call([uri, placement], ok, codes),
  hide: /* @__PURE__ */ call([uri], ok, codes),
}
