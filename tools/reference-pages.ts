import { aliases } from '@deputy/contract/broker'
import { answerInWords, argumentsInWords } from '@deputy/contract/describe'
import { descriptions } from '@deputy/contract/descriptions'
import type { Operation } from '@deputy/contract/operations'
import { markdown, statedOperations, tables, typeNames, type Table } from '@deputy/contract/tables'

/** One page of the reference: its file name and its text. */
export interface Page {
  readonly name: string
  readonly text: string
}
type AreaName = keyof typeof tables

const pages: Readonly<Record<AreaName, readonly [title: string, intro: string]>> = {
  account: ['Account', 'Who is signed in, signing in and out, and being told of changes.'],
  connect: ['Connect', 'Asking the person whether the app may use their account.'],
  cloud: ['Cloud', 'Fetch, name lookup and sockets through the tunnel, and what of it the account may use.'],
  fs: ['Files', 'Encrypted files of the account, per app.'],
  storage: ['Object storage', 'Objects sealed in the browser under a key of the app, served from an address that can be shared.'],
  rooms: ['Rooms', 'End-to-end encrypted group messaging with members, permissions, stored messages and claims.'],
  packages: ['Packages', 'Third-party packages: searched, picked, installed, connected to and mounted in frames of their own.'],
  consent: ['Consent', 'Asking the person for permissions of embedded pages.'],
  overlay: ['Overlay', 'What the host page must know of the broker’s frame.'],
  prompts: ['Prompts', 'The install offer and the choice of a tunnel node.'],
  shell: ['Shell updates', 'Newer builds of the broker: noticed, announced, taken.'],
  frames: ['Frames', 'The pages between an app and an external page: middle page, window and shell, and their messages.'],
  library: ['Library', 'Functions, permissions and types of the client library beside the broker’s own.'],
  versions: ['Versions', 'Flat members for older consumers, and how abilities of older peers are told.'],
  limits: ['Limits', 'Figures of the contract. Figures a server may be configured with are in its own documentation.'],
}

const flatNames = new Map(Object.entries(aliases).map(([name, path]): [string, string] => [path.join('.'), name]))
const bare = (cell: string | undefined): string => (cell ?? '').replaceAll('`', '')
const byPath = new Map(statedOperations.map(operation => [operation.path, operation]))

/** Words of a table's purpose, by its first column. */
const headings: Readonly<Record<string, string>> = {
  Type: 'Types',
  Codes: 'Codes',
  Refusal: 'Refusals',
  Event: 'Events',
  Constant: 'Channel keys and message names',
  Function: 'Functions',
  Namespace: 'Namespaces handed on',
  'Forgeable header': 'Headers that may be forged',
  Scope: 'Permissions',
  'Flat member': 'Flat members',
  Ability: 'Abilities told by presence',
  Limit: 'Figures',
}

function operationText({ path, call }: Operation): string {
  const words = descriptions[path] ?? []
  const names = words.slice(0, -1)
  const args = argumentsInWords(call, names, typeNames)
  const flat = flatNames.get(path)
  const lines = [
    ...args.map(arg => `- Argument \`${arg}\``),
    `- Answers ${answerInWords(call, typeNames)}`,
    ...(call.codes.length === 0 ? [] : [`- Refused with ${call.codes.map(code => `\`${code}\``).join(', ')}`]),
    ...(call.deadline === undefined ? [] : [call.deadline === Infinity ? '- No deadline' : `- Deadline ${call.deadline / 1000} s`]),
    ...(call.since === undefined ? [] : [`- Since revision ${call.since}; older peers lack it`]),
    ...(flat === undefined ? [] : [`- Also called \`${flat}\``]),
  ]
  return [`### ${path}(${names.join(', ')})`, words.at(-1) ?? '', lines.join('\n')].join('\n\n')
}

function section(table: Table): string {
  const [first = ''] = table.header
  if (first !== 'Operation') return `## ${headings[first] ?? first}\n\n${markdown(table)}`
  const found = table.rows.flatMap(row => {
    const operation = byPath.get(bare(row[0]))
    return operation === undefined ? [] : [operationText(operation)]
  })
  return ['## Operations', ...found].join('\n\n')
}

const note = '<!-- Made by tools/reference.ts from the contract; change the contract instead. -->'

/** Every page of the reference, made from the values of the contract alone. */
export function referencePages(): readonly Page[] {
  const areas = Object.entries(pages).map(([area, [title, intro]]): Page => {
    const sections = (tables[area as AreaName] as readonly Table[]).map(section)
    return { name: `${area}.md`, text: `${[note, `# ${title}`, intro, ...sections].join('\n\n')}\n` }
  })
  const entries = Object.entries(pages).map(([area, [title, intro]]) => `- [${title}](${area}.md): ${intro}`)
  const words =
    'Operations answer promises. Where an operation can be refused, `{ error, message }` may stand in place of its answer; branch on the code. An argument with a `?` may be left out. An operation without a line on its deadline has the usual one of the channel.'
  return [{ name: 'README.md', text: `${[note, '# Reference', words, entries.join('\n')].join('\n\n')}\n` }, ...areas]
}
