import { aliases, broker, namespaces } from './broker.ts'
import { tunnelErrorCodes, tunnelRefusals } from './cloud.ts'
import { answerInWords, argumentsInWords, describe, type TypeNames } from './describe.ts'
import { descriptions } from './descriptions.ts'
import { frameErrors, frameErrorTypes } from './frame-errors.ts'
import { fsErrorCodes, fsRefusals } from './fs.ts'
import * as keys from './keys.ts'
import { FORGEABLE_HEADERS, libraryFunctions, libraryNamespaces } from './library.ts'
import * as limits from './limits.ts'
import { eventMeanings, functionMeanings, keyMeanings, limitMeanings } from './meanings.ts'
import { controls, handles, operationsOf, type Operation } from './operations.ts'
import { packagesErrorCodes, packagesRefusals } from './packages.ts'
import { permissionDescriptors } from './permissions.ts'
import type { Refusal } from './refusals.ts'
import { roomEvents } from './room-events.ts'
import { roomsErrorCodes } from './room-types.ts'
import { roomsRefusals } from './rooms-refusals.ts'
import type { Call, Members, Shape } from './shape.ts'
import { storageFailCodes } from './storage.ts'
import { storageRefusals } from './storage-refusals.ts'
import { types } from './types.ts'
import { capabilities } from './versions.ts'

/** A table of the contract, as text. */
export interface Table {
  readonly header: readonly string[]
  readonly rows: readonly (readonly string[])[]
}
/** What one area of the contract holds. */
export type Area = readonly Table[]

const code = (text: string): string => `\`${text}\``

/** The named shapes of all areas. */
export const typeNames: TypeNames = new Map(
  Object.values<Readonly<Record<string, Shape>>>(types).flatMap(area => Object.entries(area).map(([name, shape]): [Shape, string] => [shape, name])),
)

const codeSets: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    storage: storageFailCodes,
    rooms: roomsErrorCodes,
    packages: packagesErrorCodes,
    files: fsErrorCodes,
    tunnel: tunnelErrorCodes,
    attachment: frameErrorTypes,
  }),
)
const codeSetOf = (call: Call): string =>
  [...codeSets].find(([, codes]) => codes === call.codes)?.[0] ?? (call.codes.length === 0 ? 'none' : call.codes.join(', '))
const deadlineOf = (call: Call): string => {
  if (call.deadline === undefined) return 'usual'
  return call.deadline === Infinity ? 'none' : `${call.deadline / 1000} s`
}

/** The rows of an operations table. */
const operationRow = ({ path, call }: Operation): readonly string[] => {
  const args = argumentsInWords(call, (descriptions[path] ?? []).slice(0, -1), typeNames)
  return [code(path), args.length === 0 ? 'none' : args.join(', '), answerInWords(call, typeNames), codeSetOf(call), deadlineOf(call), String(call.since ?? 1)]
}
const operationsTable = (found: readonly Operation[]): Table => ({
  header: ['Operation', 'Arguments', 'Answer', 'Refusals', 'Deadline', 'Since'],
  rows: found.map(operationRow),
})
const within = (tree: Members, ...names: readonly string[]): readonly Operation[] =>
  operationsOf(Object.fromEntries(Object.entries(tree).filter(([name]) => names.includes(name))))
const ofHandles = (...names: readonly string[]): readonly Operation[] => names.flatMap(name => operationsOf(handles[name] ?? controls[name] ?? {}, name))

const typesTable = (area: keyof typeof types): Table => ({
  header: ['Type', 'Shape'],
  rows: Object.entries<Shape>(types[area]).map(([name, shape]) => [code(name), describe(shape, typeNames, true)]),
})
const codesTable = (set: string, codes: readonly string[]): Table => ({ header: ['Codes', 'Values'], rows: [[set, codes.map(code).join(', ')]] })
const refusalsTable = (refusals: Readonly<Record<string, Refusal>>): Table => ({
  header: ['Refusal', 'Code', 'Message'],
  rows: Object.entries(refusals).map(([name, refusal]) => [code(name), refusal.code, refusal.message]),
})

const isFiles = ({ path }: Operation): boolean => path.startsWith('cloud.fs.')
const cloudOperations = [
  ...within(namespaces, 'quota', 'cloud', 'webvpn').filter(operation => !isFiles(operation)),
  ...ofHandles('ResponseApart', 'TcpSocketResult', 'TcpSocketListenerResult', 'UdpSocketResult'),
]

