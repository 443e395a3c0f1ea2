import { broker } from './broker.ts'
import { middleControl } from './middle.ts'
import { shellControl } from './render-shell.ts'
import { bodyOf, isCall, isShape, type Call, type Members } from './shape.ts'
import { types } from './types.ts'
import { windowMiddleControl } from './window.ts'

/** One operation and where it stands. */
export interface Operation {
  readonly path: string
  readonly call: Call
}

/** The controls of attachments, by name; a window's has its own members only, as it serves the middle page's besides. */
export const controls: Readonly<Record<string, Members>> = {
  MiddleControl: middleControl,
  WindowMiddleControl: Object.fromEntries(Object.entries(windowMiddleControl).filter(([name]) => !(name in middleControl))),
  ShellControl: shellControl,
}

/** The members of every named handle. */
export const handles: Readonly<Record<string, Members>> = Object.fromEntries(
  Object.values<Readonly<Record<string, Members[string]>>>(types).flatMap(area =>
    Object.entries(area).flatMap(([name, type]) => {
      if (!isShape(type)) return []
      const body = bodyOf(type)
      return body.kind === 'handle' ? [[name, body.members] as const] : []
    }),
  ),
)

/** Every operation among the members, in their order, each below the path. */
export function operationsOf(members: Members, path = ''): readonly Operation[] {
  return Object.entries(members).flatMap(([name, member]): readonly Operation[] => {
    const at = path === '' ? name : `${path}.${name}`
    if (isCall(member)) return [{ path: at, call: member }]
    return isShape(member) ? [] : operationsOf(member, at)
  })
}

/** Every operation of the contract: the broker's tree with its flat members, the named handles, the controls. */
export const operations = (): readonly Operation[] => [
  ...operationsOf(broker),
  ...[...Object.entries(handles), ...Object.entries(controls)].flatMap(([name, members]) => operationsOf(members, name)),
]
