/** Scope of rooms that every app can open by name. */
export const GLOBAL_SCOPE = 'global'
/** Names of rooms: 1 to 64 characters. */
export const ROOM_NAME = /^[a-z0-9._-]{1,64}$/
/** Characters of a random room name, of the base64url alphabet. */
export const RANDOM_ROOM_NAME_LENGTH = 22
const randomName = /^[A-Za-z0-9_-]{22}$/

/** Id of the app that is a site: `web:<origin>`. */
export const webAppId = (origin: string): string => `web:${origin}`
/** Id of the app that is a package: its version-free uri, `registry:<name>`. */
export const packageAppId = (name: string): string => `registry:${name}`
/** Id of the app that is a package under development: `dev:<url>`. */
export const devAppId = (url: string): string => `dev:${url}`

/** What kind of app an id names, or `null` when it names none. */
export const appKind = (id: string): 'web' | 'registry' | 'dev' | null => {
  const kind = /^(web|registry|dev):./.exec(id)?.[1]
  return kind === 'web' || kind === 'registry' || kind === 'dev' ? kind : null
}

/** The origin of a site's id, or `null`. */
export const originOf = (id: string): string | null => (appKind(id) === 'web' ? id.slice('web:'.length) : null)

/**
 * Scope of an app's rooms as apps see it: the host for a site, with the port where it is not the default one; the id itself
 * for a package. A host that is called like the global scope always shows its port.
 */
export const roomScope = (appId: string): string => {
  const origin = originOf(appId)
  if (origin === null || !URL.canParse(origin)) return appId
  const { host, hostname, port, protocol } = new URL(origin)
  if (host !== GLOBAL_SCOPE) return host
  return `${hostname}:${port === '' ? (protocol === 'https:' ? '443' : '80') : port}`
}

/** Id of a room: `<scope>/<name>`. */
export const roomId = (scope: string, name: string): string => `${scope}/${name}`
/** The scope and name of a room id, or `null`. A scope may hold slashes, a name never does. */
export const parseRoomId = (id: string): { readonly scope: string; readonly name: string } | null => {
  const at = id.lastIndexOf('/')
  const [scope, name] = [id.slice(0, at), id.slice(at + 1)]
  return at > 0 && isRoomName(name) ? { scope, name } : null
}
/** Whether a room can be called so: a chosen name, or one of the random names of `rooms.create`. */
export const isRoomName = (name: string): boolean => ROOM_NAME.test(name) || randomName.test(name)

/** Invite of a room: `<key>.<id>`. Holding it is all it takes to join. */
export const roomInvite = (key: string, id: string): string => `${key}.${id}`
/** The key and room id of an invite, or `null`. Whether the key is one is not looked at. */
export const parseInvite = (invite: string): { readonly key: string; readonly id: string } | null => {
  const at = invite.indexOf('.')
  const [key, id] = [invite.slice(0, at), invite.slice(at + 1)]
  return at > 0 && parseRoomId(id) !== null ? { key, id } : null
}
