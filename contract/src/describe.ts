import { bodyOf, type Call, type Shape, type ShapeBody } from './shape.ts'

/** Names by which shapes are called instead of being spelled out. */
export type TypeNames = ReadonlyMap<Shape, string>

/** A shape in words, as one line; `spell` spells the shape itself out even when it has a name. */
export function describe(of: Shape, names: TypeNames, spell = false): string {
  const name = spell ? undefined : names.get(of)
  return name ?? words(bodyOf(of), names)
}

const simple = {
  nothing: 'nothing',
  boolean: 'boolean',
  url: 'URL',
  port: 'message port',
  signal: 'AbortSignal',
  blob: 'Blob',
  request: 'Request',
  response: 'Response',
  byteSource: 'readable stream of bytes',
  byteSink: 'writable stream of bytes',
  bytes: 'Uint8Array',
  buffer: 'ArrayBuffer',
  string: 'string',
  number: 'number',
} as const

function words(of: ShapeBody, names: TypeNames): string {
  switch (of.kind) {
    case 'opaque':
      return of.as === undefined ? 'any data' : describe(of.as, names)
    case 'oneOf':
      return of.values.map(value => (typeof value === 'string' ? `'${value}'` : String(value))).join(' or ')
    case 'nullable':
      return `${describe(of.of, names)} or null`
    case 'optional':
      return `${describe(of.of, names)} or nothing`
    case 'promise':
      return `promise of ${describe(of.of, names)}`
    case 'stream':
      return `readable stream of ${describe(of.of, names)}`
    case 'list':
      return of.min === of.max ? `${of.max} times ${describe(of.of, names)}` : `list of ${describe(of.of, names)}`
    case 'dictionary':
      return `${describe(of.of, names)} by name`
    case 'object':
      return membersInWords(of.members, names)
    case 'either':
      return of.branches
        .map(branch => describe(branch, names))
        .filter(text => text !== '')
        .join(' or ')
    case 'callback': {
      const answer = describe(of.result, names)
      return `function(${of.args.map(arg => describe(arg, names)).join(', ')})${answer === 'nothing' ? '' : ` answering ${answer}`}`
    }
    case 'handle':
      return membersInWords(Object.fromEntries(Object.entries(of.members).filter(isData)), names)
    default:
      return simple[of.kind]
  }
}

const isData = (entry: [string, unknown]): entry is [string, Shape] => {
  const kind = (entry[1] as { kind?: unknown }).kind
  return typeof kind === 'string' && kind !== 'call'
}

function membersInWords(members: Readonly<Record<string, Shape>>, names: TypeNames): string {
  const parts = Object.entries(members).map(([name, member]) => {
    const body = bodyOf(member)
    return body.kind === 'optional' ? `${name}?: ${describe(body.of, names)}` : `${name}: ${describe(member, names)}`
  })
  return parts.length === 0 ? '{}' : `{ ${parts.join('; ')} }`
}

/** The arguments of a call in words, under these names; those that may be left out carry a `?`. */
export const argumentsInWords = (of: Call, argumentNames: readonly string[], names: TypeNames): readonly string[] =>
  of.args.map((arg, index) => {
    const body = bodyOf(arg)
    const name = argumentNames[index] ?? `argument ${index + 1}`
    return body.kind === 'optional' ? `${name}?: ${describe(body.of, names)}` : `${name}: ${describe(arg, names)}`
  })

/** What a call answers when it is not refused, in words. */
export function answerInWords(of: Call, names: TypeNames): string {
  const body = bodyOf(of.result)
  const granted = of.codes.length > 0 && body.kind === 'either' ? body.branches[1] : of.result
  return granted === undefined ? 'nothing' : describe(granted, names)
}
