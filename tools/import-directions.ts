import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseSync } from 'oxc-parser'

/** For each part of the project, the parts whose packages its modules may import. Tests beside a source are free, like those in tests/. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  contract: [],
  channel: ['contract'],
  seal: [],
  tunnel: ['contract'],
  client: ['contract', 'channel', 'seal'],
  broker: ['contract', 'channel', 'seal', 'tunnel'],
  server: ['contract', 'tunnel'],
  examples: ['client'],
}

const free = ['cli', 'tests', 'bench', 'tools', 'docs']

/** Parts that run without Node: the whole of it, less the files that are build steps. */
const withoutNode = ['contract', 'channel', 'seal', 'tunnel', 'client']

/** Folders that are one namespace each: only the part's composition files may know two of them. */
const namespaces: Readonly<Record<string, readonly string[]>> = {
  broker: ['account', 'cloud', 'connect', 'consent', 'frames', 'fs', 'overlay', 'packages', 'prompts', 'rooms', 'shell', 'sign-in', 'storage'],
  server: ['accounts', 'apps', 'files', 'keys', 'objects', 'packages', 'rooms', 'tunnel', 'usage'],
}

/** A module's imports as written, re-exports and dynamic imports among them. */
export type Graph = ReadonlyMap<string, readonly string[]>

const isTest = (path: string) => /\.test(-d|-support)?\.tsx?$/.test(path)
const partOf = (path: string) => path.slice(0, path.indexOf('/'))

/** What modules import, by path. Throws where one cannot be parsed. */
export function readGraph(paths: readonly string[]): Graph {
  return new Map(paths.map(path => [path, importsOf(path, readFileSync(path, 'utf8'))]))
}

/** The specifiers a module's source names. */
export function importsOf(path: string, source: string): string[] {
  const { module, errors } = parseSync(path, source)
  const [error] = errors
  if (error) throw new Error(`${path}: ${error.message}`)
  const dynamic = module.dynamicImports.map(({ moduleRequest }) => source.slice(moduleRequest.start, moduleRequest.end)).filter(text => /^['"]/.test(text))
  return [
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...module.staticExports.flatMap(({ entries }) => entries.flatMap(({ moduleRequest }) => moduleRequest?.value ?? [])),
    ...dynamic.map(text => text.slice(1, -1)),
  ]
}

/** The edges that go against the architecture, one message each. */
export function violations(graph: Graph): string[] {
  return [...graph].flatMap(([path, specifiers]) => specifiers.flatMap(specifier => violation(graph, path, specifier) ?? []).map(why => `${path}: ${why}`))
}

function violation(graph: Graph, path: string, specifier: string): string | undefined {
  const part = partOf(path)
  const test = isTest(path)
  if (!(part in allowed) && !free.includes(part)) return `the part ${part} is not in the table of directions`
  if (specifier.startsWith('.')) return relative(graph, path, specifier.replace(/\?.*$/, ''), test)
  if (specifier.startsWith('@deputy/')) {
    const target = specifier.split('/')[1] ?? ''
    if (test || free.includes(part)) return undefined
    if (target === part) return `imports its own package by name: ${specifier}`
    return allowed[part]?.includes(target) ? undefined : `${part} may not import ${target} (${specifier})`
  }
  if (specifier.startsWith('node:') && withoutNode.includes(part) && !test) return `${part} runs in browsers and may not import ${specifier}`
  return undefined
}

function relative(graph: Graph, path: string, specifier: string, test: boolean): string | undefined {
  const target = join(dirname(path), specifier)
  const [part, , folder] = path.split('/')
  const [targetPart, , targetFolder] = target.split('/')
  if (/\.tsx?$/.test(target) && !graph.has(target)) return `imports ${specifier}, which is not there`
  const support = free.includes(part ?? '') || test
  if (part !== targetPart) return support && targetPart === 'tests' ? undefined : `reaches into ${targetPart} by path (${specifier}): import its package`
  const siblings = namespaces[part ?? ''] ?? []
  if (test || folder === targetFolder || !siblings.includes(folder ?? '') || !siblings.includes(targetFolder ?? '')) return undefined
  return `the namespace ${folder} imports its sibling ${targetFolder} (${specifier}): have context.ts wire it`
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const graph = readGraph(
    globSync(['*/src/**/*.{ts,tsx}', '{bench,docs,examples,tests,tools}/**/*.{ts,tsx}'], { exclude: ['**/node_modules/**', '**/dist/**'] }),
  )
  const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate', '*.ts', '*.tsx'], { encoding: 'utf8' })
  const unseen = tracked.split('\n').filter(path => path !== '' && !graph.has(path) && globSync(path).length > 0)
  const edges = [...graph.values()].flat().filter(specifier => /^(\.|@deputy\/)/.test(specifier)).length
  const found = [...violations(graph), ...unseen.map(path => `${path}: was not looked at`)]
  if (edges < graph.size) found.push(`only ${edges} edges between ${graph.size} modules: the checker must have missed some`)
  for (const line of found) console.log(line)
  console.log(`${graph.size} modules, ${edges} edges between them, ${found.length} against the architecture`)
  process.exitCode = found.length > 0 ? 1 : 0
}
