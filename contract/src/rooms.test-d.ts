import type { Claims, Equal, Fits, Not } from './expect.test-d.ts'
import type { InstalledPackage, MountDescriptor, PackageQuery, PackageResult, packages, PackagesFail, PackagesErrorCode, Placement } from './packages.ts'
import type { RoomEvent } from './room-events.ts'
import type {
  RoomBacklog,
  RoomClaimOptions,
  RoomDefaults,
  RoomEnd,
  RoomMailbox,
  RoomMember,
  RoomMessage,
  RoomOpenOptions,
  RoomPermission,
  RoomPermissions,
  RoomsErrorCode,
  RoomsFail,
} from './room-types.ts'
import type { RoomHandle, rooms } from './rooms.ts'
import type { Remote } from './shape.ts'

type Ok = Promise<{ ok: true } | RoomsFail>
type App = Remote<typeof rooms>

export type RoomClaims = Claims<
  [
    Equal<
      RoomsErrorCode,
      'invalid' | 'not-found' | 'bad-key' | 'full' | 'blocked' | 'denied' | 'rate-limited' | 'too-large' | 'storage' | 'quota' | 'unavailable' | 'closed'
    >,
    Equal<RoomPermission, 'send' | 'receive' | 'remove' | 'block'>,
    Equal<RoomDefaults, Readonly<{ maxMessageBytes: number; receive: boolean; send: boolean }>>,
    Equal<RoomMember, { id: string; maxMessageBytes: number; permissions: { send: boolean; receive: boolean; remove: boolean; block: boolean } }>,
    Fits<RoomMember['permissions'], RoomPermissions>,
    Equal<RoomMessage, { at: number; from: string; seq: number; text: string }>,
    Equal<RoomBacklog, { last: number; more: boolean }>,
    Equal<RoomEnd['reason'], 'left' | 'removed' | 'blocked' | 'ended' | 'unavailable'>,
    Equal<RoomMailbox, { archived: boolean; bytes: number; cap: number; messages: number }>,
    Equal<RoomEvent['type'], 'message' | 'edited' | 'deleted' | 'joined' | 'left' | 'permissions' | 'defaults' | 'claim'>,
    Equal<Extract<RoomEvent, { type: 'claim' }>, { type: 'claim'; claimed: boolean; mailbox: boolean; owner: string }>,
    Equal<Extract<RoomEvent, { type: 'left' }>['reason'], 'left' | 'removed' | 'blocked'>,
    Equal<App['create'], (options?: Parameters<App['create']>[0]) => Promise<RoomHandle | RoomsFail>>,
    Fits<RoomOpenOptions, NonNullable<Parameters<App['open']>[1]>>,
    Fits<RoomClaimOptions, { description?: string; mailbox?: boolean; temporary?: boolean | number }>,
  ]
>

export type RoomHandleClaims = Claims<
  [
    Equal<RoomHandle['closed'], Promise<RoomEnd>>,
    Equal<RoomHandle['mailbox'], RoomMailbox | null>,
    Equal<RoomHandle['mailboxSwitch'], true | undefined>,
    Equal<RoomHandle['temporaryClaims'], true | undefined>,
    Equal<RoomHandle['self'], RoomMember>,
    Equal<RoomHandle['backlog'], (after: number, limit?: number) => Promise<RoomBacklog | RoomsFail>>,
    Equal<RoomHandle['block'], (id: string) => Ok>,
    Equal<RoomHandle['release'], () => Ok>,
    Equal<RoomHandle['setDefault'], (permission: 'send' | 'receive', value: boolean) => Ok>,
    Equal<RoomHandle['limit'], (maxMessageBytes: number | null, id?: string) => Ok>,
    Equal<RoomHandle['grant'], (id: string, permission: RoomPermission) => Ok>,
    Equal<RoomHandle['edit'], (seq: number, text: string) => Ok>,
    Equal<RoomHandle['delete'], (from: number, to?: number) => Ok>,
    Equal<RoomHandle['members'], () => Promise<RoomMember[] | RoomsFail>>,
    Equal<RoomHandle['leave'], () => Promise<void>>,
    Equal<RoomHandle['setMailbox'], ((on: boolean) => Ok) | undefined>,
    Equal<RoomHandle['usage'], () => Promise<RoomMailbox | null | RoomsFail>>,
    Fits<[(event: RoomEvent) => void], Parameters<RoomHandle['on']>>,
    Equal<Awaited<ReturnType<RoomHandle['on']>>, () => Promise<void>>,
  ]
>

type Host = Remote<typeof packages>

export type PackageClaims = Claims<
  [
    Equal<PackagesErrorCode, 'invalid' | 'not-installed' | 'unaddressable' | 'timeout' | 'unavailable' | 'denied'>,
    Fits<PackageQuery, Parameters<Host['search']>[0]>,
    Not<Fits<{ size: number }, Parameters<Host['search']>[0]>>,
    Equal<PackageResult['links'], { homepage?: string; registry?: string; repository?: string }>,
    Equal<InstalledPackage, { appId?: string; installedAt: number; name: string; uri: string; version: string | null }>,
    Equal<MountDescriptor, { from: string; name: string; origin: string; uri: string; url: string; version: string | null }>,
    Fits<{ rect: { x: number; y: number; width: number; height: number } }, Placement>,
    Equal<Awaited<ReturnType<Host['search']>>, { results: PackageResult[] } | PackagesFail>,
    Equal<Awaited<ReturnType<Host['pick']>>, { failed: string[]; results: PackageResult[] } | { declined: true } | PackagesFail>,
    Equal<Awaited<ReturnType<Host['install']>>, { installed: InstalledPackage } | { declined: true } | PackagesFail>,
    Equal<Awaited<ReturnType<Host['list']>>, { results: InstalledPackage[] }>,
    Equal<Awaited<ReturnType<Host['uninstall']>>, { ok: true } | PackagesFail>,
    Equal<Awaited<ReturnType<Host['connect']>>, { closed: Promise<void>; port: MessagePort } | PackagesFail>,
    Equal<Awaited<ReturnType<Host['frame']>>, MountDescriptor | PackagesFail>,
    Equal<Host['show'], (uri: string, placement: Parameters<Host['show']>[1]) => Promise<{ ok: true } | PackagesFail>>,
  ]
>
