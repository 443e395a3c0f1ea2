import { isCall, isShape, type Members } from '@deputy/contract/shape'
import { ShapeError } from '@deputy/contract/validate'
import { compileCall, type CallCodec } from './call.ts'
import { anchor } from './reference.ts'
import type { Anchor, Bound, Codec, Compile, Context } from './context.ts'

/** What a side says of a tree it serves: paths of calls and namespaces, and data members with their values. */
export type Manifest = readonly [paths: readonly string[], data: readonly (readonly [string, unknown])[]]

type Entry = { readonly name: string; readonly path: string } & ({ readonly call: CallCodec } | { readonly data: Codec } | { readonly space: readonly Entry[] })

/** Key of an optional method of a served handle that runs once when the peer let the handle go or the link ended. */
export const released: unique symbol = Symbol('released')

const plans = new WeakMap<Members, readonly Entry[]>()

function planOf(members: Members, compile: Compile, prefix = ''): readonly Entry[] {
  let plan = plans.get(members)
  if (plan === undefined || prefix !== '') {
    plan = Object.entries(members).map(([name, member]): Entry => {
      const path = prefix + name
      if (isCall(member)) return { name, path, call: compileCall(member, compile) }
      if (isShape(member)) return { name, path, data: compile(member) }
      return { name, path, space: planOf(member, compile, `${path}.`) }
    })
    if (prefix === '') plans.set(members, plan)
  }
  return plan
}

/** Takes stock of a served tree: its functions by path, and what to tell the peer. Absent members are left out. */
export function serve(members: Members, value: object, compile: Compile, context: Context): { bound: Map<string, Bound>; manifest: Manifest } {
  const bound = new Map<string, Bound>()
  const paths: string[] = []
  const data: [string, unknown][] = []
  const visit = (entries: readonly Entry[], owner: Record<string, unknown>) => {
    for (const entry of entries) {
      const own = owner[entry.name]
      if (own === undefined) continue
      if ('data' in entry) data.push([entry.path, entry.data.encode(own, context, entry.path)])
      else if ('space' in entry) {
        paths.push(entry.path)
        visit(entry.space, own as Record<string, unknown>)
      } else if (typeof own === 'function') {
        paths.push(entry.path)
        bound.set(entry.path, { codec: entry.call, run: (...args) => Reflect.apply(own, owner, args) as unknown })
      } else throw new ShapeError(entry.path, 'a function')
    }
  }
  visit(planOf(members, compile), value as Record<string, unknown>)
  return { bound, manifest: [paths, data] }
}

/** Builds the tree of what the peer serves of these members; whatever else it claims is ignored. */
export function present(members: Members, manifest: unknown, to: Anchor, compile: Compile, context: Context, path: string): Record<string, unknown> {
  const [paths, data] = Array.isArray(manifest) ? (manifest as unknown[]) : []
  if (!Array.isArray(paths) || !Array.isArray(data)) throw new ShapeError(path, 'a manifest')
  const served = new Set<unknown>(paths)
  const values = new Map<unknown, unknown>(data.filter(Array.isArray).map(([key, value]: unknown[]) => [key, value]))
  const build = (entries: readonly Entry[]) => {
    const out: Record<string, unknown> = {}
    for (const entry of entries) {
      if ('data' in entry) {
        if (values.has(entry.path)) out[entry.name] = entry.data.decode(values.get(entry.path), context, entry.path)
      } else if (served.has(entry.path)) {
        out[entry.name] = 'space' in entry ? build(entry.space) : (...args: unknown[]) => context.invoke(to, entry.path, entry.call, args)
      }
    }
    return out
  }
  const tree = build(planOf(members, compile))
  anchor(tree, to)
  return tree
}

/** An object with methods: its reference crosses with its manifest. */
export const handle = (members: Members, compile: Compile): Codec => ({
  encode: (value, context, path) => {
    if (typeof value !== 'object' || value === null) throw new ShapeError(path, 'an object with methods')
    const { bound, manifest } = serve(members, value, compile, context)
    const onDrop = (value as { [released]?: () => void })[released]
    const { id } = context.references.give('handle', member => bound.get(member), onDrop && (() => context.guard(() => onDrop.call(value))))
    return [id, manifest]
  },
  decode: (wire, context, path) => {
    const [id, manifest] = Array.isArray(wire) ? (wire as unknown[]) : []
    return present(members, manifest, context.references.take('handle', id), compile, context, path)
  },
})