const limitRows = Object.entries<number | Readonly<Record<string, number>>>(limits).flatMap(([name, value]): readonly (readonly string[])[] => {
  const meaning = limitMeanings[name as keyof typeof limits]
  if (typeof value === 'number') return [[code(name), String(value), meaning]]
  return Object.entries(value).map(([member, figure]) => [code(`${name}.${member}`), String(figure), meaning])
})
const keyRows = Object.entries<string | Readonly<Record<string, string>>>(keys).flatMap(([name, value]): readonly (readonly string[])[] => {
  const meaning = keyMeanings[name as keyof typeof keys]
  if (typeof value === 'string') return [[code(name), code(value), typeof meaning === 'string' ? meaning : '']]
  return Object.entries(value).map(([member, text]) => [code(`${name}.${member}`), code(text), typeof meaning === 'string' ? meaning : (meaning[member] ?? '')])
})

/** Every table of the contract, by area. */
export const tables = {
  account: [operationsTable(within(namespaces, 'account')), typesTable('account')],
  connect: [operationsTable(within(namespaces, 'connect')), typesTable('connect')],
  cloud: [operationsTable(cloudOperations), typesTable('cloud'), codesTable('tunnel', tunnelErrorCodes), refusalsTable(tunnelRefusals)],
  fs: [operationsTable(within(namespaces, 'cloud').filter(isFiles)), typesTable('fs'), codesTable('files', fsErrorCodes), refusalsTable(fsRefusals)],
  storage: [
    operationsTable([...within(namespaces, 'storage'), ...ofHandles('StoredHandle')]),
    typesTable('storage'),
    codesTable('storage', storageFailCodes),
    refusalsTable(storageRefusals),
  ],
  rooms: [
    operationsTable([...within(namespaces, 'rooms'), ...ofHandles('RoomHandle')]),
    typesTable('rooms'),
    {
      header: ['Event', 'Payload', 'When'],
      rows: Object.entries(roomEvents).map(([name, event]) => [code(name), describe(event, typeNames), eventMeanings[name as keyof typeof roomEvents]]),
    },
    codesTable('rooms', roomsErrorCodes),
    refusalsTable(roomsRefusals),
  ],
  packages: [
    operationsTable(within(namespaces, 'packages')),
    typesTable('packages'),
    codesTable('packages', packagesErrorCodes),
    refusalsTable(packagesRefusals),
  ],
  consent: [operationsTable(within(namespaces, 'frameConsent')), typesTable('consent')],
  overlay: [operationsTable(within(namespaces, 'overlay')), typesTable('overlay')],
  prompts: [operationsTable(within(namespaces, 'installPrompt', 'relay'))],
  shell: [operationsTable(within(namespaces, 'shell'))],
  frames: [
    operationsTable(ofHandles('MiddleControl', 'WindowMiddleControl', 'ShellControl')),
    typesTable('frames'),
    codesTable('attachment', frameErrorTypes),
    { header: ['Refusal', 'Class', 'Message'], rows: Object.entries(frameErrors).map(([name, error]) => [code(name), error.code, error.message]) },
    { header: ['Constant', 'Value', 'Meaning'], rows: keyRows },
  ],
  library: [
    {
      header: ['Function', 'Arguments', 'Answer', 'Purpose'],
      rows: libraryFunctions.map(name => [code(name), ...functionMeanings[name]]),
    },
    { header: ['Namespace'], rows: libraryNamespaces.map(name => [code(name)]) },
    { header: ['Forgeable header'], rows: FORGEABLE_HEADERS.map(name => [code(name)]) },
    {
      header: ['Scope', 'Category', 'Severity', 'Unsafe', 'Title', 'Description'],
      rows: permissionDescriptors.map(row => [code(row.scope), row.category, String(row.severity), row.unsafe ? 'yes' : 'no', row.title, row.description]),
    },
    typesTable('library'),
    operationsTable(ofHandles('VideoElementController')),
  ],
  versions: [
    { header: ['Flat member', 'Operation'], rows: Object.entries(aliases).map(([name, path]) => [code(name), code(path.join('.'))]) },
    { header: ['Ability', 'Told by', 'Without it'], rows: Object.entries(capabilities).map(([name, { look, without }]) => [code(name), look, without]) },
  ],
  limits: [{ header: ['Limit', 'Value', 'Meaning'], rows: limitRows }],
} as const satisfies Readonly<Record<string, Area>>

/** Every operation a page of the tables has; the flat members apart, which repeat one of them. */
export const statedOperations: readonly Operation[] = [
  ...operationsOf(broker).filter(({ path }) => !(path in aliases)),
  ...ofHandles(...Object.keys(handles), ...Object.keys(controls)),
]

/** A table as markdown, its columns aligned. */
export function markdown({ header, rows }: Table): string {
  const lines = [header, ...rows].map(cells => cells.map(cell => cell.replaceAll('|', '\\|')))
  const widths = header.map((_, column) => Math.max(3, ...lines.map(cells => cells[column]?.length ?? 0)))
  const [head = '', ...body] = lines.map(cells => `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`)
  return [head, `| ${widths.map(width => '-'.repeat(width)).join(' | ')} |`, ...body].join('\n')
}
